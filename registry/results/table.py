"""A list of items as a table: its rows are the items, its columns those that were found or chosen.

A row is parsed when it is shown and not kept, so that a table of a million rows on disk needs no more memory than one of a
hundred.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from operator import itemgetter

from registry.results.cells import Cell, cell, currency_of, number
from registry.results.columns import Column
from registry.results.picking import Path, Picker

# A value with its context: its name as JSON, its JSON text (None: absent), the currency beside it.
Value = tuple[str | None, bytes | None, str | None]

Check = Callable[[int], None]  # called now and then with the number of items done; raises `Cancelled` to end the work

EVERY = 1_024


class Cancelled(Exception):
    """Work on a table was cancelled."""


def go_on(_: int) -> None:
    """The check for work that is never cancelled."""


class CellReader:
    """Reads the cells of some columns out of items."""

    def __init__(self, columns: Sequence[Column]) -> None:
        paths: list[Path] = [column.path for column in columns]
        self._columns: list[tuple[str | None, int | None]] = []
        for column in columns:
            place = None
            if column.path and column.kind == "money":
                place = len(paths)
                paths.append(column.currency_path)
            self._columns.append((column.key, place))
        self._picker = Picker(paths)

    def values(self, item: bytes) -> list[Value]:
        """The value of each column."""
        picked = self._picker.pick(item)
        return [
            (key, picked[place], currency_of(picked[currency]) if currency is not None else None)
            for place, (key, currency) in enumerate(self._columns)
        ]

    def cells(self, item: bytes) -> list[Cell]:
        """The cell of each column."""
        return [cell(*value) for value in self.values(item)]


Order = list[int]  # indexes of items

_LONGEST = 1_000


def order(
    items: Sequence[bytes],
    column: Column,
    *,
    descending: bool = False,
    among: Order | None = None,
    check: Check = go_on,
) -> Order:
    """The indexes of the items in the order of a column.

    Numbers, amounts and times come before text, and both before null; absent values come last, in both directions. Numbers
    compare by their exact value, amounts in whole units of their currency, text case-insensitively and by its first thousand
    characters. Equal rows keep their order. `among`: the indexes to sort, by default all.
    """
    places = among if among is not None else range(len(items))
    numbers: list[tuple[Decimal, int]] = []
    texts: list[tuple[str, int]] = []
    nulls: Order = []
    absent: Order = []
    reader = CellReader([column])
    for done, place in enumerate(places):
        if done % EVERY == 0:
            check(done)
        value = reader.values(items[place])[0]
        if value[1] is None:
            absent.append(place)
        elif value[1] == b"null":
            nulls.append(place)
        elif (counts_as := number(*value)) is not None:
            numbers.append((counts_as, place))
        else:
            texts.append((cell(*value).text[:_LONGEST].casefold(), place))
    check(len(places))
    numbers.sort(key=itemgetter(0), reverse=descending)
    texts.sort(key=itemgetter(0), reverse=descending)
    found = [[place for _, place in numbers], [place for _, place in texts]]
    first, second = reversed(found) if descending else found
    return [*first, *second, *nulls, *absent]
