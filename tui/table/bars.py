"""A list as bars instead of rows: one line for each group, with its label, its bar and its number.

What can be drawn, and the groups, are found in `registry.results.grouping`, over the rows that the table shows.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from decimal import Decimal

from msgspec import Struct
from rich.cells import cell_len
from rich.segment import Segment
from textual import work
from textual.message import Message

from registry.results.cells import tone_of
from registry.results.grouping import Bar, Bars, Grouping, Picture, grouped
from registry.results.table import Cancelled
from registry.text.readings import counted
from tui.keyboard.commands import bindings
from tui.table.layout import fitted
from tui.table.styles import TONES
from tui.widgets.line_list import LineList, component_css

_STYLES = {
    "head": "color: $text-muted",
    "strong": "color: $text; text-style: bold",
    "label": "color: $text",
    "quiet": "color: $text-muted",
    "plain": "color: $text-accent",
    "waits": "color: $text-muted",
    "over": "color: $text-muted",
    "good": "color: $text-success",
    "warn": "color: $text-warning",
    "bad": "color: $text-error",
}
_LABEL, _SHORTEST = 28, 8
_EIGHTHS = " ▏▎▍▌▋▊▉"


class _Line(Struct, frozen=True):
    """A line: a group of a part, or the part's heading without one."""

    part: Bars
    bar: Bar | None = None

    @property
    def filter(self) -> str:
        return self.part.filter if self.bar is None else self.bar.filter


def bar_of(size: Decimal, largest: Decimal, width: int) -> str:
    """A bar in so many cells, in eighths of a cell; a hatched one for less than nothing. What is not nothing is seen."""
    if not largest or not size:
        return ""
    eighths = max(int(abs(size) * width * 8 / largest), 1)
    whole, part = divmod(eighths, 8)
    return "▒" * max(whole, 1) if size < 0 else "█" * whole + _EIGHTHS[part].strip()


class BarsView(LineList):
    """The bars of a list. The left and right keys choose the columns; Enter on a bar shows its rows."""

    BINDINGS = bindings("bars")
    COMPONENT_CLASSES = {f"bars--{name}" for name in _STYLES}
    DEFAULT_CSS = component_css("BarsView", "bars", _STYLES)

    heading = 1

    class Chosen(Message):
        """Go back to the table, and show only the rows of this filter; all of them if it is empty."""

        def __init__(self, filter: str) -> None:  # noqa: A002
            super().__init__()
            self.filter = filter

    class Drawn(Message):
        """Other bars are shown."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._items: Sequence[bytes] = ()
        self._rows: Sequence[int] = ()
        self._pictures: list[Picture] = []
        self._at = 0
        self.grouping: Grouping | None = None
        self._lines: list[_Line] = []
        self.whole_has = ""
        self.name_of: Callable[[str], str] | None = None
        self._work: object = None

    def show(self, items: Sequence[bytes], rows: Sequence[int], found: Sequence[Picture], whole_has: str) -> None:
        """Draw the first picture of these rows of a list, which may be a part of one that is longer."""
        self._items, self._rows, self._pictures, self.whole_has = items, rows, list(found), whole_has
        self._at, self.grouping, self._lines = 0, None, []
        self.lines_replaced()
        self._draw()

    @property
    def line_count(self) -> int:
        return len(self._lines)

    @property
    def title(self) -> str:
        """What the bars show, in words: ``amount by week of created``."""
        if self.grouping is None:
            return "Counting…"
        picture, unit = self.grouping.picture, self.grouping.unit
        what = picture.amount.heading if picture.amount is not None else "rows"
        by = f"{unit} of {picture.by.title.replace('_', ' ')}" if unit else picture.by.heading
        return f"{what} by {by}"

    @property
    def part(self) -> str:
        """How many rows they are, and of how many."""
        return f"{counted(len(self._rows), 'row')}{', ' * self.whole_has.startswith('more')}{self.whole_has}"

    @property
    def words(self) -> str:
        """Which rows they are, and which are left out."""
        parts = [self.part]
        if self.grouping is not None and self.grouping.without:
            parts.append(f"{self.grouping.without:,} without an amount")
        if self.grouping is not None and self.grouping.unit:
            parts.append("times in UTC")
        return " · ".join(parts)

    @work(group="open", exit_on_error=False)
    async def _draw(self) -> None:
        """Group the rows in a thread; a later picture cancels it."""
        mine = self._work = object()

        def check(_: int) -> None:
            if self._work is not mine:
                raise Cancelled

        try:
            found = await asyncio.to_thread(grouped, self._items, self._rows, self._pictures[self._at], check)
        except Cancelled:
            return
        if self._work is not mine:
            return
        several = len(found.parts) > 1
        self.grouping = found
        self._lines = [
            line for part in found.parts for line in ([_Line(part)] * several + [_Line(part, one) for one in part.bars])
        ]
        self.lines_changed(cursor=1 if several else 0)
        self.post_message(self.Drawn())

    # Drawing

    def draw_heading(self, line: int, width: int) -> list[Segment]:
        """What is drawn, and how many other pictures there are."""
        count = f" ‹ {self._at + 1} of {len(self._pictures)} › " if len(self._pictures) > 1 else ""
        part = f"  {self.part}" if self.whole_has else ""
        title = f" {self.title}"[: max(width - cell_len(part + count), 0)]
        room = max(width - cell_len(title + count), 0)
        return [
            Segment(title, self.style("bars--strong")),
            Segment(fitted(part, room), self.style("bars--warn")),
            Segment(count, self.style("bars--head")),
        ]

    def draw(self, line: int, width: int) -> list[Segment]:
        """A group's label, bar and number; or the heading of a currency with its sum."""
        one = self._lines[line]
        here = Segment("›" if line == self.cursor and self.has_focus else " ", self.style("bars--label"))
        if one.bar is None:
            words = f"{one.part.words(one.part)} in {counted(one.part.rows, 'row')}"
            return [here, Segment(fitted(words, width - 1), self.style("bars--strong"))]
        labels = max(cell_len(self._label(other)) for other in self._lines if other.bar is not None)
        numbers = max(cell_len(self._number(other)) for other in self._lines if other.bar is not None)
        label_room = min(labels, _LABEL, max(width - numbers - _SHORTEST - 5, 4))
        room = max(width - label_room - numbers - 5, 1)
        largest = max(abs(one.part.size(bar)) for bar in one.part.bars)
        size = one.part.size(one.bar)
        bar = bar_of(size, largest, room)
        tone = "bad" if size < 0 else self._tone(one.bar.label)
        return [
            here,
            Segment(fitted(self._label(one), label_room), self.style("bars--label")),
            Segment("  "),
            Segment(fitted(bar, room), self.style(f"bars--{tone}")),
            Segment("  "),
            Segment(
                fitted(self._number(one), numbers, to_the_right=True),
                self.style("bars--label" if one.bar.rows else "bars--quiet"),
            ),
        ]

    def _label(self, line: _Line) -> str:
        assert line.bar is not None
        label, grouping = line.bar.label, self.grouping
        if self.name_of is not None and grouping is not None and not grouping.unit and (name := self.name_of(label)):
            return name
        return label.replace("_", " ") if grouping is not None and grouping.picture.by.is_state else label

    def _number(self, line: _Line) -> str:
        """The sum and how many rows it is of; or how many rows."""
        assert line.bar is not None
        words = line.part.words(line.bar)
        return f"{words} · {line.bar.rows:,}" if line.part.currency else words

    def _tone(self, label: str) -> str:
        grouping = self.grouping
        tone = tone_of(label) if grouping is not None and grouping.picture.by.is_state else "plain"
        return tone if tone in TONES else "plain"

    # Keys

    def action_unfold(self) -> None:
        """Draw the next picture; after the last one the first."""
        self._turn(1)

    def action_fold(self) -> None:
        """Draw the previous picture; before the first one the last."""
        self._turn(-1)

    def _turn(self, step: int) -> None:
        if len(self._pictures) > 1:
            self._at = (self._at + step) % len(self._pictures)
            self._draw()

    def action_choose(self) -> None:
        """Show the rows of the bar at the cursor in the table."""
        if self._lines and (chosen := self._lines[self.cursor].filter):
            self.post_message(self.Chosen(chosen))

    def action_close(self) -> None:
        """Go back to the table as it was."""
        self.post_message(self.Chosen(""))

    def clicked(self, line: int, times: int) -> None:
        """Show the rows of a bar on a double click."""
        if times > 1:
            self.action_choose()
