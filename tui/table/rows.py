"""The rows of a table: which columns and which items, in which order, the texts of their lines, and the dialog for columns.

Rows are filtered and sorted in threads. The first column stays; the others scroll beside it. As many as fit are visible: long
texts are cut for that before a column is left out. The room that is left goes to those that are cut, most of it to the first
of them, which says what a row is.

A cell is drawn for people: a state with its sign, a time as its distance from now, an id as its object's name if known.
Filtering, sorting, copying and saving use the value itself.
"""

import re
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import accumulate
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace
from rich.cells import cell_len
from textual.binding import Binding
from textual.content import Content

from registry.calling.receiving import MASKED, is_sensitive, mask
from registry.json_text import NotJson, as_text, lay_out
from registry.pages.page import RowHead
from registry.results.cells import SIGNS, Cell, Tone, tone_of
from registry.results.columns import CellReader, Column, Columns, columns_in, sample
from registry.results.declared import ListedObject
from registry.results.formats import line
from registry.results.spool import pick, string, values_of
from registry.results.table import Check, Filter, Order, order
from registry.text.shown import exact_json, exact_text, shortened, visible, visible_json, when
from tui.dialogs.dialog import Keys, RowsDialog

_FIRST = {
    "time": ("oldest first", "newest first"),
    "number": ("lowest first", "highest first"),
    "money": ("lowest first", "highest first"),
}
_OTHERS = ("A to Z", "Z to A")


class Found(Struct, frozen=True):
    """What is known about a list before it is shown: its columns, and the items in which they were found.

    `listed` is what is declared about such lists; `head` the head of its page. `lead` is a column that is
    always shown, and the first one at the start, because rows could not be distinguished without it.
    """

    columns: Columns
    sample: list[bytes]
    listed: ListedObject | None = None
    lead: Column | None = None
    head: Callable[[bytes], RowHead] | None = None


def find(
    items: Sequence[bytes],
    listed: ListedObject | None = None,
    lead: str = "",
    head: Callable[[bytes], RowHead] | None = None,
) -> Found:
    """Find the columns of a list; `listed` is what is declared about such lists, the column named `lead` comes first."""
    taken = sample(items)
    columns = columns_in(taken, listed.columns if listed else {})
    first = next((one for one in columns.all if lead and one.path == (lead,)), None)
    if first is not None:
        columns = replace(columns, first=(first, *(one for one in columns.first if one is not first)))
    return Found(columns, taken, listed, first, head)


def arrange(
    items: Sequence[bytes],
    shown: Sequence[Column],
    every: Sequence[Column],
    wanted: str,
    by: Column | None,
    descending: bool,
    check: Check,
) -> Order | None:
    """The indexes of the items that match the filter, in order; None for all items in their original order.

    Raises:
        BadFilter: the filter is invalid.
        Cancelled: `check` raised it.
    """
    among = Filter(wanted, shown, every).matching(items, check=check) if wanted.strip() else None
    return order(items, by, descending=descending, among=among, check=check) if by is not None else among


def row_of(order: Order, place: int) -> int | None:
    """The row of an item; None if it is filtered out."""
    return order.index(place) if place in order else None


def order_words(column: Column, *, descending: bool, currencies: int = 0) -> str:
    """``created, oldest first``; for amounts in several currencies also that they are compared as numbers."""
    words = f"{column.title}, {_FIRST.get(column.kind, _OTHERS)[descending]}"
    return f"{words}, by number: {currencies} currencies" if currencies > 1 else words


_SHOWN = 60


class ColumnsDialog(RowsDialog["list[Column]"]):
    """Returns the columns to show, in order. The list has the shown columns first, then all others.

    Args:
        columns: all columns, and those that the data suggests.
        shown: the columns shown now.
    """

    BINDINGS = [
        Binding("space", "show_or_hide", "Show or hide"),
        Binding("shift+up", "move(-1)", "Up"),
        Binding("shift+down", "move(1)", "Down"),
        Binding("r", "suggested", "As suggested"),
    ]

    heading = "Columns"
    keys: Keys = (("Space", "Show or hide"), ("Shift+↑ ↓", "Move"), ("r", "Reset"), ("Enter", "Apply"), ("Esc", "Close"))
    widest = 84

    def __init__(self, columns: Columns, shown: Sequence[Column]) -> None:
        super().__init__()
        self._suggested, self._left_out = columns.first, columns.left_out
        self._order = [*shown, *(column for column in columns.all if column not in shown)]
        self._shown = set(shown)

    def action_show_or_hide(self) -> None:
        if (column := self.at_cursor(self._order)) is not None:
            self._shown ^= {column}
            self._refill(self._order.index(column) + 1)

    def action_move(self, step: int) -> None:
        place = self.rows.highlighted
        if place is not None and 0 <= place + step < len(self._order):
            self._order.insert(place + step, self._order.pop(place))
            self._refill(place + step)

    def action_suggested(self) -> None:
        self._order = [*self._suggested, *(column for column in self._order if column not in self._suggested)]
        self._shown = set(self._suggested)
        self._refill(0)

    def _take(self) -> None:
        if chosen := [column for column in self._order if column in self._shown]:
            self.dismiss(chosen)

    def _refill(self, at: int | None = None) -> None:
        count = f"{len(self._shown)} of {len(self._order)} shown" if self._shown else "Show at least one column."
        self.say(count + (f" · {self._left_out:,} more do not fit into a table" if self._left_out else ""))
        self.fill(map(self._row, self._order), at)

    def _row(self, column: Column) -> Content:
        title = shortened(column.title, _SHOWN)
        if column in self._shown:
            return Content.assemble(Content.styled("✓ ", "$text-accent"), title)
        return Content.styled(f"  {title}", "$foreground-muted")


GAP = 2
_SHORTEST, _SHORTEST_NAME = 16, 18  # cells of a text that is cut, and of the first such: it says what a row is
_NAME_PARTS = 3  # of the room that is left, for one part of each other column


class ColumnPosition(Struct, frozen=True):
    """A visible column: its index, its start and its width in cells."""

    column: int
    start: int
    width: int


def in_sight(natural: Sequence[int], room: int, left: int = 1, uncut: Collection[int] = ()) -> list[ColumnPosition]:
    """The first column, then as many as fit from column `left` on.

    Args:
        natural: for each column, the widest of its cells and its title.
        room: the width for all of them, gaps included.
        left: the first column after the fixed one.
        uncut: columns that would mislead when cut, such as numbers; they are left out instead if others fit.
    """
    least = [width if column in uncut else min(width, _SHORTEST) for column, width in enumerate(natural)]
    name = next((column for column, width in enumerate(natural) if width > least[column]), None)
    if name is not None:
        least[name] = min(natural[name], _SHORTEST_NAME)
    seen: dict[int, int] = {}
    spare = room
    for column in (0, *range(max(left, 1), len(natural))) if natural else ():
        width = min(least[column], spare) if len(seen) < 2 else least[column]  # two are there, cut as short as need be
        if 0 < width <= spare:
            seen[column] = width
            spare -= width + GAP
    spare += GAP
    parts = {column: _NAME_PARTS if column == name else 1 for column in seen if seen[column] < natural[column]}
    for column in sorted(parts, key=lambda one: (natural[one] - seen[one]) / parts[one]):
        more = min(natural[column] - seen[column], spare * parts[column] // sum(parts.values()))
        seen[column] += more
        spare -= more
        del parts[column]
    starts = accumulate((width + GAP for width in seen.values()), initial=0)
    return [ColumnPosition(column, start, width) for (column, width), start in zip(seen.items(), starts, strict=False)]


def left_for(natural: Sequence[int], room: int, left: int, column: int, uncut: Collection[int] = ()) -> int:
    """The first column after the fixed one, chosen so that `column` is visible."""
    left = max(1, min(left, column if column else left))
    while left < column and not any(one.column == column for one in in_sight(natural, room, left, uncut)):
        left += 1
    return left


_MEASURED = 200  # letters of a cell
AGES_HOLD = 20.0
"""Seconds after which ages are shown anew."""


_ID = re.compile(rb'"id"\s*:\s*"([^"\\]*)"')


class ShownCell(NamedTuple):
    """A cell as drawn: its text, and the name of its style."""

    text: str
    style: str


_ROW_TONES = ("warn", "bad", "over")
"""The tones of whole rows: what needs somebody, and what is over; of a row that is well, only the state has a colour."""
_AN_ID = re.compile(r"[a-z]{1,12}_[A-Za-z0-9]{8,}")


def is_gone(item: bytes, gone: Collection[str]) -> bool:
    """Whether an item was deleted since it was received."""
    return bool(gone) and (found := _ID.search(item)) is not None and found[1].decode(errors="replace") in gone


class RowText:
    """The cells of a list's items in some columns."""

    def __init__(
        self,
        items: Sequence[bytes],
        found: Found | None,
        columns: Sequence[Column],
        name_of: Callable[[str], str] | None = None,
    ) -> None:
        """Make it; `name_of` returns the name of an id's object, empty if it is not known."""
        self.items = items
        self.columns = columns
        self._sample = found.sample if found is not None else []
        self._listed = found.listed if found is not None and found.listed is not None else ListedObject()
        self._head = found.head if found is not None else None
        self._name_of = name_of
        self._reader = CellReader(columns)
        self._natural: list[int] = []
        self._measured = 0.0

    @property
    def uncut(self) -> list[int]:
        """The columns that would mislead when cut."""
        return [place for place, column in enumerate(self.columns) if column.kind in ("number", "money", "time")]

    def row(self, place: int) -> list[ShownCell]:
        """The cells of the item at an index, as drawn; ages as they are now."""
        return self._shown(self.items[place])

    def gone_row(self, place: int) -> list[ShownCell]:
        """The cells of a row whose item was deleted: its state says so, or its first cell if it has no state."""
        cells, states = list(self.row(place)), [number for number, column in enumerate(self.columns) if column.is_state]
        for number in states:
            cells[number] = ShownCell("deleted", "table--bad")
        if cells and not states:
            cells[0] = ShownCell(f"deleted: {cells[0].text}", "table--bad")
        return cells

    def exact(self, place: int) -> list[Cell]:
        """The cells of the item at an index, as used for filtering."""
        return self._reader.cells(self.items[place])

    def head(self, place: int) -> RowHead:
        """The head of the page of the item at an index."""
        return self._head(self.items[place]) if self._head is not None else RowHead()

    def _shown(self, item: bytes) -> list[ShownCell]:
        """The cells of an item in the tone of its state; without a state column the first one has the sign of the tone."""
        notice = bool(self._listed.notices) and bool(self._listed.notice_of(values_of(item)))
        cells = self._reader.cells(item)
        state = next((one.text for column, one in zip(self.columns, cells, strict=True) if column.is_state), "")
        tone: Tone = "warn" if notice and tone_of(state) != "bad" else tone_of(state)
        drawn = [self._drawn(column, one, tone) for column, one in zip(self.columns, cells, strict=True)]
        if self._listed.notices and drawn and not any(column.is_state for column in self.columns):
            drawn[0] = drawn[0]._replace(text=f"{SIGNS[tone]} {drawn[0].text}")
        return drawn

    def _drawn(self, column: Column, one: Cell, tone: Tone) -> ShownCell:
        text, kind = one
        if kind == "nothing":
            return ShownCell("" if column.called else "—" if text == "null" else text, "table--quiet")
        if kind == "time":
            at = datetime.fromisoformat(f"{text}+00:00").timestamp()
            return ShownCell(when(at, time.time()), "table--quiet")
        if kind == "text" and column.is_state:
            return ShownCell(f"{SIGNS[tone]} {text.replace('_', ' ')}", f"table--{tone}")
        if column.path == ("id",) or (kind == "text" and self.name_of_id(text) == ""):
            return ShownCell(text, "table--quiet")
        style = f"table--{tone}" if tone in _ROW_TONES else "table--word" if kind == "word" else "table--text"
        return ShownCell((self.name_of_id(text) if kind == "text" else None) or text, style)

    def name_of_id(self, text: str) -> str | None:
        """The name of an id, empty if it is not known; None for any other text."""
        name = self._name_of(text) if self._name_of is not None else ""
        return name or ("" if _AN_ID.fullmatch(text) else None)

    def widths(self, by: Column | None = None) -> list[int]:
        """The widths of the columns where there is room; the sorted one has a cell more for its sign."""
        if not 0 <= time.time() - self._measured < AGES_HOLD:
            self._measured = time.time()
            rows = [self._shown(item) for item in self._sample]
            self._natural = [
                max((cell_len(row[place].text[:_MEASURED]) for row in rows), default=0) for place in range(len(self.columns))
            ]
        heads = [cell_len(column.heading) + (column == by) for column in self.columns]
        return [max(pair) for pair in zip(heads, self._natural, strict=True)]

    def currencies(self, column: Column) -> int:
        """How many currencies the amounts of a column have, among the first items."""
        if column.kind != "money":
            return 0
        reader = CellReader([column])
        amounts = [one for item in self._sample for one in reader.cells(item) if one.kind == "money"]
        return len({one.text.rpartition(" ")[2] for one in amounts})

    def raw(self, place: int, column: Column) -> bytes | None:
        return pick(self.items[place], [column.path])[0]

    def as_csv(self, place: int) -> str:
        """The values of an item as a line of CSV; secrets are redacted."""
        return line((_plain(column, self.raw(place, column)) for column in self.columns), end="")


def _plain(column: Column, raw: bytes | None) -> str:
    """A value for a copied row: a string without its quotes, null and absent values as an empty text, the rest as JSON."""
    if raw is None or raw == b"null":
        return ""
    text = raw.decode("utf-8", errors="replace")
    said = string(raw)
    return MASKED.strip('"') if is_sensitive(column.key, text) else exact_text(text if said is None else said)


def is_masked(column: Column, raw: bytes) -> bool:
    """Whether a value is a secret, which is redacted."""
    return is_sensitive(column.key, raw.decode("utf-8", errors="replace"))


def whole(raw: bytes, *, exact: bool = False) -> str:
    """A value as text for the screen, or exact: a string without its quotes, anything else as JSON."""
    if (said := string(raw)) is not None:
        return exact_text(said) if exact else visible(said)
    if raw[:1] in b"{[":
        with suppress(NotJson):  # what cannot be laid out is shown as received
            raw = lay_out(mask(raw)[0])
    text = as_text(raw)
    return exact_json(text) if exact else visible_json(text)
