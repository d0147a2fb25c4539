"""A table's rows filtered and sorted in threads, and the dialog that chooses columns and their order."""

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace
from textual.binding import Binding
from textual.content import Content

from registry.pages.page import RowHead
from registry.results.columns import Column, Columns, columns_in, sample
from registry.results.declared import ListedObject
from registry.results.table import Check, Filter, Order, order
from registry.text.shown import shortened
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
