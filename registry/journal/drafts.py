"""Unsent forms, kept so that they survive a crash, `kill -9` and a loss of power.

Each running program has its own file, and holds a lock beside it while it runs. A file whose lock is free was left by a program
that ended; the program that gets the lock takes the file over, so two programs never take each other's drafts. Only their owner
can read the files; they are written completely, then put in place at once, and bounded in size. Secret arguments and
credentials are never written.

A thread writes shortly after the last key press, so that typing never waits for the disk.
"""

from __future__ import annotations

import fcntl
import os
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from registry.calling.exact_json import dumps, json_value, loads
from registry.files.atomic_file import unnamed_file as unfinished
from registry.files.damaged_file import put_aside
from registry.files.folders import private_folder
from registry.files.plain_file import open_plain
from registry.files.reasons import reason

PAUSE, _LONGEST_PAUSE = 0.4, 2.0
"""Seconds without a key press before a draft is written, and the longest wait while keys are pressed."""

_MOST, _MOST_BYTES, _MOST_OLD_FILES = 40, 400_000, 50
_OLDEST = 14 * 86_400.0
_ENDING, _LOCK = ".json", ".lock"

Values = dict[str, object]


@dataclass(frozen=True, slots=True)
class Draft:
    """The values of a tool's form, and when they were typed, in Unix seconds."""

    tool: str
    at: float
    values: Mapping[str, object]


class Drafts:
    """The drafts of this program, and those that ended programs left. Safe from any thread.

    Args:
        folder: the folder of the files; created with the first draft.
        hide: masks credentials in a text before it is written.
        tell: called, from any thread, with what a person should know: drafts can no longer be saved, or some were damaged.
        clock: Unix seconds.

    Attributes:
        notice: why drafts cannot be read or saved; empty while they can.
    """

    def __init__(
        self,
        folder: Path,
        hide: Callable[[str], str] = lambda text: text,
        *,
        tell: Callable[[str], None] = lambda _: None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.notice = ""
        self._folder = folder
        self._hide = hide
        self._tell = tell
        self._clock = clock
        self._stem = f"{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self._changed = threading.Condition()
        self._kept: dict[str, Draft] = {}
        self._left: dict[str, Draft] = {}
        self._settled: dict[str, Values] = {}
        self._writing = threading.Lock()
        self._lock: int | None = None
        self._writer: threading.Thread | None = None
        self._dirty_since: float | None = None
        self._last_change = 0.0
        self._closed = False

    # What is typed

    def settle(self, tool: str, values: Mapping[str, object]) -> None:
        """Note that a form was run with these values, or filled with them by the program: they need not be saved."""
        with self._changed:
            self._settled[tool] = _plain(values)
            if (kept := self._kept.get(tool)) is not None and _same(kept.values, self._settled[tool]):
                del self._kept[tool]
                self._touch()

    def note(self, tool: str, values: Mapping[str, object], secret: Iterable[str] = ()) -> None:
        """Save the values of a form soon; `secret` names those that are never written."""
        without = set(secret)
        plain = _plain({name: value for name, value in values.items() if name not in without})
        with self._changed:
            kept = self._kept.get(tool)
            settled = {name: one for name, one in self._settled.get(tool, {}).items() if name not in without}
            if not plain or _same(plain, settled):
                if kept is None:
                    return
                del self._kept[tool]
            elif kept is not None and dict(kept.values) == plain:
                return
            else:
                self._kept.pop(tool, None)
                self._kept[tool] = Draft(tool, self._clock(), plain)
                while len(self._kept) > _MOST:
                    del self._kept[next(iter(self._kept))]
            self._touch()

    # Drafts of programs that ended

    def find(self) -> list[Draft]:
        """Take over the drafts that ended programs left; returns them, newest first. Blocks."""
        if self._folder.is_dir():
            try:
                for file in sorted(self._folder.glob(f"*{_ENDING}"))[:_MOST_OLD_FILES]:
                    self._take_over(file)
            except OSError as error:
                self.notice = f"Cannot read drafts: {error.strerror or error}"
        return self.left

    @property
    def left(self) -> list[Draft]:
        """The drafts of ended programs that were neither recovered nor deleted, newest first."""
        with self._changed:
            return sorted(self._left.values(), key=lambda draft: -draft.at)

    def recover(self, tool: str) -> Values | None:
        """Take a draft of an ended program; from now on it counts as typed here."""
        with self._changed:
            draft = self._left.pop(tool, None)
            if draft is None:
                return None
            self._kept[tool] = draft
            self._touch()
            return dict(draft.values)

    def forget(self, tools: Iterable[str]) -> None:
        """Delete drafts of ended programs."""
        with self._changed:
            for tool in tools:
                self._left.pop(tool, None)
            self._touch()

    # Writing

    def close(self) -> None:
        """Write what is pending, end the thread, and release the file's lock, which is removed if there is no draft. Blocks."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._writer is not None:
            self._writer.join(3.0)
        if self._lock is not None:
            if not (self._folder / f"{self._stem}{_ENDING}").exists():
                (self._folder / f"{self._stem}{_LOCK}").unlink(missing_ok=True)
            os.close(self._lock)
            self._lock = None

    def _touch(self) -> None:
        """Note that there is something to write, and start the thread if needed; the caller holds the condition."""
        self._last_change = time.monotonic()
        if self._dirty_since is None:
            self._dirty_since = self._last_change
        if self._writer is None and not self._closed:
            self._writer = threading.Thread(target=self._write_all, name="drafts", daemon=True)
            self._writer.start()
        self._changed.notify_all()

    def _write_all(self) -> None:
        while True:
            with self._changed:
                while not self._closed and (wait := self._pause()) != 0:
                    self._changed.wait(wait)
                closed, is_dirty = self._closed, self._dirty_since is not None
                self._dirty_since = None
            if is_dirty and not self.notice:
                try:
                    self._write()
                except (OSError, ValueError) as error:
                    self.notice = f"Cannot save drafts; unsent forms will be lost on exit: {reason(error, self._folder)}"
                    self._tell(self.notice)
            if closed:
                return

    def _pause(self) -> float | None:
        """Seconds until it is time to write; None while there is nothing to write."""
        if self._dirty_since is None:
            return None
        now = time.monotonic()
        return max(min(self._last_change + PAUSE, self._dirty_since + _LONGEST_PAUSE) - now, 0.0)

    def _write(self) -> None:
        with self._writing:
            self._write_alone()

    def _write_alone(self) -> None:
        file = self._folder / f"{self._stem}{_ENDING}"
        entries: list[str] = []
        size = 0
        with self._changed:
            drafts = sorted({**self._left, **self._kept}.values(), key=lambda draft: -draft.at)
        for draft in drafts[:_MOST]:
            entry = self._hide(dumps({"tool": draft.tool, "at": draft.at, "values": draft.values}))
            size += len(entry)
            if size <= _MOST_BYTES:
                entries.append(entry)
        if not entries:
            file.unlink(missing_ok=True)
            return
        private_folder(self._folder)
        if self._lock is None:
            self._lock = _locked(file.with_suffix(_LOCK))
        with unfinished(self._folder, self._stem) as whole:
            whole.file.write(('{"drafts": [\n' + ",\n".join(entries) + "\n]}\n").encode("utf-8", "surrogatepass"))
            whole.place(file, replace=True)
        _make_last(self._folder)

    def _take_over(self, file: Path) -> None:
        """Read a file whose lock is free, and copy its drafts into our own file before removing it."""
        lock = file.with_suffix(_LOCK)
        if file.stem == self._stem or (handle := _locked(lock)) is None:
            return
        try:
            if file.exists():  # otherwise another program was faster
                found, damaged = _read(file)
                with self._changed:
                    for draft in found:
                        if self._clock() - draft.at < _OLDEST and draft.at > self._at(draft.tool):
                            self._left[draft.tool] = draft
                self._write()
                if not damaged:
                    file.unlink()
                elif (aside := put_aside(file, "")) is not None:
                    self._tell(f"Some unsent forms are damaged and cannot be recovered; the old file is now {aside}.")
            lock.unlink()
        finally:
            os.close(handle)

    def _at(self, tool: str) -> float:
        known = self._left.get(tool)
        return known.at if known is not None else 0.0


def _plain(values: Mapping[str, object]) -> Values:
    """Values as a form holds them: texts, lists, and JSON values with numbers as they were written."""
    return {name: json_value(value) for name, value in values.items() if value is not None}


def _same(values: Mapping[str, object], others: Mapping[str, object]) -> bool:
    """Whether two forms hold the same values: the program fills in typed values, while fields hold booleans as text."""
    words = {True: "true", False: "false"}
    texts = [
        {name: words[value] if isinstance(value, bool) else value for name, value in one.items()} for one in (values, others)
    ]
    return texts[0] == texts[1]


def _make_last(folder: Path) -> None:
    """Sync a folder's entries to disk, so that a power failure loses nothing."""
    if sys.platform != "win32":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _locked(file: Path) -> int | None:
    """Take a lock that is released when the program ends, in any way; None if another program holds it."""
    handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    if sys.platform != "win32":
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            return None
    return handle


def _read(file: Path) -> tuple[list[Draft], bool]:
    """The valid drafts in a file, and whether anything else is in it."""
    found: list[Draft] = []
    with open_plain(file) as opened:
        text = opened.read(_MOST_BYTES * 4 + 1)
    try:
        entries: Any = loads(text.decode("utf-8", "surrogatepass"))["drafts"] if text.strip() else []
        for one in entries:
            tool, at, values = one["tool"], float(one["at"]), one["values"]
            if not isinstance(tool, str) or not isinstance(values, dict):
                return found, True
            found.append(Draft(tool, at, _plain(values)))
    except (ValueError, TypeError, KeyError, RecursionError):
        return found, True
    return found, False
