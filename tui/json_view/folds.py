"""The visible rows: the document as far as it is unfolded, whole or only with search hits.

While only matches are shown, with the branches around them, the folds are separate from those of the whole document: these
branches are unfolded, all others folded, and unfolding a matching branch shows what is inside.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

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
            branches = zip(self._index.openers, self._index.closers, strict=True)
            self._holding = bytearray(bisect_right(found, end) > bisect_right(found, start) for start, end in branches)
            self._allowed = bytearray(len(rows))
            for row in found:
                self._allowed[row] = True
            for place, opener in enumerate(self._index.openers):
                if self._holding[place]:
                    self._allowed[opener] = True
            self._folded = bytearray(not holds for holds in self._holding)
            self._shown = numbers(row for row, allowed in enumerate(self._allowed) if allowed)

    def __len__(self) -> int:
        """How many rows are visible."""
        return len(self._rows) if self._shown is None else len(self._shown)

    def row(self, place: int) -> int:
        """The row at a position."""
        return place if self._shown is None else self._shown[place]

    def place(self, row: int) -> int:
        """The position of a row, or of the branch that it is folded into."""
        return row if self._shown is None else max(bisect_right(self._shown, row) - 1, 0)

    @property
    def is_partial(self) -> bool:
        """Whether only matches are shown."""
        return self._allowed is not None

    def is_folded(self, row: int) -> bool:
        """Whether a row is a branch that is folded."""
        return self._index.kinds[row] == OPENS and bool(self._folded[self._index.place(row)])

    def fold(self, row: int) -> None:
        """Fold a branch; any other row, or a folded one, stays as it is."""
        if self._index.kinds[row] == OPENS and not self.is_folded(row):
            self._folded[self._index.place(row)] = True
            self._splice(row, numbers())

    def unfold(self, row: int) -> None:
        """Unfold a branch; folded branches inside stay folded."""
        if not self.is_folded(row):
            return
        place, end = self._index.place(row), self._index.closer(row) + 1
        self._folded[place] = False
        self._allow_all(place)
        self._splice(row, self._visible(row + 1, end))

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
        depths, holding = self._index.depths, self._holding
        self._folded = bytearray(
            depths[opener] >= depth or (holding is not None and not holding[place])
            for place, opener in enumerate(self._index.openers)
        )
        self._shown = self._visible(0, len(self._rows)) if self.is_partial or any(self._folded) else None

    def unfold_all(self) -> None:
        """Unfold everything, or everything that was found."""
        if self._holding is not None:
            self._folded = bytearray(not holds for holds in self._holding)
            self._shown = self._visible(0, len(self._rows))
        else:
            self._folded, self._shown = bytearray(len(self._folded)), None

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
            if self._is_visible(other):
                return other

    def fold_siblings(self, row: int) -> None:
        """Fold the branch and all others of the same parent; unfold them if all are folded."""
        parent = self._rows.parent(row)
        if parent is None:
            self.toggle(row)
            return
        end, depths, openers = self._index.closer(parent), self._index.depths, self._index.openers
        level = [
            place
            for place in range(self._index.place(parent + 1), self._index.place(end))
            if depths[openers[place]] == depths[row] and (self._allowed is None or self._allowed[openers[place]])
        ]
        fold = not all(self._folded[place] for place in level)
        for place in level:
            self._folded[place] = fold
            if not fold:
                self._allow_all(place)
        if not self.is_folded(parent):
            self._splice(parent, self._visible(parent + 1, end + 1))

    def _is_visible(self, row: int) -> bool:
        return self._shown is None or (len(self) > 0 and self._shown[self.place(row)] == row)

    def _allow_all(self, place: int) -> None:
        """Show everything inside a branch in which nothing was found."""
        if self._allowed is not None and self._holding is not None and not self._holding[place]:
            start, end = self._index.openers[place] + 1, self._index.closers[place] + 1
            self._allowed[start:end] = b"\1" * (end - start)

    def _visible(self, start: int, stop: int) -> array[int]:
        """The rows of a range that no fold inside the range hides."""
        shown, row = numbers(), start
        place, last = self._index.place(start), self._index.place(stop)
        while (place := self._folded.find(True, place, last)) >= 0:
            shown.extend(range(row, self._index.openers[place] + 1))
            row = self._index.closers[place] + 1
            place = self._index.place(row)
        shown.extend(range(row, stop))
        allowed = self._allowed
        return shown if allowed is None else numbers(one for one in shown if allowed[one])

    def _splice(self, row: int, inside: array[int]) -> None:
        """Replace the rows shown inside a branch."""
        shown = numbers(range(len(self._rows))) if self._shown is None else self._shown
        place = bisect_left(shown, row)
        if place == len(shown) or shown[place] != row:
            return  # the branch is hidden itself, so everything inside stays hidden
        self._shown = shown[: place + 1] + inside + shown[bisect_right(shown, self._index.closer(row)) :]
