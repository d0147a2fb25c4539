"""The order of a table's rows by one column.

Numbers, amounts and times come before text, and both before null; absent values come last, in both directions. Numbers compare
by their exact value, amounts in whole units of their currency, text case-insensitively and by its first thousand characters.
Equal rows keep their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from operator import itemgetter

from registry.results.tables.cells import cell, number
from registry.results.tables.columns import Column
from registry.results.tables.table import EVERY, CellReader, Check, go_on

Order = list[int]
"""Indexes of items."""

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

    Args:
        items: the list.
        column: the column to sort by.
        descending: whether the greatest comes first.
        among: the indexes to sort; by default all.
        check: called with the number of items done; raises `Cancelled` to end the work.
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
    sorted_numbers, sorted_texts = [place for _, place in numbers], [place for _, place in texts]
    first, second = (sorted_texts, sorted_numbers) if descending else (sorted_numbers, sorted_texts)
    return [*first, *second, *nulls, *absent]
