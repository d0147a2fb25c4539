"""Reads the small JSON files of the program and reports what is wrong with one.

Nothing here stops the program: a file that cannot be read is reported once, and counts as empty. An invalid file is renamed, so
that a new one can be written and nothing in it is lost.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from registry.files.damaged_file import put_aside
from registry.files.plain_file import open_plain
from registry.files.reasons import reason
from registry.text.safe_text import visible_line

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
        self._tell(f"{self._what} could not be read: {reason(error)}. Using defaults; make it readable, or move it away.")

    def broken(self, aside: Path | None) -> None:
        """Report that the file is invalid; `aside` is its new name, None if it could not be renamed."""
        where = f"; the old file is now {aside}" if aside is not None else ""
        self._tell(f"{self._what} were damaged{where}. Using defaults.")

    def unwritable(self, error: OSError) -> None:
        """Report that the file cannot be written."""
        self._tell(f"{self._what} could not be saved: {reason(error)}. They last until you quit.")

    def _tell(self, words: str) -> None:
        if words not in self._reported:
            self._reported.add(words)
            self._new.append(visible_line(words))


def read_json(file: Path, notices: Notices, *, replacing: bool = False) -> dict[str, Any] | None:
    """The object in a file; None if there is no file, or it is not a JSON object, or cannot be read.

    Args:
        file: the file.
        notices: gets what is wrong with it.
        replacing: the file is about to be replaced, so failing to read it is an error.

    Raises:
        OSError: it cannot be read, and is about to be replaced.
    """
    try:
        with open_plain(file) as opened:
            raw = opened.read(_MOST_BYTES + 1)
        if len(raw) <= _MOST_BYTES:
            content = json.loads(raw)
            if isinstance(content, dict):
                return content
    except FileNotFoundError:
        return None
    except OSError as error:
        if replacing:
            raise
        notices.unreadable(error)
        return None
    except (ValueError, RecursionError):
        pass
    notices.broken(put_aside(file))
    return None
