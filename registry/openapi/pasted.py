"""Whether a pasted text names an API document, which could be added as a toolkit."""

import re
import shlex
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import urlsplit

_ADDRESS = re.compile(r"https?://[^\s\"'<>]+", re.IGNORECASE)
_ENDINGS = (".json", ".yaml", ".yml")
_DOCUMENT_NAMES = re.compile(r"openapi|swagger|api-docs", re.IGNORECASE)
_PATH = re.compile(r"(?:~?/|\.{1,2}/|[A-Za-z]:\\).+|[^\s'\"]\S*")


class NamedDocument(NamedTuple):
    """A path or address where an API document may be, which could be added as a toolkit; `sure`: its name also says so."""

    source: str
    sure: bool


def document_in(text: str) -> NamedDocument | None:
    """The document that a pasted text names; None if it is neither a path nor an address. Reads no file."""
    text = text.strip().removeprefix("file://")
    if text[:1] in "'\"" or "\\ " in text:  # as terminals paste a path
        with suppress(ValueError):
            words = shlex.split(text)
            text = words[0] if len(words) == 1 else text
    if _ADDRESS.fullmatch(text):
        with suppress(ValueError):
            return NamedDocument(text, urlsplit(text).path.lower().endswith(_ENDINGS) or bool(_DOCUMENT_NAMES.search(text)))
    elif text.isprintable() and text.lower().endswith(_ENDINGS) and len(text) > 5 and _PATH.fullmatch(text):
        return NamedDocument(text, True)
    return None
