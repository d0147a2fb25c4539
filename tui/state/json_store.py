"""Reads the small JSON files of the program and reports what is wrong with one.

Nothing here stops the program: a file that cannot be read is reported once, and counts as empty. An invalid file is renamed, so
that a new one can be written and nothing in it is lost.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from registry.display.safe_text import visible_line
from registry.storage.plain_file import open_plain

_MOST_BYTES = 100_000


class Notices:
    """The notices about one file, each shown once."""

    def __init__(self, what: str) -> None:
        """Make it for `what`, which begins the sentences: “Favourites and recent tools”."""
        self._what = what
        self._new: list[str] = []
        self._reported: set[str] = set()

    def take(self) -> str:
        """The new notices, each only once; empty if there are none."""
        new, self._new = self._new, []
        return "\n".join(new)

    def unreadable(self, error: OSError) -> None:
        """Report that the file cannot be read."""
        self._tell(f"{self._what} could not be read: {_why(error)}. Using defaults.")

    def broken(self, aside: Path | None) -> None:
        """Report that the file is invalid; `aside` is its new name, None if it could not be renamed."""
        where = f"; the old file is now {aside}" if aside is not None else ""
        self._tell(f"{self._what} were damaged{where}. Using defaults.")

    def unwritable(self, error: OSError) -> None:
        """Report that the file cannot be written."""
        self._tell(f"{self._what} could not be saved: {_why(error)}. They last until you quit.")

    def _tell(self, words: str) -> None:
        if words not in self._reported:
            self._reported.add(words)
            self._new.append(visible_line(words))


def read_json(file: Path, notices: Notices) -> Any:
    """A file's content; None if there is no file, or it is not JSON, or cannot be read."""
    try:
        with open_plain(file) as opened:
            raw = opened.read(_MOST_BYTES + 1)
        if len(raw) <= _MOST_BYTES:
            return json.loads(raw)
    except FileNotFoundError:
        return None
    except OSError as error:
        notices.unreadable(error)
        return None
    except (ValueError, RecursionError):
        pass
    put_aside(file, notices)
    return None


def put_aside(file: Path, notices: Notices) -> None:
    """Rename an invalid file, so that a new one can take its name."""
    aside: Path | None = None
    with suppress(OSError):
        aside = file.replace(file.with_suffix(".broken.json"))
    notices.broken(aside)


def _why(error: OSError) -> str:
    return error.strerror or str(error)
