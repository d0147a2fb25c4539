"""The rows of a laid out JSON text in arrays: ends of branches, parents and folds are found without reading the text.

Beside the text a row takes six bytes. Make the arrays of a large text in a thread; finding a row afterwards costs about the
same at any size. Importing this loads numpy, which takes longer than drawing the first rows of a response.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tui.json_view.row_kinds import CLOSES, OPENS, Text

_CHUNK = 4 << 20
_BLOCK = 1 << 19
_COMMA, _NEWLINE = ord(","), ord("\n")

Indexes = NDArray[np.uint32]
Depths = NDArray[np.uint8] | NDArray[np.uint32]
Starts = NDArray[np.uint32] | NDArray[np.uint64]


class RowIndex:
    """The rows of one text.

    Attributes:
        starts: where each row starts in the text, and one more after the last.
        depths: the depth of each row.
        kinds: of each row, `SCALAR`, `OPENS` (with something inside) or `CLOSES`.
        openers: the rows that open, in order.
        closers: for each of these, the row that closes it.
    """

    def __init__(self, text: Text) -> None:
        self.starts = _line_starts(text)
        self.kinds = _kinds(text, self.starts)
        self.depths = _depths(self.kinds)
        self.openers: Indexes = np.flatnonzero(self.kinds == OPENS).astype(np.uint32)
        levels = self.depths[self.openers]
        order = _order(levels)
        self.closers = _partners(order, self.kinds, self.depths)
        self._openers_by_level: Indexes = self.openers[order]
        deepest = np.arange(int(self.depths.max(initial=0)) + 1, dtype=levels.dtype)
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
        """How many properties or items of a branch are before a row."""
        inside = slice(opener + 1, end)
        direct = self.depths[inside] == self.depths[opener] + 1
        return int(np.count_nonzero(direct & (self.kinds[inside] != CLOSES)))

    def at(self, position: int) -> int:
        """The row at a position in the text."""
        # With a plain number numpy would copy all starts to a wider type to compare them.
        return int(np.searchsorted(self.starts, self.starts.dtype.type(position), side="right")) - 1

    def all_at(self, positions: NDArray[np.uint64]) -> Indexes:
        """The row at each position in the text, in the same order."""
        return (np.searchsorted(self.starts, positions.astype(self.starts.dtype), side="right") - 1).astype(np.uint32)


def _line_starts(text: Text) -> Starts:
    """Where each line starts, and one more after the last."""
    letters = np.frombuffer(text, np.uint8)
    count = sum(text.count(b"\n", start, start + _CHUNK) for start in range(0, len(text), _CHUNK)) + 2
    starts: Starts = np.empty(count, np.uint64) if len(text) >= 1 << 32 else np.empty(count, np.uint32)
    starts[0], starts[-1] = 0, len(text) + 1
    filled = 1
    for start in range(0, len(letters), _CHUNK):
        found = np.flatnonzero(letters[start : start + _CHUNK] == _NEWLINE)
        starts[filled : filled + len(found)] = found + (start + 1)
        filled += len(found)
    return starts


def _kinds(text: Text, starts: Starts) -> NDArray[np.uint8]:
    """What each line is, by its last letters."""
    letters = np.frombuffer(text, np.uint8)
    kinds = np.zeros(len(starts) - 1, np.uint8)
    for start in range(0, len(kinds), _BLOCK):
        # A line ends with a newline, and perhaps a comma before it.
        last = starts[start + 1 : start + _BLOCK + 1].astype(np.int64) - 2
        last -= letters[last] == _COMMA
        letter = letters[last]
        before = letters[np.maximum(last - 1, 0)]
        opens = (letter == ord("{")) | (letter == ord("["))
        closes = (letter == ord("}")) | (letter == ord("]"))
        closes &= ~((before == ord("{")) | (before == ord("[")))
        block = kinds[start : start + _BLOCK]
        block[opens], block[closes] = OPENS, CLOSES
    return kinds


def _depths(kinds: NDArray[np.uint8]) -> Depths:
    """The depth of each row."""
    depths = np.zeros(len(kinds), np.uint8)
    deep = 0
    for start in range(0, len(kinds), _BLOCK):
        block = kinds[start : start + _BLOCK]
        steps = (block == OPENS).astype(np.int32) - (block == CLOSES)
        after = deep + np.cumsum(steps, dtype=np.int32)
        here = after - (block == OPENS)
        if depths.dtype == np.uint8 and here.max(initial=0) > 255:
            depths = depths.astype(np.uint32)
        depths[start : start + _BLOCK] = here
        deep = int(after[-1])
    return depths


def _order(levels: Depths) -> Indexes:
    """Indexes sorted by level and, on each level, in order. One number for each index is sorted in place, to save memory."""
    keys = levels.astype(np.uint64)
    keys <<= np.uint64(32)
    keys |= np.arange(len(levels), dtype=np.uint32)
    keys.sort()
    return keys.astype(np.uint32)


def _partners(order: Indexes, kinds: NDArray[np.uint8], depths: Depths) -> Indexes:
    """The closing row of each opening one: on every level, the first that closes belongs to the first that opens."""
    closing = np.flatnonzero(kinds == CLOSES).astype(np.uint32)
    partners = np.empty_like(order)
    partners[order] = closing[_order(depths[closing])]
    return partners
