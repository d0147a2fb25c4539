"""The visible rows: the document as far as it is unfolded, whole or only with search hits.

While only matches are shown, with the branches around them, the folds are separate from those of the whole document: these
branches are unfolded, all others folded, and unfolding a matching branch shows what is inside.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tui.json_view.row_kinds import CLOSES, OPENS
from tui.json_view.rows import JsonRows

_BLOCK = 1 << 19


class Folds:
    """The visible rows of a document, or of the matches in it. Positions count visible rows from 0."""

    def __init__(self, rows: JsonRows, found: NDArray[np.uint32] | None = None) -> None:
        """Everything unfolded; or only the rows that were found, and the branches around them.

        With eight million rows the latter takes a thirtieth of a second: do it in a thread.
        """
        self._rows = rows
        self._folded = np.zeros(len(rows.openers), np.bool_)
        self._shown: NDArray[np.uint32] | None = None  # None: all rows
        self._allowed: NDArray[np.bool_] | None = None  # None: only folds hide rows
        self._holding: NDArray[np.bool_] | None = None  # of the openers: whether something inside was found
        if found is not None:
            allowed = np.zeros(len(rows), np.bool_)
            allowed[found] = True
            counts = np.cumsum(allowed, dtype=np.uint32)
            holding = counts[rows.closers] > counts[rows.openers]
            allowed[rows.openers[holding]] = True
            self._allowed, self._holding, self._folded = allowed, holding, ~holding
            self._shown = np.flatnonzero(allowed).astype(np.uint32)

    def __len__(self) -> int:
        """How many rows are visible."""
        return len(self._rows) if self._shown is None else len(self._shown)

    def row(self, place: int) -> int:
        """The row at a position."""
        return place if self._shown is None else int(self._shown[place])

    def place(self, row: int) -> int:
        """The position of a row, or of the branch that it is folded into."""
        if self._shown is None:
            return row
        return max(int(np.searchsorted(self._shown, np.uint32(row), side="right")) - 1, 0)

    @property
    def is_partial(self) -> bool:
        """Whether only matches are shown."""
        return self._allowed is not None

    def is_folded(self, row: int) -> bool:
        """Whether a row is a branch that is folded."""
        return self._rows.kinds[row] == OPENS and bool(self._folded[self._opener(row)])

    def fold(self, row: int) -> None:
        """Fold a branch; any other row, or a folded one, stays as it is."""
        if self._rows.kinds[row] != OPENS or self.is_folded(row):
            return
        self._folded[self._opener(row)] = True
        self._splice(row, np.empty(0, np.uint32))

    def unfold(self, row: int) -> None:
        """Unfold a branch; folded branches inside stay folded."""
        if not self.is_folded(row):
            return
        opener = self._opener(row)
        self._folded[opener] = False
        if self._allowed is not None and self._holding is not None and not self._holding[opener]:
            self._allowed[row + 1 : self._rows.closer(row) + 1] = True
        self._splice(row, self._visible(row + 1, self._rows.closer(row) + 1))

    def toggle(self, row: int) -> None:
        """Fold or unfold a branch."""
        if self.is_folded(row):
            self.unfold(row)
        else:
            self.fold(row)

    def reveal(self, row: int) -> None:
        """Unfold everything that hides a row."""
        chain = [opener] if (opener := self._rows.opener(row)) != row else []
        above = self._rows.parent(row)
        while above is not None:
            chain.append(above)
            above = self._rows.parent(above)
        for one in reversed(chain):
            self.unfold(one)

    def fold_to(self, depth: int) -> None:
        """Fold every branch at this depth or deeper, unfold all others."""
        rows = self._rows
        self._folded = rows.depths[rows.openers] >= depth
        if self._holding is not None:
            self._folded |= ~self._holding
            self._shown = self._visible(0, len(rows))
        else:
            self._shown = np.concatenate([*self._down_to(depth)]) if self._folded.any() else None

    def unfold_all(self) -> None:
        """Unfold everything, or everything that was found."""
        if self._holding is not None:
            self._folded = ~self._holding
            self._shown = self._visible(0, len(self._rows))
            return
        self._folded[:] = False
        self._shown = None

    def beside(self, row: int, step: int) -> int | None:
        """The next or previous visible row directly inside the same branch; None when there is none."""
        rows, place, width = self._rows, self.place(row) + (step > 0), 64
        while 0 <= place <= len(self):
            start, stop = (place, min(place + width, len(self))) if step > 0 else (max(place - width, 0), place)
            others = np.arange(start, stop, dtype=np.uint32) if self._shown is None else self._shown[start:stop]
            near = np.flatnonzero((rows.depths[others] <= rows.depths[row]) & (rows.kinds[others] != CLOSES))
            if len(near):
                found = int(others[near[0 if step > 0 else -1]])
                return found if rows.depths[found] == rows.depths[row] else None
            if start == stop:
                return None
            place, width = stop if step > 0 else start, width * 8
        return None

    def fold_siblings(self, row: int) -> None:
        """Fold the branch and all others of the same parent; unfold them if all are folded."""
        rows = self._rows
        parent = rows.parent(row)
        if parent is None:
            self.toggle(row)
            return
        first, last = self._openers_within(parent + 1, rows.closer(parent))
        openers, closers = rows.openers[first:last], rows.closers[first:last]
        level = rows.depths[openers] == rows.depths[row]
        if self._allowed is not None:
            level &= self._allowed[openers]
        branches = self._folded[first:last]
        fold = not branches[level].all()
        branches[level] = fold
        if self._allowed is not None and self._holding is not None and not fold:
            opened = level & ~self._holding[first:last]
            self._allowed[_ranges(openers[opened], closers[opened] + np.uint32(1))] = True
        if not self.is_folded(parent):
            self._splice(parent, self._visible(parent + 1, rows.closer(parent) + 1))

    def _down_to(self, depth: int) -> Iterator[NDArray[np.uint32]]:
        """The rows down to a depth, without the closing rows of branches folded there; block by block, to save memory."""
        for start in range(0, len(self._rows), _BLOCK):
            depths, kinds = self._rows.depths[start : start + _BLOCK], self._rows.kinds[start : start + _BLOCK]
            seen = np.flatnonzero((depths < depth) | ((depths == depth) & (kinds != CLOSES)))
            yield (seen + start).astype(np.uint32)

    def _opener(self, row: int) -> int:
        return int(np.searchsorted(self._rows.openers, np.uint32(row)))

    def _openers_within(self, start: int, stop: int) -> tuple[int, int]:
        first, last = np.searchsorted(self._rows.openers, np.array([start, stop], np.uint32))
        return int(first), int(last)

    def _visible(self, start: int, stop: int) -> NDArray[np.uint32]:
        """The rows of a range that no fold inside the range hides."""
        first, last = self._openers_within(start, stop)
        folded = np.flatnonzero(self._folded[first:last]) + first
        begin, end = self._rows.openers[folded], self._rows.closers[folded]
        # Of folded branches inside each other only the outermost counts. Between these are the visible rows.
        outermost = np.ones(len(folded), np.bool_)
        outermost[1:] = begin[1:] > np.maximum.accumulate(end)[:-1]
        starts = np.concatenate([np.array([start], np.uint32), end[outermost] + np.uint32(1)])
        stops = np.concatenate([begin[outermost] + np.uint32(1), np.array([stop], np.uint32)])
        shown = _ranges(starts, stops)
        return shown if self._allowed is None else shown[self._allowed[shown]]

    def _splice(self, row: int, inside: NDArray[np.uint32]) -> None:
        """Replace the rows shown inside a branch."""
        shown = np.arange(len(self._rows), dtype=np.uint32) if self._shown is None else self._shown
        place = int(np.searchsorted(shown, np.uint32(row)))
        if place == len(shown) or shown[place] != row:
            return  # the branch is hidden itself, so everything inside stays hidden
        end = int(np.searchsorted(shown, np.uint32(self._rows.closer(row)), side="right"))
        self._shown = np.concatenate([shown[: place + 1], inside, shown[end:]])


def _ranges(starts: NDArray[np.uint32], stops: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """The numbers from each start up to each stop, one range after the other."""
    lengths = stops - starts
    ends = np.cumsum(lengths, dtype=np.uint32)
    # What is added to the index of a number may be negative; 32 bits wrap around, so the sum is still right.
    return np.arange(ends[-1] if len(ends) else 0, dtype=np.uint32) + np.repeat(starts - (ends - lengths), lengths)
