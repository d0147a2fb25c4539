"""Small JSON files of the user's choices, which two programs may change at the same time.

Nothing here stops the program: a file that cannot be read or written is reported once, and changes last for this run. An
invalid file is renamed, so that a new one can be written and nothing in it is lost.
"""

import json
import threading
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from registry.catalog.reading import converted
from registry.files.folders import file_lock, open_plain, put_aside, replace_text
from registry.files.reasons import reason
from registry.text.safe_text import visible_line

_MOST_BYTES = 10_000_000

Content = TypeVar("Content")


class JsonStore(Generic[Content]):
    """A value in a file. Each change is applied to what is there when it is saved, so programs keep each other's changes.

    Safe in any thread; do not load or save on the event loop.

    Args:
        file: the file.
        usual: the value without a file.
        what: the beginning of sentences about the file: “Favourites and recent tools”.

    Attributes:
        now: the value, with the changes of this program.
    """

    def __init__(self, file: Path, usual: Content, what: str) -> None:
        self.now = usual
        self._file, self._usual, self._what = file, usual, what
        self._changes: list[Callable[[Content], Content]] = []
        self._changing, self._saving = threading.Lock(), threading.Lock()
        self._notices: dict[str, bool] = {}

    def notices(self) -> str:
        """What the user should know about the file, each sentence only once; empty if there is nothing new."""
        new = [words for words, told in self._notices.items() if not told]
        self._notices.update(dict.fromkeys(new, True))
        return "\n".join(new)

    def change(self, change: Callable[[Content], Content]) -> None:
        """Change the value; `save` changes the file in the same way."""
        with self._changing:
            self.now = change(self.now)
            self._changes.append(change)

    def load(self) -> None:
        try:
            self._take(self._read())
        except OSError as error:
            self._tell(f"could not be read: {reason(error)}. Using defaults; make it readable, or move it away.")

    def save(self) -> bool:
        """Write the changes to the file; False if that fails: they last for this run, or until it can be written."""
        with self._saving:
            with self._changing:
                changes, self._changes = self._changes, []
            if not changes:
                return True
            try:
                with file_lock(self._file):
                    saved = reduce(lambda content, change: change(content), changes, self._read())
                    replace_text(self._file, json.dumps(msgspec.to_builtins(saved), indent=1))
                self._take(saved)
            except OSError as error:
                self._changes = changes + self._changes
                self._tell(f"could not be saved: {reason(error)}. They last until you quit.")
                return False
            return True

    def _take(self, content: Content) -> None:
        with self._changing:
            self.now = reduce(lambda content, change: change(content), self._changes, content)

    def _read(self) -> Content:
        try:
            with open_plain(self._file) as opened:
                raw = opened.read(_MOST_BYTES + 1)
            if len(raw) <= _MOST_BYTES:
                # msgspec's own reader refuses half a surrogate pair
                found: Content = converted(json.loads(raw), type(self._usual))
                return found
        except FileNotFoundError:
            return self._usual
        except (ValueError, RecursionError):
            pass
        aside = put_aside(self._file)
        self._tell(f"were damaged{f'; the old file is now {aside}' if aside is not None else ''}. Using defaults.")
        return self._usual

    def _tell(self, words: str) -> None:
        self._notices.setdefault(visible_line(f"{self._what} {words}"), False)
