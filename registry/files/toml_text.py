"""Reads TOML: every problem of a text becomes one error.

Python's reader also raises other errors, for a number with thousands of digits or for deeply nested lists; if not caught, they
would end the program.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from registry.files.plain_file import open_plain

_MOST_BYTES = 100_000


class NotToml(ValueError):
    """A text that is not TOML, or cannot be read. `line` counts from 1; None if not known."""

    def __init__(self, words: str, line: int | None = None) -> None:
        super().__init__(words)
        self.line = line


def parsed(text: str) -> dict[str, Any]:
    """The content of a TOML text.

    Raises:
        NotToml: it is not valid TOML.
    """
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))  # some editors write this mark at the start of files
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"line (\d+)", str(error))
        raise NotToml(str(error), int(found[1]) if found else text.count("\n") + 1) from None
    except RecursionError:
        raise NotToml("nested too deeply") from None
    except ValueError:
        raise NotToml("a number has too many digits") from None


def section_in(file: Path, name: str) -> dict[str, Any]:
    """A section of the settings' file; empty without one. Its errors are reported by the code that reads the whole file."""
    try:
        with open_plain(file) as opened:
            content = opened.read(_MOST_BYTES + 1)
        section = parsed(content.decode("utf-8")).get(name) if len(content) <= _MOST_BYTES else None
    except (OSError, UnicodeDecodeError, NotToml):
        return {}
    return section if isinstance(section, dict) else {}
