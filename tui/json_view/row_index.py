"""The rows of a laid out JSON text in arrays: ends of branches, parents and folds are found without reading the text.

Beside the text a row takes ten bytes, and a row that opens twelve more. Make the index of a large text in a thread; finding a
row afterwards costs about the same at any size.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import accumulate

SCALAR, OPENS, CLOSES = 0, 1, 2
"""The kinds of rows; what opens has something inside."""

Text = bytes | bytearray

_KINDS = bytes(OPENS if letter in b"[{" else CLOSES if letter in b"]}" else SCALAR for letter in range(256))
_STEPS = (0, 1, -1)
_BRACKETS = re.compile(rb"[\1\2]")
_DEEPEST = 63
"""The deepest level whose rows are counted by their marks."""


def numbers(values: Iterable[int] = ()) -> array[int]:
    """An array of row numbers or positions, of 32 bits."""
    return array("I", values)


class RowIndex:
    """The rows of one text.

    Attributes:
        starts: where each row starts in the text, and one more after the last.
        depths: the depth of each row.
        kinds: for each row `SCALAR`, `OPENS` or `CLOSES`.
        openers: the rows that open, in order.
        closers: for each of these, the row that closes it.
    """

    def __init__(self, text: Text) -> None:
        lines = text.split(b"\n")
        self.starts = numbers(accumulate(map(len, lines), lambda start, length: start + length + 1, initial=0))
        # The last letter of each row tells its kind; commas, and brackets that close at once, do not.
        for ending in (b",\n", b"{}\n", b"[]\n"):
            text = text.replace(ending, b"\n" if ending == b",\n" else b"0\n")
        last = bytes(line[-1] if line else 0 for line in text.split(b"\n"))
        self.kinds = (last if text[-2:] not in (b"{}", b"[]") else last[:-1] + b"0").translate(_KINDS)
        after = accumulate(map(_STEPS.__getitem__, self.kinds))
        self.depths = numbers(depth - (kind == OPENS) for depth, kind in zip(after, self.kinds, strict=True))
        self.openers, self.closers, self._above = numbers(), numbers(), array("i")
        open_ones: list[int] = []  # places in `openers` that are not closed yet
        for found in _BRACKETS.finditer(self.kinds):
            row = found.start()
            if self.kinds[row] == CLOSES:
                self.closers[open_ones.pop()] = row
                continue
            self._above.append(open_ones[-1] if open_ones else -1)
            open_ones.append(len(self.openers))
            self.openers.append(row)
            self.closers.append(row)

    @cached_property
    def _marks(self) -> bytes:
        """The depth, up to `_DEEPEST`, and the kind of each row in one number."""
        return bytes(map(_mark, self.depths, self.kinds))

    def place(self, row: int) -> int:
        """The place among the rows that open of the first one from this row on."""
        return bisect_left(self.openers, row)

    def closer(self, opener: int) -> int:
        """The row that closes what a row opens."""
        return self.closers[self.place(opener)]

    def above(self, number: int, depth: int) -> int:
        """The nearest row above that opens at this depth."""
        place = self.place(number) - 1
        while self.depths[self.openers[place]] != depth:
            place = self._above[place]
        return self.openers[place]

    def direct(self, opener: int, end: int) -> int:
        """How many properties or items of a branch are before a row."""
        depth = self.depths[opener] + 1
        if depth < _DEEPEST:
            return sum(self._marks.count(_mark(depth, kind), opener + 1, end) for kind in (SCALAR, OPENS))
        return sum(self.depths[row] == depth and self.kinds[row] != CLOSES for row in range(opener + 1, end))

    def inside(self, opener: int) -> Iterator[int]:
        """The rows directly inside a branch."""
        row = opener + 1
        while self.kinds[row] != CLOSES:
            yield row
            row = (self.closer(row) if self.kinds[row] == OPENS else row) + 1

    def row_at(self, position: int) -> int:
        """The row at a position in the text."""
        return bisect_right(self.starts, position) - 1


def _mark(depth: int, kind: int) -> int:
    return min(depth, _DEEPEST) << 2 | kind
