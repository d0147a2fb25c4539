"""The visible rows: the document as far as it is unfolded, whole or only with search hits.

While only matches are shown, with the branches around them, the folds are separate from those of the whole document: these
branches are unfolded, all others folded, and unfolding a matching branch shows what is inside.
"""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from tui.json_view.rows import OPENS, JsonRows

UNFOLDED = 1 << 20
"""A depth at which there is nothing: folding to it unfolds everything."""


class Folds:
    """The visible rows of a document, or of the matches in it. Positions count visible rows from 0."""

    def __init__(self, rows: JsonRows, found: Sequence[int] | None = None) -> None:
        """Everything unfolded; or only the rows that were found, in order, and the branches around them."""
        self._rows = rows
        self._shown: Sequence[int] = range(len(rows))
        self._allowed: bytearray | None = None  # None: only folds hide rows
        self._folded = self._in_vain = bytearray(len(rows))  # in vain: branches in which nothing was found
        if found is not None:
            self._allowed, self._in_vain = bytearray(len(rows)), bytearray(len(rows))
            for row in rows.openers():
                holds = bisect_right(found, rows.closer(row)) > bisect_right(found, row)
                self._allowed[row], self._in_vain[row] = holds, not holds
            for row in found:
                self._allowed[row] = True
            self.fold_to(UNFOLDED)

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
            self._fold([row], fold=not self._folded[row])

    def reveal(self, row: int) -> None:
        """Unfold everything that hides a row."""
        opener = self._rows.opener(row)
        above = opener if opener != row else self._rows.parent(row)
        hiding = []
        while above is not None:
            hiding += [above] if self._folded[above] else []
            above = self._rows.parent(above)
        if hiding:
            self._fold(hiding, fold=False)

    def fold_to(self, depth: int) -> None:
        """Fold every branch at this depth or deeper, unfold all others; of the matches, what was found stays in sight."""
        self._folded = bytearray(self._in_vain)
        for row in self._rows.openers(depth):
            self._folded[row] = True
        self._refresh()

    def _fold(self, branches: Iterable[int], *, fold: bool) -> None:
        """Fold or unfold branches; unfolding one in which nothing was found shows everything inside."""
        for row in branches:
            self._folded[row] = fold
            if not fold and self._allowed is not None and self._in_vain[row]:
                end = self._rows.closer(row) + 1
                self._allowed[row:end] = b"\1" * (end - row)
        self._refresh()

    def _refresh(self) -> None:
        """Find the rows that no fold hides."""
        if self._allowed is None and True not in self._folded:
            self._shown = range(len(self._rows))
            return
        shown, row = array("I"), 0
        while (branch := self._folded.find(True, row)) >= 0:
            shown.extend(range(row, branch + 1))
            row = self._rows.closer(branch) + 1
        shown.extend(range(row, len(self._rows)))
        self._shown = shown if self._allowed is None else array("I", (one for one in shown if self._allowed[one]))
