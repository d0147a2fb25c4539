"""The visible rows: the document as far as it is unfolded."""

from array import array
from bisect import bisect_right
from collections.abc import Sequence

from tui.json_view.rows import OPENS, JsonRows

UNFOLDED = 1 << 20
"""A depth at which there is nothing: folding to it unfolds everything."""


class Folds:
    """The visible rows of a document, at first all of them. Positions count visible rows from 0."""

    def __init__(self, rows: JsonRows) -> None:
        self._rows = rows
        self._shown: Sequence[int] = range(len(rows))
        self._folded = bytearray(len(rows))

    def __len__(self) -> int:
        return len(self._shown)

    def row(self, place: int) -> int:
        return self._shown[place]

    def place(self, row: int) -> int:
        """The position of a row, or of the branch that it is folded into."""
        return max(bisect_right(self._shown, row) - 1, 0)

    def is_folded(self, row: int) -> bool:
        return bool(self._folded[row])

    def toggle(self, row: int) -> None:
        """Fold or unfold a branch; folded branches inside stay folded."""
        if self._rows.kind(row) == OPENS:
            self._folded[row] = not self._folded[row]
            self._refresh()

    def reveal(self, row: int) -> None:
        """Unfold everything that hides a row."""
        opener = self._rows.opener(row)
        above = opener if opener != row else self._rows.parent(row)
        while above is not None:
            self._folded[above] = False
            above = self._rows.parent(above)
        self._refresh()

    def fold_to(self, depth: int) -> None:
        """Fold every branch at this depth or deeper, unfold all others."""
        self._folded = bytearray(len(self._rows))
        for row in self._rows.openers(depth):
            self._folded[row] = True
        self._refresh()

    def _refresh(self) -> None:
        """Find the rows that no fold hides."""
        if True not in self._folded:
            self._shown = range(len(self._rows))
            return
        shown, row = array("I"), 0
        while (branch := self._folded.find(True, row)) >= 0:
            shown.extend(range(row, branch + 1))
            row = self._rows.closer(branch) + 1
        shown.extend(range(row, len(self._rows)))
        self._shown = shown
