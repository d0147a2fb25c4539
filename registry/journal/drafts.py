"""Unsent forms, kept so that they survive a crash, `kill -9` and a loss of power.

All running programs share one file of SQLite. Each draft has the mark of the process that it was typed in; drafts whose process
has ended are taken over by the program that looks first, so two programs never take each other's. Only their owner can read the
file. Secret arguments and credentials are never written.

A thread writes shortly after a key press, so that typing never waits for the disk.
"""

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from registry.files.folders import exists, put_aside, reason
from registry.files.process_mark import ProcessMark, is_running
from registry.journal.store import JournalError, Store
from registry.json_text import dumps, json_value, read_typed

_PAUSE, _PATIENCE = 0.4, 3.0
"""Seconds from a key press until the drafts are written, and how long the end of the program waits for that."""

_MOST, _MOST_BYTES = 40, 400_000
_OLDEST = 14 * 86_400.0
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS drafts (process TEXT NOT NULL, tool TEXT NOT NULL, at REAL NOT NULL, form TEXT NOT NULL, "
    "PRIMARY KEY (process, tool))",
)

Values = dict[str, object]


class Draft(Struct, frozen=True):
    """The values of a tool's form, and when they were typed, in Unix seconds."""

    tool: str
    at: float
    values: Mapping[str, object]


class Drafts:
    """The drafts of this program, and those that ended programs left. Safe from any thread.

    `hide` masks credentials before they are written. `tell` is called, from any thread, with what a person should know, and
    `notice` is why drafts cannot be read or saved.
    """

    def __init__(
        self,
        folder: Path,
        hide: Callable[[str], str] = lambda text: text,
        *,
        tell: Callable[[str], object] = lambda _: None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.notice = ""
        self._folder, self._store = folder, Store(folder / "drafts.db", _SCHEMA, "drafts")
        self._hide, self._tell, self._clock = hide, tell, clock
        self._mark: ProcessMark | None = None
        self._lock = threading.Lock()
        self._kept: dict[str, Draft] = {}
        self._left: dict[str, Draft] = {}
        self._settled: dict[str, Values] = {}
        self._writing = threading.Lock()
        self._timer: threading.Timer | None = None
        """Running while something is not written yet."""

    # What is typed

    def settle(self, tool: str, values: Mapping[str, object]) -> None:
        """Note that a form was run with these values, or filled with them by the program: they need not be saved."""
        with self._lock:
            self._settled[tool] = _plain(values)
            if (kept := self._kept.get(tool)) is not None and _same(kept.values, self._settled[tool]):
                del self._kept[tool]
                self._touch()

    def note(self, tool: str, values: Mapping[str, object], secret: Iterable[str] = ()) -> None:
        """Save the values of a form soon; `secret` names those that are never written."""
        without = set(secret)
        plain = _plain({name: value for name, value in values.items() if name not in without})
        with self._lock:
            kept = self._kept.get(tool)
            settled = {name: one for name, one in self._settled.get(tool, {}).items() if name not in without}
            unsent = bool(plain) and not _same(plain, settled)
            if not unsent if kept is None else dict(kept.values) == plain:
                return
            self._kept.pop(tool, None)
            if unsent:
                self._kept[tool] = Draft(tool, self._clock(), plain)
                while len(self._kept) > _MOST:
                    del self._kept[next(iter(self._kept))]
            self._touch()

    # Drafts of programs that ended

    def find(self) -> list[Draft]:
        """Take over the drafts that ended programs left; returns them, newest first. Blocks."""
        try:
            former = self._former()
            if former or exists(self._store.file):
                with self._writing:
                    self._write(former)
        except (JournalError, OSError) as error:
            if not isinstance(error, JournalError) or not error.damaged or not self._put_aside(self._store.file):
                self.notice = f"Cannot read drafts: {reason(error)}"
        return self.left

    def _put_aside(self, file: Path, ending: str | None = None) -> bool:
        if (aside := put_aside(file, ending)) is not None:
            self._tell(f"Some unsent forms are damaged and cannot be recovered; the old file is now {aside}.")
        return aside is not None

    @property
    def left(self) -> list[Draft]:
        """The drafts of ended programs that were neither recovered nor deleted, newest first."""
        with self._lock:
            return sorted(self._left.values(), key=lambda draft: -draft.at)

    def recover(self, tool: str) -> Values | None:
        """Take a draft of an ended program; from now on it counts as typed here."""
        with self._lock:
            if (draft := self._left.pop(tool, None)) is not None:
                self._kept[tool] = draft
                self._touch()
        return dict(draft.values) if draft is not None else None

    # Writing

    def close(self) -> None:
        """Write what is pending, and leave the drafts to the next program. Blocks."""
        last = threading.Thread(target=self._write_pending, name="drafts", daemon=True)
        last.start()
        last.join(_PATIENCE)
        if self._mark is not None:
            self._mark.end()

    def _touch(self) -> None:
        """Write soon; the caller holds the lock."""
        if self._timer is None:
            self._timer = threading.Timer(_PAUSE, self._write_pending)
            self._timer.daemon = True
            self._timer.start()

    def _write_pending(self) -> None:
        with self._writing:
            with self._lock:
                timer, self._timer = self._timer, None
            if timer is None or self.notice:
                return
            timer.cancel()
            try:
                self._write()
            except (JournalError, OSError, ValueError) as error:
                self.notice = f"Cannot save drafts; unsent forms will be lost on exit: {reason(error)}"
                self._tell(self.notice)

    def _write(self, former: Iterable[Draft] = ()) -> None:
        """Write our drafts, after taking over those of ended programs, and `former` ones."""
        with self._store.writing() as database:
            self._mark = self._mark or ProcessMark(self._folder)
            found, us = list(former), self._mark.name
            for (name,) in database.execute("SELECT DISTINCT process FROM drafts").fetchall():
                if name != us and not is_running(self._folder, name):
                    rows = database.execute("SELECT tool, at, form FROM drafts WHERE process = ?", (name,)).fetchall()
                    found += [draft for row in rows if (draft := _draft(*row)) is not None]
                    database.execute("DELETE FROM drafts WHERE process = ?", (name,))
            database.execute("DELETE FROM drafts WHERE process = ?", (us,))
            with self._lock:
                known = [*self._left.values(), *(one for one in found if self._clock() - one.at < _OLDEST)]
                self._left = {one.tool: one for one in sorted(known, key=lambda one: one.at)}
                drafts = sorted({**self._left, **self._kept}.values(), key=lambda draft: -draft.at)
            size = 0
            for draft in drafts[:_MOST]:
                form = self._hide(dumps(draft.values))
                size += len(form)
                if size <= _MOST_BYTES:
                    row = (us, draft.tool, draft.at, form.encode("utf-8", "surrogatepass"))
                    database.execute("INSERT INTO drafts VALUES (?, ?, ?, ?)", row)

    def _former(self) -> list[Draft]:
        """The drafts in the JSON files of earlier versions, which are removed; a damaged one is renamed."""
        found: list[Draft] = []
        for file in sorted(self._folder.glob("*.json")) if self._folder.is_dir() else ():
            try:
                content = read_typed(file.read_text("utf-8", "surrogatepass"))
                found += [Draft(one["tool"], float(one["at"]), _plain(one["values"])) for one in content["drafts"]]
                file.unlink()
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
                self._put_aside(file, "")
            with suppress(OSError):
                file.with_suffix(".lock").unlink()
        return found


def _draft(tool: str, at: float, form: bytes) -> Draft | None:
    """A stored row as a draft; None if it is damaged."""
    with suppress(ValueError, TypeError, RecursionError):
        return Draft(tool, at, _plain(read_typed(form.decode("utf-8", "surrogatepass"))))
    return None


def _plain(values: Mapping[str, object]) -> Values:
    """Values as a form holds them: texts, lists, and JSON values with numbers as they were written."""
    return {name: json_value(value) for name, value in values.items() if value is not None}


def _same(values: Mapping[str, object], others: Mapping[str, object]) -> bool:
    """Whether two forms hold the same values: the program fills in typed values, while fields hold booleans as text."""

    def typed(form: Mapping[str, object]) -> Values:
        return {name: str(one).lower() if isinstance(one, bool) else one for name, one in form.items()}

    return typed(values) == typed(others)
