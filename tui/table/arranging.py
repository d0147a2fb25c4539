"""A table's rows: finding columns, filtering and sorting in threads, and the order in words."""

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from registry.pages.page import RowHead
from registry.results.column import Column
from registry.results.columns import Columns, columns_in, sample
from registry.results.declared import ListedObject
from registry.results.table import Check, Filter, Order, order

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
