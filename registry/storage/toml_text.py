"""Reads TOML: every problem of a text is one error, with its line.

Python's reader also raises other errors, for a number of thousands of digits or for deeply nested lists; one that is not caught
would end the program.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from registry.storage.plain_file import open_plain

_MOST_BYTES = 100_000
_LINE = re.compile(r"line (\d+)")


class NotToml(ValueError):
    """A text that is not TOML, or more than can be read.

    Attributes:
        line: where, counted from 1; None where that is not known.
    """

    def __init__(self, words: str, line: int | None = None) -> None:
        super().__init__(words)
        self.line = line


def parsed(text: str) -> dict[str, Any]:
    """The content of a TOML text.

    Raises:
        NotToml: it says nothing.
    """
    import tomllib  # the first frame does without where there are no settings

    try:
        return tomllib.loads(text.removeprefix("\ufeff"))  # some editors begin files with that mark
    except tomllib.TOMLDecodeError as error:
        found = _LINE.search(str(error))
        raise NotToml(str(error), int(found[1]) if found else text.count("\n") + 1) from None
    except RecursionError:
        raise NotToml("nested too deeply") from None
    except ValueError:
        raise NotToml("a number has too many digits") from None


def section_in(file: Path, name: str) -> dict[str, Any]:
    """A section of the settings' file; nothing where there is none. What is wrong in it is told by whoever reads all of it."""
    try:
        with open_plain(file) as opened:
            content = opened.read(_MOST_BYTES + 1)
        section = parsed(content.decode("utf-8")).get(name) if len(content) <= _MOST_BYTES else None
    except (OSError, UnicodeDecodeError, NotToml):
        return {}
    return section if isinstance(section, dict) else {}
