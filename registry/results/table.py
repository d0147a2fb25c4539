"""A list of items as a table: its rows are the items, its columns those that were found or chosen.

A row is parsed when it is shown and not kept, so that a table of a million rows on disk needs no more memory than one of a
hundred.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from operator import itemgetter
from typing import TypeVar

from registry.results.cells import cell, number
from registry.results.column import CellReader, Column

Check = Callable[[int], None]  # called now and then with the number of items done; raises `Cancelled` to end the work

T = TypeVar("T")
_EVERY = 1_024


class Cancelled(Exception):
    """Work on a table was cancelled."""


def go_on(_: int) -> None:
    """The check for work that is never cancelled."""


def watched(things: Iterable[T], check: Check) -> Iterator[T]:
    """Things one by one, with a check now and then and at the end."""
    done = 0
    for done, one in enumerate(things):
        if done % _EVERY == 0:
            check(done)
        yield one
    check(done)


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
    for place in watched(places, check):
        value = reader.values(items[place])[0]
        if value[1] is None:
            absent.append(place)
        elif value[1] == b"null":
            nulls.append(place)
        elif (counts_as := number(*value)) is not None:
            numbers.append((counts_as, place))
        else:
            texts.append((cell(*value).text[:_LONGEST].casefold(), place))
    numbers.sort(key=itemgetter(0), reverse=descending)
    texts.sort(key=itemgetter(0), reverse=descending)
    found = [[place for _, place in numbers], [place for _, place in texts]]
    first, second = reversed(found) if descending else found
    return [*first, *second, *nulls, *absent]
