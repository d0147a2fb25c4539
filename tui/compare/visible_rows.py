"""The visible rows of a comparison: the changes with their ancestors, or everything; without folded ones."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from registry.results.comparison import ChangeKind, Comparison

_LONG = 12


class Entry(NamedTuple):
    """A line: a row; or, from that row on, a number of `equal` neighbouring properties or items, the same on both sides."""

    row: int
    equal: int = 0


class VisibleRows:
    """The visible lines. Positions count them from 0.

    Attributes:
        only_changes: whether equal lines are hidden; see `show_only_changes`.
    """

    def __init__(self, comparison: Comparison) -> None:
        self._made = comparison
        self.only_changes = True
        self._folded = {row for row in comparison.changes if self._starts_folded(row)}
        self._opened: set[int] = set()
        self._refresh()

    def __len__(self) -> int:
        """How many lines are visible."""
        return len(self._lines)

    def __getitem__(self, place: int) -> Entry:
        """The line at a position."""
        return self._lines[place]

    def show_only_changes(self, wanted: bool) -> None:
        """Hide equal lines, or show everything."""
        self.only_changes = wanted
        self._opened.clear()
        self._refresh()

    def place(self, row: int) -> int:
        """The position of a row, or of the line that it is hidden in."""
        return bisect_right(self._lines, row, key=lambda line: line.row) - 1

    def is_folded(self, row: int) -> bool:
        """Whether a branch is folded."""
        return row in self._folded

    def toggle(self, place: int) -> None:
        """Fold or unfold the branch at a position, or show the equal lines there."""
        row, equal = self[place]
        if equal:
            self._opened.add(row)
        elif self._made.is_branch(row):
            self._folded ^= {row}
        self._refresh()

    def reveal(self, row: int) -> None:
        """Unfold everything that hides a row."""
        self._folded -= {one for one in self._folded if one < row < self._made[one].end}
        self._refresh()

    def unfold_all(self) -> None:
        """Unfold everything."""
        self._folded.clear()
        self._refresh()

    def fold_all(self) -> None:
        """Fold everything but the outermost level; if a list is nearly everything, its items stay visible."""
        for row in self._inside(0):
            nearly_all = 2 * (self._made[row].end - row) > len(self._made)
            self._folded.update(one for one in (self._inside(row) if nearly_all else [row]) if self._made.is_branch(one))
        self._refresh()

    def parent(self, row: int) -> int | None:
        """The row of the branch around a row; None for the root value."""
        depth = self._made[row].depth
        return next((one for one in range(row - 1, -1, -1) if self._made[one].depth < depth), None)

    def _inside(self, row: int) -> Iterator[int]:
        one, end = row + 1, self._made[row].end
        while one < end:
            yield one
            one = self._made[one].end

    def _starts_folded(self, number: int) -> bool:
        """Whether a row starts folded: long added or removed branches, and moved ones, would hide the other changes."""
        row = self._made[number]
        inside = row.end - number - 1
        if row.kind in (ChangeKind.ADDED, ChangeKind.REMOVED):
            return inside > _LONG
        return row.kind == ChangeKind.MOVED and inside > 0 and not row.holds

    def _refresh(self) -> None:
        self._lines = list(self._visible(0, len(self._made), all_=not self.only_changes))

    def _visible(self, row: int, stop: int, *, all_: bool) -> Iterator[Entry]:
        """The lines of some rows; `all_`: with equal ones."""
        while row < stop:
            if all_ or row == 0 or self._made[row].differs:
                yield Entry(row)
                row = self._made[row].end if row in self._folded else row + 1
                continue
            first, equal, depth = row, 0, self._made[row].depth
            while row < stop and self._made[row].depth == depth and not self._made[row].differs:
                row, equal = self._made[row].end, equal + 1
            if first in self._opened:
                yield from self._visible(first, row, all_=True)
            else:
                yield Entry(first, 0 if row == first + 1 else equal)
