"""How wide the panes are: following the focus, or fixed by the user, which is remembered between runs.

Fixed widths are stored by the width of the terminal, because what is right on a wide one is wrong on a narrow one. A small
JSON file in the folder of remembered data; if two programs write at the same time, each changes only what its user changed.
"""

from __future__ import annotations

import json
import threading
from dataclasses import asdict, dataclass, replace
from math import isnan
from pathlib import Path
from typing import Any

from registry.files.atomic_file import file_lock, replace_text
from registry.files.damaged_file import put_aside
from tui.state.json_store import Notices, read_json

_FILE = "panes.json"
FOR_THREE, _BROAD = 100, 160
"""From so many columns on, three panes fit side by side; from so many, all of them have enough room."""

_LINES = 2
TREE_RANGE, FORM_RANGE, _LEAST_RESULT = (20, 72), (24, 120), 30
_READING, _TYPING, _CHOOSING, _AT_EASE = (24, 26), (24, 44), (34, 28), (30, 44)


@dataclass(frozen=True, slots=True)
class Layout:
    """How wide the panes are, in columns without the lines between them; the result has what is left.

    Attributes:
        tools: the width of the tools.
        form: the width of the form.
        held: whether they are fixed, and do not follow the focus.
    """

    tools: int = 24
    form: int = 26
    held: bool = False


def room_of(columns: int) -> str:
    """The name for a terminal's width: ``narrow``, ``usual`` or ``broad``."""
    return "narrow" if columns < FOR_THREE else "usual" if columns < _BROAD else "broad"


def following(columns: int, here: str) -> Layout:
    """The widths with the focus in a pane (``tools``, ``form`` or ``result``) on a terminal of so many columns.

    The focused pane gets the room; from 160 columns on every pane has enough, and nothing moves.
    """
    if columns >= _BROAD:
        return fitting(Layout(*_AT_EASE), columns)
    tools, form = _TYPING if here == "form" else _CHOOSING if here == "tools" else _READING
    # The focused form keeps its share of the room at 120 columns; without the focus it needs no more on wider terminals.
    return fitting(Layout(tools, round(form * (columns - tools - _LINES) / (118 - tools)) if here == "form" else form), columns)


def fitting(layout: Layout, columns: int) -> Layout:
    """A layout within the bounds of each pane and the width of the terminal."""
    tools = int(within(layout.tools, TREE_RANGE))
    most = max(columns - _LINES - tools - _LEAST_RESULT, FORM_RANGE[0])
    return replace(layout, tools=tools, form=min(int(within(layout.form, FORM_RANGE)), most))


def dragged(layout: Layout, pane: str, edge: int, columns: int) -> Layout:
    """A fixed layout with the right edge of a pane moved, within the limits of the panes.

    Args:
        layout: the present widths.
        pane: ``tools`` or ``form``.
        edge: the first column after its line.
        columns: the width of the terminal.
    """
    changed = replace(layout, tools=edge - 1) if pane == "tools" else replace(layout, form=edge - layout.tools - _LINES)
    return fitting(replace(changed, held=True), columns)


class Layouts:
    """The layouts by `room_of` the terminal. Safe to use from any thread; do not read or write the file on the event loop.

    Attributes:
        notices: what the user should know about the file.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Make it; without a folder, layouts are remembered for this run only."""
        self.notices = Notices("Pane widths")
        self._file = folder / _FILE if folder is not None else None
        self._lock = threading.Lock()
        self._kept: dict[str, Layout] = {}
        self._changed: dict[str, Layout] = {}

    def of(self, room: str) -> Layout:
        """The fixed widths for such a terminal; `held` is false if they follow the focus."""
        return self._changed.get(room) or self._kept.get(room) or Layout()

    def change(self, room: str, layout: Layout) -> None:
        """Fix other widths, or none; `save` writes them to the file."""
        self._changed[room] = layout

    def load(self) -> None:
        """Read the file."""
        with self._lock:
            self._kept = self._read()

    def save(self) -> None:
        """Write the changes to the file; if that fails, they last for this run."""
        with self._lock:
            changed = dict(self._changed)
            if not changed or self._file is None:
                return
            try:
                with file_lock(self._file):
                    kept = self._read(replacing=True) | changed
                    replace_text(self._file, json.dumps({room: asdict(layout) for room, layout in kept.items()}, indent=1))
            except OSError as error:
                self.notices.unwritable(error)
                return
            self._kept = kept
            for room, layout in changed.items():
                if self._changed.get(room) is layout:
                    del self._changed[room]

    def _read(self, *, replacing: bool = False) -> dict[str, Layout]:
        if self._file is None or (content := read_json(self._file, self.notices, replacing=replacing)) is None:
            return {}
        try:
            if not isinstance(content, dict):
                raise TypeError("it is not an object")
            return {room: _layout(content[room]) for room in ("narrow", "usual", "broad") if room in content}
        except (ValueError, TypeError, KeyError, OverflowError):
            self.notices.broken(put_aside(self._file))
            return {}


def _layout(members: Any) -> Layout:
    """A layout from the file, with every width within its bounds. One without `held` is from an older version.

    Raises:
        ValueError, TypeError, KeyError, OverflowError: it is invalid.
    """
    tools, form = (int(within(float(members[name]), bounds)) for name, bounds in (("tools", TREE_RANGE), ("form", FORM_RANGE)))
    return Layout(tools, form, held=True) if members.get("held") is True else Layout()


def within(value: float, bounds: tuple[float, float]) -> float:
    """The value, or the bound that it is beyond. Raises ValueError for NaN."""
    if isnan(value):
        raise ValueError("not a number")
    return min(max(value, bounds[0]), bounds[1])
