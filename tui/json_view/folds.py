"""The visible rows: the document as far as it is unfolded."""

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from heapq import merge
from itertools import chain

from tui.json_view.rows import OPENS, JsonRows

UNFOLDED = 1 << 20
"""A depth at which there is nothing: folding to it unfolds everything."""


class Folds:
    """The visible rows of a document, at first all of them. Positions count visible rows from 0."""

    def __init__(self, rows: JsonRows) -> None:
        self._rows = rows
        self._shown: Sequence[int] = range(len(rows))
        self._depth = UNFOLDED
        self._edges = lru_cache(maxsize=9)(lambda *where: array("I", chain.from_iterable(rows.branches(*where))))
        self._toggled = set[int]()  # branches less deep that are folded, and those as deep or deeper that are not

    def __len__(self) -> int:
        return len(self._shown)

    def row(self, place: int) -> int:
        return self._shown[place]

    def place(self, row: int) -> int:
        """The position of a row, or of the branch that it is folded into."""
        return max(bisect_right(self._shown, row) - 1, 0)

    def is_folded(self, row: int) -> bool:
        return self._rows.kind(row) == OPENS and (self._rows.depth(row) >= self._depth) != (row in self._toggled)

    def toggle(self, row: int) -> None:
        """Fold or unfold a branch; folded branches inside stay folded."""
        if self._rows.kind(row) == OPENS:
            self._toggled ^= {row}
            self._refresh()

    def reveal(self, row: int) -> None:
        """Unfold everything that hides a row."""
        opener = self._rows.opener(row)
        above = opener if opener != row else self._rows.parent(row)
        while above is not None:
            if self.is_folded(above):
                self._toggled ^= {above}
            above = self._rows.parent(above)
        self._refresh()

    def fold_to(self, depth: int) -> None:
        """Fold every branch at this depth or deeper, unfold all others."""
        self._depth = depth
        self._toggled = set()
        self._refresh()

    def _refresh(self) -> None:
        """Find the rows that no fold hides."""
        less_deep = ((one, self._rows.closer(one)) for one in sorted(self._toggled) if self._rows.depth(one) < self._depth)
        shown, row = array("I"), 0
        for branch, closer in merge(less_deep, self._folded(self._depth)):
            if branch >= row:
                shown.extend(range(row, branch + 1))
                row = closer + 1
        rest = range(row, len(self._rows))
        shown.extend(rest if row else ())
        self._shown = shown or rest

    def _folded(self, depth: int, around: int = 0) -> Iterator[tuple[int, int]]:
        """The folded branches inside one whose own are at a depth where all are folded but those that were toggled."""
        edges = iter(self._edges(depth, around) if depth < UNFOLDED else ())
        for branch, closer in zip(edges, edges, strict=True):
            if branch in self._toggled:
                yield from self._folded(depth + 1, branch)
            else:
                yield branch, closer
