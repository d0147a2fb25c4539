"""How the panes stand, remembered between runs: how wide each is, and whether one has the whole screen.

It is remembered by the width of the terminal, because what is right on a wide one is wrong on a narrow one. A small JSON file
beside the other things that are remembered; of two programs that write at once, each changes only what its user changed.
"""

from __future__ import annotations

import json
import threading
from dataclasses import asdict, dataclass, replace
from math import isnan
from pathlib import Path
from typing import Any

from registry.storage.atomic_file import file_lock, replace_text
from tui.state.json_store import Notices, put_aside, read_json

_FILE = "panes.json"
FOR_THREE, _BROAD = 112, 160
"""From so many columns on, three panes have room side by side."""

TREE_RANGE, SHARE_RANGE = (20, 72), (0.4, 3.0)


@dataclass(frozen=True, slots=True)
class Layout:
    """How the panes stand.

    Attributes:
        tools: columns of the tools.
        form: the form's share of what is left.
        result: the result's.
        zoomed: whether the present pane has the whole screen.
    """

    tools: int = 36
    form: float = 1.0
    result: float = 1.3
    zoomed: bool = False


def room_of(columns: int) -> str:
    """The class of a terminal's width."""
    return "narrow" if columns < FOR_THREE else "usual" if columns < _BROAD else "broad"


def dragged(layout: Layout, pane: str, edge: int, columns: int) -> Layout:
    """A layout with the right edge of a pane elsewhere, as far as the panes may be wide.

    Args:
        layout: how the panes stand.
        pane: ``tools`` or ``form``.
        edge: the first column behind it.
        columns: the width of the terminal.
    """
    if pane == "tools":
        return replace(layout, tools=int(within(edge, TREE_RANGE)))
    both = layout.form + layout.result
    # Half a column more: shares are rounded down to whole columns.
    form = within(both * (edge - layout.tools + 0.5) / max(columns - layout.tools, 1), SHARE_RANGE)
    return replace(layout, form=round(form, 3), result=round(within(both - form, SHARE_RANGE), 3))


class Layouts:
    """The layouts by class of width. Safe to use from any thread; reading and writing files is not for the event loop.

    Attributes:
        notices: what the user should know about the file.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Remember in a folder; without one, for this run."""
        self.notices = Notices("The widths of the panes")
        self._file = folder / _FILE if folder is not None else None
        self._lock = threading.Lock()
        self._kept: dict[str, Layout] = {}
        self._changed: dict[str, Layout] = {}

    def of(self, room: str) -> Layout:
        """How the panes stand on such a terminal."""
        return self._changed.get(room) or self._kept.get(room) or Layout()

    def change(self, room: str, layout: Layout) -> None:
        """Let the panes stand otherwise; `save` writes it down."""
        self._changed[room] = layout

    def load(self) -> None:
        """Read the file."""
        with self._lock:
            self._kept = self._read()

    def save(self) -> None:
        """Write down what was changed; where that is not possible, it holds for this run."""
        with self._lock:
            changed = dict(self._changed)
            if not changed or self._file is None:
                return
            try:
                with file_lock(self._file):
                    kept = self._read() | changed
                    replace_text(self._file, json.dumps({room: asdict(layout) for room, layout in kept.items()}, indent=1))
            except OSError as error:
                self.notices.unwritable(error)
                return
            self._kept = kept
            for room, layout in changed.items():
                if self._changed.get(room) is layout:
                    del self._changed[room]

    def _read(self) -> dict[str, Layout]:
        if self._file is None or (content := read_json(self._file, self.notices)) is None:
            return {}
        try:
            return {room: _layout(content[room]) for room in ("narrow", "usual", "broad") if room in content}
        except (ValueError, TypeError, KeyError, OverflowError):
            put_aside(self._file, self.notices)
            return {}


def _layout(members: Any) -> Layout:
    """A layout as it stands in the file; every width within its bounds.

    Raises:
        ValueError, TypeError, KeyError: it is of another form.
    """
    form, result = (within(float(members[name]), SHARE_RANGE) for name in ("form", "result"))
    return Layout(int(within(int(members["tools"]), TREE_RANGE)), form, result, bool(members["zoomed"]))


def within(value: float, bounds: tuple[float, float]) -> float:
    """The value, or the bound that it is beyond. Raises ValueError for what is no number."""
    if isnan(value):
        raise ValueError("this is no number")
    return min(max(value, bounds[0]), bounds[1])
