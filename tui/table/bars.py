"""A list as bars instead of rows: one line for each group, with its label, its bar and its number.

What can be drawn, and the groups, are found in `registry.results.grouping`, over the rows that the table shows.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.segment import Segment
from textual import work
from textual.message import Message

from registry.results.cells import tone_of
from registry.results.grouping import Bar, Grouping, Picture, grouped
from registry.results.spool import Cancelled
from registry.text.shown import counted
from tui.keyboard.commands import bindings
from tui.widgets.line_list import STATES, LineList, component_css
from tui.widgets.texts import in_cells

_STYLES = {
    "head": "color: $text-muted",
    "strong": "color: $text; text-style: bold",
    "label": "color: $text",
    "plain": "color: $text-accent",
    "waits": "color: $text-muted",
    "over": "color: $text-muted",
    **{state: f"color: {colour}" for state, colour in STATES.items()},
}
_LABEL, _SHORTEST = 28, 8
_EIGHTHS = " ▏▎▍▌▋▊▉"


def bar_of(share: float, width: int) -> str:
    """A bar in so many cells, in eighths of a cell; a hatched one for less than nothing. What is not nothing is seen."""
    if not share:
        return ""
    whole, part = divmod(max(int(abs(share) * width * 8), 1), 8)
    return "▒" * max(whole, 1) if share < 0 else "█" * whole + _EIGHTHS[part].strip()


class BarsView(LineList):
    """The bars of a list. The left and right keys choose the columns; Enter on a bar shows its rows."""

    BINDINGS = bindings("bars")
    COMPONENT_CLASSES = {f"bars--{name}" for name in _STYLES}
    DEFAULT_CSS = component_css("BarsView", "bars", _STYLES)

    heading = 1
    double_click = "choose"

    @dataclass
    class Chosen(Message):
        """Go back to the table, and show only the rows of this filter; all of them if it is empty."""

        filter: str

    class Drawn(Message):
        """Other bars are shown."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._items: Sequence[bytes] = ()
        self._rows: Sequence[int] = ()
        self._pictures: list[Picture] = []
        self._at = 0
        self.grouping: Grouping | None = None
        self._bars: Sequence[Bar] = ()
        self._widths = 0, 0  # the widest label and the widest number
        self.whole_has = ""
        self.name_of: Callable[[str], str] | None = None
        self._work: object = None

    def show(self, items: Sequence[bytes], rows: Sequence[int], found: Sequence[Picture], whole_has: str) -> None:
        """Draw the first picture of these rows of a list, which may be a part of one that is longer."""
        self._items, self._rows, self._pictures, self.whole_has = items, rows, list(found), whole_has
        self._at, self.grouping, self._bars = 0, None, ()
        self.lines_replaced()
        self._draw()

    @property
    def line_count(self) -> int:
        return len(self._bars)

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
        self.grouping, self._bars = found, found.bars
        numbers = (cell_len(one.words) for one in found.bars if one.share is not None)
        self._widths = max((cell_len(self._label(one)) for one in found.bars), default=0), max(numbers, default=0)
        self.lines_changed(cursor=next((place for place, one in enumerate(found.bars) if one.share is not None), 0))
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
            Segment(in_cells(part, room), self.style("bars--warn")),
            Segment(count, self.style("bars--head")),
        ]

    def draw(self, line: int, width: int) -> list[Segment]:
        one = self._bars[line]
        here = Segment("›" if line == self.cursor and self.has_focus else " ", self.style("bars--label"))
        if one.share is None:
            words = f"{one.sum} in {counted(one.rows, 'row')}"
            return [here, Segment(in_cells(words, width - 1), self.style("bars--strong"))]
        labels, numbers = self._widths
        label_room = min(labels, _LABEL, max(width - numbers - _SHORTEST - 5, 4))
        room = max(width - label_room - numbers - 5, 1)
        is_state = self.grouping is not None and self.grouping.picture.by.is_state
        tone = "bad" if one.share < 0 else tone_of(one.label) if is_state else "plain"
        return [
            here,
            Segment(in_cells(self._label(one), label_room) + "  ", self.style("bars--label")),
            Segment(in_cells(bar_of(one.share, room), room) + "  ", self.style(f"bars--{tone}")),
            Segment(in_cells(one.words, numbers, to_the_right=True), self.style("bars--label" if one.rows else "bars--head")),
        ]

    def _label(self, bar: Bar) -> str:
        grouping = self.grouping
        if grouping is not None and not grouping.unit and self.name_of is not None and (name := self.name_of(bar.label)):
            return name
        return bar.label.replace("_", " ") if grouping is not None and grouping.picture.by.is_state else bar.label

    # Keys

    def action_unfold(self) -> None:
        self._turn(1)

    def action_fold(self) -> None:
        self._turn(-1)

    def _turn(self, step: int) -> None:
        if len(self._pictures) > 1:
            self._at = (self._at + step) % len(self._pictures)
            self._draw()

    def action_choose(self) -> None:
        if self._bars and (chosen := self._bars[self.cursor].filter):
            self.post_message(self.Chosen(chosen))

    def action_close(self) -> None:
        self.post_message(self.Chosen(""))
