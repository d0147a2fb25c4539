"""Parts of documents that programs write: the text between ``<!-- name -->`` and ``<!-- /name -->``."""

import re
from pathlib import Path


def section(text: str, name: str) -> str:
    """The part of a document with this name, without the lines around it. A document without it is a `ValueError`."""
    return _around(text, name)[1]


def write_section(file: Path, name: str, content: str) -> None:
    """Put a new content into the part of a file with this name."""
    before, _, after = _around(file.read_text("utf-8"), name)
    file.write_text(f"{before}{content}\n{after}", "utf-8")


def _around(text: str, name: str) -> tuple[str, str, str]:
    found = re.search(rf"(<!-- {name} -->\n)(.*?)\n?(<!-- /{name} -->)", text, re.DOTALL)
    if found is None:
        raise ValueError(f"no section {name}")
    return text[: found.end(1)], found[2], text[found.start(3) :]
