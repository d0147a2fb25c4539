"""The rows of a laid out JSON text in arrays: what follows a branch, lies around a row, or is folded is found at once.

Beside the text a row costs three bytes, and one that opens twelve more. Making the arrays of a large text belongs into a
thread; asking for a row afterwards costs the same at any size. Importing this loads numpy, which takes longer than the first
rows of a response.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tui.json_view.row_kinds import CLOSES, OPENS, Text

_COUNTED = 4 << 20
_BLOCK = 1 << 19
_PAGE_BITS, _KIND_BITS = 16, 2
_PAGE, _KIND = (1 << _PAGE_BITS) - 1, (1 << _KIND_BITS) - 1
_DEEPEST = 0xFF >> _KIND_BITS
_COMMA, _NEWLINE = ord(","), ord("\n")

Indexes = NDArray[np.uint32]
_Marks = NDArray[np.uint8] | NDArray[np.uint32]


class RowStarts:
    """Where each row starts in a text, and one more behind the last: in two bytes each, for the text is cut into pages."""

    def __init__(self, low: NDArray[np.uint16], firsts: list[int]) -> None:
        """Of each row its place in its page; of each page, and of one more, the first row that starts in it or later."""
        self._low, self._firsts = low, firsts
        self._page = 0

    def __getitem__(self, number: int) -> int:
        page = self._page  # rows are mostly asked for one after another
        if not self._firsts[page] <= number < self._firsts[page + 1]:
            page = self._page = bisect_right(self._firsts, number) - 1
        return (page << _PAGE_BITS) + int(self._low[number])

    def row_at(self, position: int) -> int:
        """The row that a position of the text lies in."""
        page = position >> _PAGE_BITS
        first = self._firsts[page]
        inside = self._low[first : self._firsts[page + 1]]
        return first + int(np.searchsorted(inside, np.uint16(position & _PAGE), side="right")) - 1

    def rows_at(self, positions: NDArray[np.uint64]) -> Indexes:
        """The rows that positions of the text lie in, which ascend; as many, in the same order."""
        rows = np.empty(len(positions), np.uint32)
        pages, counts = np.unique(positions >> np.uint64(_PAGE_BITS), return_counts=True)
        places = (positions & np.uint64(_PAGE)).astype(np.uint16)
        stop = 0
        for page, count in zip(pages.tolist(), counts.tolist(), strict=True):
            start, stop = stop, stop + count
            first = self._firsts[page]
            inside = self._low[first : self._firsts[page + 1]]
            rows[start:stop] = np.searchsorted(inside, places[start:stop], side="right") + (first - 1)
        return rows


class Depths:
    """Of each row, how deep it lies."""

    def __init__(self, marks: _Marks) -> None:
        self._marks = marks

    def __getitem__(self, rows: Any) -> Any:
        return self._marks[rows] >> _KIND_BITS


class Kinds:
    """Of each row, `SCALAR`, `OPENS` (with something inside) or `CLOSES`."""

    def __init__(self, marks: _Marks) -> None:
        self._marks = marks

    def __getitem__(self, rows: Any) -> Any:
        return self._marks[rows] & _KIND

    def __len__(self) -> int:
        return len(self._marks)


class RowIndex:
    """The rows of one text.

    Attributes:
        starts: where each row starts in the text, and one more behind the last.
        depths: of each row, how deep it lies.
        kinds: of each row, `SCALAR`, `OPENS` (with something inside) or `CLOSES`.
        openers: the rows that open, in order.
        closers: of each of these, the row that closes.
    """

    def __init__(self, text: Text) -> None:
        self.starts, marks = _rows(text)
        self.depths, self.kinds = Depths(marks), Kinds(marks)
        self.openers = _of_kind(self.kinds, OPENS)
        levels = self.depths[self.openers]
        order = _order(levels)
        self.closers = np.empty_like(order)
        closing = _of_kind(self.kinds, CLOSES)
        # On every level, the first that closes belongs to the first that opens.
        self.closers[order] = closing[_order(self.depths[closing])]
        self._openers_by_level: Indexes = self.openers[order]
        deepest = np.arange(int(levels.max(initial=0)) + 1, dtype=levels.dtype)
        self._level_ends = np.searchsorted(levels[order], deepest, side="right")

    def closer(self, opener: int) -> int:
        """The row that closes what a row opens."""
        return int(self.closers[np.searchsorted(self.openers, np.uint32(opener))])

    def above(self, number: int, depth: int) -> int:
        """The nearest row above that opens at this depth."""
        first = int(self._level_ends[depth - 1]) if depth else 0
        level = self._openers_by_level[first : int(self._level_ends[depth])]
        return int(level[np.searchsorted(level, np.uint32(number)) - 1])

    def direct(self, opener: int, end: int) -> int:
        """How many properties or items of a branch stand before a row."""
        inside = slice(opener + 1, end)
        direct = self.depths[inside] == self.depths[opener] + 1
        return int(np.count_nonzero(direct & (self.kinds[inside] != CLOSES)))


def _rows(text: Text) -> tuple[RowStarts, _Marks]:
    """Where each row starts; and of each its kind, by its last letters, and how deep it lies, in one number."""
    letters = np.frombuffer(text, np.uint8)
    count = sum(text.count(b"\n", start, start + _COUNTED) for start in range(0, len(text), _COUNTED)) + 1
    low, firsts, marks = np.zeros(count + 1, np.uint16), [0], np.empty(count, np.uint8)
    row = deep = 0
    last_page = len(text) + 1 >> _PAGE_BITS
    for page in range(last_page + 1):
        # A row starts behind the end of the one before: of the rows that start in a page the first may end before it.
        begin = max((page << _PAGE_BITS) - 1, 0)
        ends = np.flatnonzero(letters[begin : (page + 1 << _PAGE_BITS) - 1] == _NEWLINE)
        if page == last_page:
            ends = np.append(ends, len(text) - begin)
        behind = row + len(ends)
        low[row + 1 : behind + 1] = ends + int(page == 0)
        firsts.append(behind + 1)
        # Before its end lies perhaps a comma.
        ends += begin - 1
        ends -= letters[ends] == _COMMA
        last, before = letters[ends], letters[np.maximum(ends - 1, 0)]
        opens = (last == ord("{")) | (last == ord("["))
        closes = (last == ord("}")) | (last == ord("]"))
        closes &= ~((before == ord("{")) | (before == ord("[")))
        steps = opens.view(np.int8) - closes.view(np.int8)
        after = np.cumsum(steps, dtype=np.int32) + np.int32(deep)
        depths = after - opens
        if marks.dtype == np.uint8 and depths.max(initial=0) > _DEEPEST:
            marks = marks.astype(np.uint32)
        marks[row:behind] = depths << _KIND_BITS | opens.view(np.int8) * OPENS | closes.view(np.int8) * CLOSES
        row, deep = behind, int(after[-1]) if len(after) else deep
    return RowStarts(low, firsts), marks


def _of_kind(kinds: Kinds, kind: int) -> Indexes:
    """The rows of a kind, in order; found block by block, for the memory's sake."""
    blocks = range(0, len(kinds), _BLOCK)
    count = sum(int(np.count_nonzero(kinds[start : start + _BLOCK] == kind)) for start in blocks)
    rows, filled = np.empty(count, np.uint32), 0
    for start in blocks:
        found = np.flatnonzero(kinds[start : start + _BLOCK] == kind)
        rows[filled : filled + len(found)] = found + start
        filled += len(found)
    return rows


def _order(levels: NDArray[np.uint8] | NDArray[np.uint32]) -> Indexes:
    """Places sorted by level and, on each level, in order. One number a place is sorted where it is, for the memory's sake."""
    keys = levels.astype(np.uint64)
    keys <<= np.uint64(32)
    keys |= np.arange(len(levels), dtype=np.uint32)
    keys.sort()
    return keys.astype(np.uint32)
