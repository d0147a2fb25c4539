"""The tools at the top of the tree: favourites and recent ones, kept between runs.

A small JSON file in the folder of remembered data, with names of tools and none of their arguments. Two programs may
write at the same time: each adds its user's changes to the present file. If it cannot be read or written, that is reported
once, and changes last for this run only.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from registry.files.atomic_file import file_lock, replace_text
from registry.files.damaged_file import put_aside
from tui.state.json_store import Notices, read_json

_FILE, _LONGEST_NAME = "shortcuts.json", 300
_MOST_FAVOURITES, _MOST_RECENT = 30, 8


@dataclass(frozen=True, slots=True)
class _Kept:
    """The content of the file. `by_effect` groups tools by what they do; `started` hides the start page."""

    favourites: tuple[str, ...] = ()
    recent: tuple[str, ...] = ()
    by_effect: bool = False
    started: bool = False


@dataclass(slots=True)
class _Done:
    """The changes since the file was last written."""

    marks: dict[str, bool] = field(default_factory=dict)
    used: list[str] = field(default_factory=list)
    by_effect: bool | None = None
    started: bool | None = None

    def on(self, kept: _Kept) -> _Kept:
        """The content of a file with these changes."""
        favourites = [name for name in kept.favourites if self.marks.get(name, True)]
        favourites += [name for name, marked in self.marks.items() if marked and name not in favourites]
        recent = tuple(dict.fromkeys([*reversed(self.used), *kept.recent]))[:_MOST_RECENT]
        return replace(
            kept,
            favourites=tuple(favourites[-_MOST_FAVOURITES:]),
            recent=recent,
            by_effect=kept.by_effect if self.by_effect is None else self.by_effect,
            started=kept.started if self.started is None else self.started,
        )


class Shortcuts:
    """Favourites, recent tools, and the grouping. Safe in any thread; do not read or write the file on the event loop.

    Attributes:
        notices: what the user should know about the file.
    """

    def __init__(self, folder: Path) -> None:
        self.notices = Notices("Favourites and recent tools")
        self._file = folder / _FILE
        self._lock = threading.Lock()
        self._kept = _Kept()
        self._done = _Done()

    @property
    def favourites(self) -> tuple[str, ...]:
        """The favourite tools, in the order in which they were marked."""
        return self._done.on(self._kept).favourites

    @property
    def recent(self) -> tuple[str, ...]:
        """The tools run last, the latest first."""
        return self._done.on(self._kept).recent

    @property
    def by_effect(self) -> bool:
        """Whether tools are grouped by what they do, and not by what they are about."""
        return self._done.on(self._kept).by_effect

    @property
    def started(self) -> bool:
        """Whether the start page was hidden, or a tool was run."""
        return self._done.on(self._kept).started

    def mark(self, tool: str) -> bool:
        """Make a tool a favourite, or stop that; returns whether it is one now."""
        self._done.marks[tool] = tool not in self.favourites
        return self._done.marks[tool]

    def use(self, tool: str) -> None:
        """Record that a tool was run."""
        self._done.used.append(tool)

    def group(self, *, by_effect: bool) -> None:
        """Set how tools are grouped."""
        self._done.by_effect = by_effect

    def start(self) -> None:
        """Hide the start page for good."""
        self._done.started = True

    def load(self) -> None:
        """Read the file."""
        with self._lock:
            self._kept = self._read()

    def save(self) -> None:
        """Write the changes to the file; if that fails, they last for this run."""
        with self._lock:
            done = self._done
            if done == _Done():
                return
            self._done = _Done()
            try:
                with file_lock(self._file):
                    self._kept = done.on(self._read(replacing=True))
                    replace_text(self._file, json.dumps(_members(self._kept), indent=1))
            except OSError as error:
                self.notices.unwritable(error)
                self._kept = done.on(self._kept)

    def _read(self, *, replacing: bool = False) -> _Kept:
        content = read_json(self._file, self.notices, replacing=replacing)
        if content is None:
            return _Kept()
        try:
            favourites, recent = _names(content["favourites"]), _names(content["recent"])
            return _Kept(
                favourites[:_MOST_FAVOURITES], recent[:_MOST_RECENT], bool(content["by_effect"]), bool(content["started"])
            )
        except (ValueError, TypeError, KeyError):
            self.notices.broken(put_aside(self._file))
            return _Kept()


def _members(kept: _Kept) -> Mapping[str, Any]:
    return {
        "favourites": kept.favourites,
        "recent": kept.recent,
        "by_effect": kept.by_effect,
        "started": kept.started,
    }


def _names(names: Any) -> tuple[str, ...]:
    if not isinstance(names, list) or not all(isinstance(name, str) and len(name) <= _LONGEST_NAME for name in names):
        raise ValueError("tool names must be a list of strings")
    return tuple(names)
