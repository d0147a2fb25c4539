"""The visible rows: the document as far as it is unfolded, whole or only with search hits.

While only matches are shown, with the branches around them, the folds are separate from those of the whole document: these
branches are unfolded, all others folded, and unfolding a matching branch shows what is inside.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from tui.json_view.row_index import CLOSES, OPENS, numbers
from tui.json_view.rows import JsonRows


class Folds:
    """The visible rows of a document, or of the matches in it. Positions count visible rows from 0."""

    def __init__(self, rows: JsonRows, found: Sequence[int] | None = None) -> None:
        """Everything unfolded; or only the rows that were found, in order, and the branches around them."""
        self._rows, self._index = rows, rows.index
        self._folded = bytearray(len(self._index.openers))
        self._shown: array[int] | None = None  # None: all rows
        self._allowed: bytearray | None = None  # None: only folds hide rows
        self._holding: bytearray | None = None  # of the openers: whether something inside was found
        if found is not None:
            branches = list(zip(self._index.openers, self._index.closers, strict=True))
            self._holding = bytearray(bisect_right(found, end) > bisect_right(found, start) for start, end in branches)
            self._allowed = bytearray(len(rows))
            for row in (*found, *(start for (start, _), holds in zip(branches, self._holding, strict=True) if holds)):
                self._allowed[row] = True
            self.unfold_all()

    def __len__(self) -> int:
        """How many rows are visible."""
        return len(self._rows) if self._shown is None else len(self._shown)

    def row(self, place: int) -> int:
        """The row at a position."""
        return place if self._shown is None else self._shown[place]

    def place(self, row: int) -> int:
        """The position of a row, or of the branch that it is folded into."""
        return row if self._shown is None else max(bisect_right(self._shown, row) - 1, 0)

    def is_folded(self, row: int) -> bool:
        """Whether a row is a branch that is folded."""
        return self._index.kinds[row] == OPENS and bool(self._folded[self._index.place(row)])

    def toggle(self, row: int) -> None:
        """Fold or unfold a branch; folded branches inside stay folded."""
        if self._index.kinds[row] == OPENS:
            self._fold([self._index.place(row)], fold=not self.is_folded(row))

    def reveal(self, row: int) -> None:
        """Unfold everything that hides a row."""
        opener = self._rows.opener(row)
        above = opener if opener != row else self._rows.parent(row)
        hiding = []
        while above is not None:
            hiding += [self._index.place(above)] if self.is_folded(above) else []
            above = self._rows.parent(above)
        if hiding:
            self._fold(hiding, fold=False)

    def fold_to(self, depth: int) -> None:
        """Fold every branch at this depth or deeper, unfold all others."""
        self._folded = bytearray(self._index.depths[opener] >= depth for opener in self._index.openers)
        for place, holds in enumerate(self._holding or ()):
            self._folded[place] |= not holds
        self._refresh()

    def unfold_all(self) -> None:
        """Unfold everything, or everything that was found."""
        self._folded = bytearray(not holds for holds in self._holding) if self._holding else bytearray(len(self._folded))
        self._refresh()

    def beside(self, row: int, step: int) -> int | None:
        """The next or previous visible row directly inside the same branch; None when there is none."""
        kinds, depths = self._index.kinds, self._index.depths
        other = row
        while True:
            if step > 0:
                other = (self._index.closer(other) if kinds[other] == OPENS else other) + 1
            else:
                other = self._rows.opener(other - 1) if other else -1
            if not 0 <= other < len(self._rows) or kinds[other] == CLOSES or depths[other] != depths[row]:
                return None
            if self.row(self.place(other)) == other:
                return other

    def fold_siblings(self, row: int) -> None:
        """Fold the branch and all others of the same parent; unfold them if all are folded."""
        parent = self._rows.parent(row)
        if parent is None:
            self.toggle(row)
            return
        inside = (one for one in self._index.inside(parent) if self._index.kinds[one] == OPENS)
        level = [self._index.place(one) for one in inside if self._allowed is None or self._allowed[one]]
        self._fold(level, fold=not all(self._folded[place] for place in level))

    def _fold(self, places: Iterable[int], *, fold: bool) -> None:
        """Fold or unfold branches; unfolding one in which nothing was found shows everything inside."""
        for place in places:
            self._folded[place] = fold
            if not fold and self._allowed is not None and self._holding is not None and not self._holding[place]:
                start, end = self._index.openers[place] + 1, self._index.closers[place] + 1
                self._allowed[start:end] = b"\1" * (end - start)
        self._refresh()

    def _refresh(self) -> None:
        """Find the rows that no fold hides."""
        if self._allowed is None and not any(self._folded):
            self._shown = None
            return
        shown, row, place = numbers(), 0, 0
        while (place := self._folded.find(True, place)) >= 0:
            shown.extend(range(row, self._index.openers[place] + 1))
            row = self._index.closers[place] + 1
            place = self._index.place(row)
        shown.extend(range(row, len(self._rows)))
        allowed = self._allowed
        self._shown = shown if allowed is None else numbers(one for one in shown if allowed[one])
