"""The order of a table's rows by one column.

Numbers, amounts and times come before text, and both before null; absent values come last, in both directions. Numbers compare
by their exact value, amounts in whole units of their currency, text case-insensitively and by its first thousand characters.
Equal rows keep their order.

In memory are one number or text for each item, and the order. numpy sorts them and lets other threads run.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from registry.results.tables.cells import cell, number
from registry.results.tables.columns import Column
from registry.results.tables.table import EVERY, CellReader, Check, Value, go_on

Order = npt.NDArray[np.uint32]
Floats = npt.NDArray[np.float64]

_NUMBER, _TEXT, _NULL, _ABSENT = range(4)
_LONGEST = 1_000
# Decimals with at most so many digits are distinct as floats, which print them unchanged.
_DIGITS, _EXPONENT = 15, 300


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
    places = among if among is not None else np.arange(len(items), dtype=np.uint32)
    keys = _Keys(len(places))
    reader = CellReader([column])
    for start in range(0, len(places), EVERY):
        check(start)
        keys.add(start, [reader.values(items[place])[0] for place in places[start : start + EVERY].tolist()])
    check(len(places))
    return places[keys.order(descending)]


class _Keys:
    """The sort keys of the rows."""

    def __init__(self, count: int) -> None:
        self._kinds = np.empty(count, dtype=np.uint8)
        self._numbers: Floats = np.zeros(count)
        # Numbers that are not exact as floats; rarely any.
        self._exact: dict[int, Decimal] = {}
        self._texts = np.empty(count, dtype=np.dtypes.StringDType())

    def add(self, start: int, values: list[Value]) -> None:
        """Add the keys of some rows from `start` on."""
        texts = []
        for place, value in enumerate(values, start):
            text = ""
            if value[1] is None or value[1] == b"null":
                kind = _ABSENT if value[1] is None else _NULL
            elif (counts_as := number(*value)) is not None:
                kind = _NUMBER
                self._numbers[place] = _rounded(counts_as)
                if len(counts_as.as_tuple().digits) > _DIGITS or abs(counts_as.adjusted()) > _EXPONENT:
                    self._exact[place] = counts_as
            else:
                kind, text = _TEXT, cell(*value).text[:_LONGEST].casefold()
            self._kinds[place] = kind
            texts.append(text)
        if any(texts):
            self._texts[start : start + len(texts)] = texts

    def order(self, descending: bool) -> Order:
        """The rows in order."""
        groups: dict[int, Order] = {kind: np.flatnonzero(self._kinds == kind).astype(np.uint32) for kind in range(4)}
        numbers, texts = groups[_NUMBER], groups[_TEXT]
        numbers = numbers[_stable(self._numbers[numbers], descending)]
        if self._exact:
            numbers = self._refined(numbers, descending)
        texts = texts[_stable(self._texts[texts], descending)]
        parts = [texts, numbers] if descending else [numbers, texts]
        return np.concatenate([*parts, groups[_NULL], groups[_ABSENT]])

    def _refined(self, rows: Order, descending: bool) -> Order:
        """Sort rows whose numbers are equal as floats by their exact numbers."""
        floats = self._numbers[rows]
        same = np.flatnonzero(floats[1:] == floats[:-1])
        breaks = np.flatnonzero(np.diff(same) > 1)
        refined = rows.copy()
        if len(same):
            for start, last in zip(same[np.r_[0, breaks + 1]], same[np.r_[breaks, len(same) - 1]] + 1, strict=True):
                run: list[int] = rows[start : last + 1].tolist()
                if not self._exact.keys().isdisjoint(run):
                    refined[start : last + 1] = sorted(run, key=self._number, reverse=descending)
        return refined

    def _number(self, row: int) -> Decimal:
        known = self._exact.get(row)
        return known if known is not None else Decimal(repr(float(self._numbers[row])))


def _rounded(value: Decimal) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("-inf" if value < 0 else "inf")


def _stable(keys: npt.NDArray[Any], descending: bool) -> npt.NDArray[np.intp]:
    """The order of keys; equal keys keep their order, in both directions."""
    if not descending:
        return np.argsort(keys, kind="stable")
    return len(keys) - 1 - np.argsort(keys[::-1], kind="stable")[::-1]
