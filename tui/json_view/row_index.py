"""The rows of a laid out JSON text in arrays: ends of branches, parents and folds are found without reading the text.

Beside the text a row takes one byte, and a row that opens nine more. Make the arrays of a large text in a thread; finding a
row afterwards costs about the same at any size. Importing this loads numpy, which takes longer than drawing the first rows of
a response.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tui.json_view.row_kinds import CLOSES, OPENS, Text

_COUNTED = 4 << 20
_BLOCK = 1 << 16
_PAGE_BITS, _KIND_BITS = 16, 2
_PAGE, _KIND = (1 << _PAGE_BITS) - 1, (1 << _KIND_BITS) - 1
_KEPT = 32
_DEEPEST = 0xFF >> _KIND_BITS
_COMMA, _NEWLINE = ord(","), ord("\n")

Indexes = NDArray[np.uint32]
_Marks = NDArray[np.uint8] | NDArray[np.uint32]


class RowStarts:
    """Where each row starts in a text, and one more after the last.

    The text is split into pages of 64 KB. Only the first row of each page is stored; where the others start is read from the
    text, and the last pages read are cached.
    """

    def __init__(self, text: Text, firsts: list[int]) -> None:
        """`firsts` holds, for each page and one more, the first row that starts in it or later."""
        self._firsts = firsts
        self._starts_in = lru_cache(_KEPT)(partial(_starts_in, np.frombuffer(text, np.uint8)))
        self._page = range(0), 0, np.empty(0, np.uint16)

    def __getitem__(self, number: int) -> int:
        rows, begin, starts = self._page  # rows are mostly read in their order
        if number not in rows:
            page = bisect_right(self._firsts, number) - 1
            rows, begin = range(self._firsts[page], self._firsts[page + 1]), page << _PAGE_BITS
            starts = self._starts_in(page)
            self._page = rows, begin, starts
        return begin + starts.item(number - rows.start)

    def row_at(self, position: int) -> int:
        """The row at a position in the text."""
        page = position >> _PAGE_BITS
        place = np.uint16(position & _PAGE)
        return self._firsts[page] + int(np.searchsorted(self._starts_in(page), place, side="right")) - 1

    def rows_at(self, positions: NDArray[np.uint64]) -> Indexes:
        """The row at each position in the text; positions must ascend."""
        rows = np.empty(len(positions), np.uint32)
        pages, counts = np.unique(positions >> np.uint64(_PAGE_BITS), return_counts=True)
        places = (positions & np.uint64(_PAGE)).astype(np.uint16)
        stop = 0
        for page, count in zip(pages.tolist(), counts.tolist(), strict=True):
            start, stop = stop, stop + count
            inside = np.searchsorted(self._starts_in(page), places[start:stop], side="right")
            rows[start:stop] = inside + (self._firsts[page] - 1)
        return rows


class Depths:
    """The depth of each row."""

    def __init__(self, marks: _Marks) -> None:
        self._marks = marks

    def __getitem__(self, rows: Any) -> Any:
        return self._marks[rows] >> _KIND_BITS


class Kinds:
    """For each row `SCALAR`, `OPENS` (with something inside) or `CLOSES`."""

    def __init__(self, marks: _Marks) -> None:
        self._marks = marks

    def __getitem__(self, rows: Any) -> Any:
        return self._marks[rows] & _KIND

    def __len__(self) -> int:
        return len(self._marks)


class RowIndex:
    """The rows of one text.

    Attributes:
        starts: where each row starts in the text, and one more after the last.
        depths: the depth of each row.
        kinds: for each row `SCALAR`, `OPENS` (with something inside) or `CLOSES`.
        openers: the rows that open, in order.
        closers: for each of these, the row that closes it.
    """

    def __init__(self, text: Text) -> None:
        self.starts, marks = _rows(text)
        self.depths, self.kinds = Depths(marks), Kinds(marks)
        self.openers, self.closers, self._levels = _branches(marks)

    def closer(self, opener: int) -> int:
        """The row that closes what a row opens."""
        return int(self.closers[np.searchsorted(self.openers, np.uint32(opener))])

    def above(self, number: int, depth: int) -> int:
        """The nearest row above that opens at this depth."""
        place = int(np.searchsorted(self.openers, np.uint32(number)))
        while (place := self._levels.rfind(depth & 0xFF, 0, place)) >= 0 and self.depths[self.openers[place]] != depth:
            pass  # only the lowest 8 bits of a depth are stored here, so a match is checked
        return int(self.openers[place])

    def direct(self, opener: int, end: int) -> int:
        """How many properties or items of a branch are before a row."""
        inside = slice(opener + 1, end)
        direct = self.depths[inside] == self.depths[opener] + 1
        return int(np.count_nonzero(direct & (self.kinds[inside] != CLOSES)))


def _rows(text: Text) -> tuple[RowStarts, _Marks]:
    """Where each row starts; and for each row its kind, read from its last characters, and its depth, in one number."""
    letters = np.frombuffer(text, np.uint8)
    count = sum(text.count(b"\n", start, start + _COUNTED) for start in range(0, len(text), _COUNTED)) + 1
    firsts, marks = [0], np.empty(count, np.uint8)
    row = deep = 0
    for page in range((len(text) + 1 >> _PAGE_BITS) + 1):
        begin, ends = _ends_before_starts(letters, page)
        after_last = row + len(ends)
        firsts.append(after_last + 1)
        # A row ends with a newline, and perhaps a comma before it.
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
        marks[row:after_last] = depths << _KIND_BITS | opens.view(np.int8) * OPENS | closes.view(np.int8) * CLOSES
        row, deep = after_last, int(after[-1]) if len(after) else deep
    return RowStarts(text, firsts), marks


def _starts_in(letters: NDArray[np.uint8], page: int) -> NDArray[np.uint16]:
    """Where the rows of a page start, counted from the start of the page."""
    _, ends = _ends_before_starts(letters, page)
    return (ends if page else np.append(0, ends + 1)).astype(np.uint16)


def _ends_before_starts(letters: NDArray[np.uint8], page: int) -> tuple[int, NDArray[np.intp]]:
    """The ends of the rows before those that start in a page, and the position from which they are counted.

    A row starts after the end of the row before it, so the first of these ends may be in the page before.
    """
    begin = max((page << _PAGE_BITS) - 1, 0)
    ends = np.flatnonzero(letters[begin : (page + 1 << _PAGE_BITS) - 1] == _NEWLINE)
    return begin, np.append(ends, len(letters) - begin) if page == len(letters) + 1 >> _PAGE_BITS else ends


def _branches(marks: _Marks) -> tuple[Indexes, Indexes, bytearray]:
    """The rows that open, in order; for each the row that closes it; and the lowest 8 bits of its depth.

    They are paired block by block to save memory: on each level, rows that open and rows that close alternate.
    """
    blocks = range(0, len(marks), _BLOCK)
    count = sum(int(np.count_nonzero(marks[start : start + _BLOCK] & _KIND == OPENS)) for start in blocks)
    openers, closers, levels = np.empty(count, np.uint32), np.empty(count, np.uint32), bytearray()
    opened: dict[int, int] = {}  # for each level the index of the opener that is not closed yet
    for start in blocks:
        block = marks[start : start + _BLOCK]
        rows = np.flatnonzero(block & _KIND)
        opens, level = block[rows] & _KIND == OPENS, block[rows] >> _KIND_BITS
        rows += start
        place = len(levels) - 1 + np.cumsum(opens)
        openers[len(levels) : len(levels) + np.count_nonzero(opens)] = rows[opens]
        levels += level[opens].astype(np.uint8).tobytes()
        order = np.argsort(level, kind="stable")
        rows, opens, level, place = rows[order], opens[order], level[order], place[order]
        changes = np.flatnonzero(np.diff(level, prepend=-1, append=-1))
        for first in changes[:-1].tolist():
            if not opens[first]:
                closers[opened.pop(int(level[first]))] = rows[first]
        for last in (changes[1:] - 1).tolist():
            if opens[last]:
                opened[int(level[last])] = int(place[last])
        closed = np.flatnonzero(opens[:-1] & ~opens[1:] & (level[:-1] == level[1:]))
        closers[place[closed]] = rows[closed + 1]
    return openers, closers, levels
