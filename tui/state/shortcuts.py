"""The tools on top of the tree: favourites and recent ones, kept between runs.

A small JSON file beside the other things that are remembered; it holds names of tools and nothing of their arguments. Two
programs may write at the same time: each adds what its user did to what the file says then. Where it cannot be read or written,
that is reported once, and changes hold for this run only.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from registry.storage.atomic_file import file_lock, replace_text
from registry.storage.damaged_file import put_aside
from tui.state.json_store import Notices, read_json

_FILE, _LONGEST_NAME = "shortcuts.json", 300
_MOST_FAVOURITES, _MOST_RECENT = 30, 8


@dataclass(frozen=True, slots=True)
class _Kept:
    """What the file says. `by_effect` groups tools by what they do; `started` puts the guided start away."""

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
        """What is kept, with this done to it."""
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
    """Favourites, recent tools, and how the tools are grouped. Safe from any thread; files are not for the event loop.

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
        """The tools that were marked, in that order."""
        return self._done.on(self._kept).favourites

    @property
    def recent(self) -> tuple[str, ...]:
        """The tools that were run, the last one first."""
        return self._done.on(self._kept).recent

    @property
    def by_effect(self) -> bool:
        """Whether tools are grouped by what they do, and not by what they are about."""
        return self._done.on(self._kept).by_effect

    @property
    def started(self) -> bool:
        """Whether the guided start was put away."""
        return self._done.on(self._kept).started

    def mark(self, tool: str) -> bool:
        """Make a tool a favourite, or one no more; tells whether it is one now."""
        self._done.marks[tool] = tool not in self.favourites
        return self._done.marks[tool]

    def use(self, tool: str) -> None:
        """A tool was run."""
        self._done.used.append(tool)

    def group(self, *, by_effect: bool) -> None:
        """Group tools otherwise."""
        self._done.by_effect = by_effect

    def start(self) -> None:
        """Put the guided start away for good."""
        self._done.started = True

    def load(self) -> None:
        """Read the file."""
        with self._lock:
            self._kept = self._read()

    def save(self) -> None:
        """Write down what was done; where that is not possible, it is kept for this run."""
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
