"""Which rows are in sight: the document unfolded as far as somebody has unfolded it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tui.json_view.rows import CLOSES, OPENS, Rows

_BLOCK = 1 << 19


class Folds:
    """The visible rows of a document. Places count visible rows from 0."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._folded = np.zeros(len(rows.openers), np.bool_)
        self._shown: NDArray[np.uint32] | None = None  # None: all rows

    def __len__(self) -> int:
        """How many rows are visible."""
        return len(self._rows) if self._shown is None else len(self._shown)

    def row(self, place: int) -> int:
        """The row at a place."""
        return place if self._shown is None else int(self._shown[place])

    def place(self, row: int) -> int:
        """Where a row stands, or what it is folded into."""
        if self._shown is None:
            return row
        return int(np.searchsorted(self._shown, np.uint32(row), side="right")) - 1

    def is_folded(self, row: int) -> bool:
        """Whether a row is a branch that is folded."""
        return self._rows.kinds[row] == OPENS and bool(self._folded[self._opener(row)])

    def fold(self, row: int) -> None:
        """Fold a branch; nothing for what is none, or folded."""
        if self._rows.kinds[row] != OPENS or self.is_folded(row):
            return
        self._folded[self._opener(row)] = True
        self._splice(row, np.empty(0, np.uint32))

    def unfold(self, row: int) -> None:
        """Unfold a branch; what is folded inside stays so."""
        if not self.is_folded(row):
            return
        self._folded[self._opener(row)] = False
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
        """Fold every branch that lies at this depth or deeper, unfold all others."""
        rows = self._rows
        self._folded = rows.depths[rows.openers] >= depth
        self._shown = np.concatenate([*self._down_to(depth)]) if self._folded.any() else None

    def unfold_all(self) -> None:
        """Unfold everything."""
        self._folded[:] = False
        self._shown = None

    def fold_siblings(self, row: int) -> None:
        """Fold the branch and all others of the same parent; unfold them where all are folded."""
        rows = self._rows
        parent = rows.parent(row)
        if parent is None:
            self.toggle(row)
            return
        first, last = self._openers_within(parent + 1, rows.closer(parent))
        level = rows.depths[rows.openers[first:last]] == rows.depths[row]
        branches = self._folded[first:last]
        branches[level] = not branches[level].all()
        if not self.is_folded(parent):
            self._splice(parent, self._visible(parent + 1, rows.closer(parent) + 1))

    def _down_to(self, depth: int) -> Iterator[NDArray[np.uint32]]:
        """The rows that lie no deeper, without the ends of what is folded there; block by block, for the memory's sake."""
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
        """The rows of a range that nothing inside it hides."""
        first, last = self._openers_within(start, stop)
        folded = np.flatnonzero(self._folded[first:last]) + first
        if not len(folded):
            return np.arange(start, stop, dtype=np.uint32)
        change = np.zeros(stop - start + 1, np.int32)
        change[self._rows.openers[folded] + 1 - start] += 1
        change[self._rows.closers[folded] + 1 - start] -= 1
        return (np.flatnonzero(np.cumsum(change[:-1]) == 0) + start).astype(np.uint32)

    def _splice(self, row: int, inside: NDArray[np.uint32]) -> None:
        """Put other rows between a branch and what comes behind it."""
        shown = np.arange(len(self._rows), dtype=np.uint32) if self._shown is None else self._shown
        place = int(np.searchsorted(shown, np.uint32(row)))
        if place == len(shown) or shown[place] != row:
            return  # it is out of sight itself: what it holds stays so
        behind = int(np.searchsorted(shown, np.uint32(self._rows.closer(row)), side="right"))
        self._shown = np.concatenate([shown[: place + 1], inside, shown[behind:]])
