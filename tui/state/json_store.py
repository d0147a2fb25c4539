"""Small JSON files of the user's choices, which two programs may change at the same time.

Nothing here stops the program: a file that cannot be read or written is reported once, and changes last for this run. An
invalid file is renamed, so that a new one can be written and nothing in it is lost.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from registry.catalog.reading import converted
from registry.files.atomic_file import file_lock, replace_text
from registry.files.plain_file import open_plain, put_aside
from registry.files.reasons import reason
from registry.text.safe_text import visible_line

_MOST_BYTES = 10_000_000

Content = TypeVar("Content")


class Notices:
    """The notices about one file, each shown once. `what` begins the sentences: “Favourites and recent tools”."""

    def __init__(self, what: str) -> None:
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


def read_json(file: Path, notices: Notices, kind: Any = dict, *, replacing: bool = False) -> Any:
    """The content of a file; None if there is no file, or it is not JSON of this kind, or cannot be read.

    Args:
        file: the file.
        notices: gets what is wrong with it.
        kind: the type of the content.
        replacing: the file is about to be replaced, so failing to read it is an error.

    Raises:
        OSError: it cannot be read, and is about to be replaced.
    """
    try:
        with open_plain(file) as opened:
            raw = opened.read(_MOST_BYTES + 1)
        if len(raw) <= _MOST_BYTES:
            return converted(json.loads(raw), kind)  # msgspec's own reader refuses half a surrogate pair
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


class JsonStore(Generic[Content]):
    """A value in a file. Each change is applied to what is there when it is saved, so programs keep each other's changes.

    Safe in any thread; do not load or save on the event loop.

    Attributes:
        notices: what the user should know about the file.
        now: the value, with the changes of this program.
    """

    def __init__(self, file: Path, usual: Content, what: str) -> None:
        self.notices = Notices(what)
        self.now = usual
        self._file, self._usual = file, usual
        self._changes: list[Callable[[Content], Content]] = []
        self._changing, self._saving = threading.Lock(), threading.Lock()

    def change(self, change: Callable[[Content], Content]) -> None:
        """Change the value; `save` changes the file in the same way."""
        with self._changing:
            self.now = change(self.now)
            self._changes.append(change)

    def load(self) -> None:
        """Read the file."""
        self._take(self._read())

    def save(self) -> None:
        """Write the changes to the file; if that fails, they last for this run, or until it can be written."""
        with self._saving:
            with self._changing:
                changes, self._changes = self._changes, []
            if not changes:
                return
            try:
                with file_lock(self._file):
                    saved = reduce(lambda content, change: change(content), changes, self._read(replacing=True))
                    replace_text(self._file, json.dumps(msgspec.to_builtins(saved), indent=1))
                self._take(saved)
            except OSError as error:
                self._changes = changes + self._changes
                self.notices.unwritable(error)

    def _take(self, content: Content) -> None:
        with self._changing:
            self.now = reduce(lambda content, change: change(content), self._changes, content)

    def _read(self, *, replacing: bool = False) -> Content:
        found: Content | None = read_json(self._file, self.notices, type(self._usual), replacing=replacing)
        return self._usual if found is None else found
