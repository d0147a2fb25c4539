"""The visible rows of a comparison: the changes with their ancestors, or everything; without folded ones."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from registry.results.comparison import ChangeKind, Comparison

_LONG = 12


class Entry(NamedTuple):
    """A line: a row; or, from that row on, a number of `equal` neighbouring properties or items, the same on both sides."""

    row: int
    equal: int


class VisibleRows:
    """The visible lines. Positions count them from 0."""

    def __init__(self, comparison: Comparison) -> None:
        self._made = comparison
        self._only_changes = True
        self._folded = {row for row in comparison.changes if self._starts_folded(row)}
        self._opened: set[int] = set()
        # A row number; or, for equal rows, the negative of their first row number, minus one.
        self._lines = self._visible(0, len(comparison))

    def __len__(self) -> int:
        """How many lines are visible."""
        return len(self._lines)

    def __getitem__(self, place: int) -> Entry:
        """The line at a position."""
        line = self._lines[place]
        if line >= 0:
            return Entry(line, 0)
        row, equal, end = -line - 1, 0, self._end(place)
        while row < end:
            row, equal = self._made.ends[row], equal + 1
        return Entry(-line - 1, equal)

    @property
    def only_changes(self) -> bool:
        """Whether equal lines are hidden."""
        return self._only_changes

    @only_changes.setter
    def only_changes(self, wanted: bool) -> None:
        self._only_changes = wanted
        self._opened.clear()
        self._all_again()

    def place(self, row: int) -> int:
        """The position of a row, or of the line that it is hidden in."""
        return bisect_right(self._lines, row, key=_row) - 1

    def is_folded(self, row: int) -> bool:
        """Whether a branch is folded."""
        return row in self._folded

    def toggle(self, place: int) -> None:
        """Fold or unfold the branch at a position, or show the equal lines there."""
        row, equal = self[place]
        if equal:
            self._opened.add(row)
            self._lines[place : place + 1] = self._visible(row, self._end(place))
        elif self._made.is_branch(row):
            self._folded ^= {row}
            after = bisect_left(self._lines, self._made.ends[row], key=_row)
            # An equal branch is a line of its own only if the user opened the equal lines.
            asked_for = row > 0 and not self._made.differs(row)
            lines = self._unfolded if asked_for else self._visible
            self._lines[place:after] = lines(row, self._made.ends[row])

    def reveal(self, row: int) -> None:
        """Unfold everything that hides a row."""
        hiding = {one for one in self._folded if one < row < self._made.ends[one]}
        if hiding:
            self._folded -= hiding
            self._all_again()

    def unfold_all(self) -> None:
        """Unfold everything."""
        self._folded.clear()
        self._all_again()

    def fold_all(self) -> None:
        """Fold everything but the outermost level; if a list is nearly everything, its items stay visible."""
        ends = self._made.ends
        level: list[int] = []
        for row in self._inside(0):
            nearly_all = 2 * (ends[row] - row) > len(self._made)
            level += self._inside(row) if nearly_all else [row]
        self._folded.update(row for row in level if self._made.is_branch(row))
        self._all_again()

    def parent(self, row: int) -> int | None:
        """The row of the branch around a row; None for the root value."""
        depth = self._made.depth(row)
        return next((one for one in range(row - 1, -1, -1) if self._made.depth(one) < depth), None)

    def _inside(self, row: int) -> Iterator[int]:
        one, end = row + 1, self._made.ends[row]
        while one < end:
            yield one
            one = self._made.ends[one]

    def _starts_folded(self, row: int) -> bool:
        """Whether a row starts folded: long added or removed branches, and moved ones, would hide the other changes."""
        kind = self._made[row].kind
        inside = self._made.ends[row] - row - 1
        if kind in (ChangeKind.ADDED, ChangeKind.REMOVED):
            return inside > _LONG
        return kind == ChangeKind.MOVED and inside > 0 and not self._made[row].holds

    def _all_again(self) -> None:
        self._lines = self._visible(0, len(self._made))

    def _visible(self, row: int, stop: int) -> array[int]:
        """The lines of some rows."""
        if not self._only_changes:
            return self._unfolded(row, stop)
        made, lines = self._made, array("i")
        while row < stop:
            if row == 0 or made.differs(row):
                lines.append(row)
                row = made.ends[row] if row in self._folded else row + 1
                continue
            end = self._end_of_equal(row, stop)
            if row in self._opened:
                lines.extend(self._unfolded(row, end))
            else:
                alone = end == made.ends[row] and not made.is_branch(row)
                lines.append(row if alone else -row - 1)
            row = end
        return lines

    def _unfolded(self, row: int, stop: int) -> array[int]:
        """The lines of some rows with equal ones shown."""
        if not self._folded:
            return array("i", range(row, stop))
        lines = array("i")
        while row < stop:
            lines.append(row)
            row = self._made.ends[row] if row in self._folded else row + 1
        return lines

    def _end_of_equal(self, row: int, stop: int) -> int:
        """The row after the equal neighbours from here on."""
        made, depth = self._made, self._made.depth(row)
        while row < stop and made.depth(row) == depth and not made.differs(row):
            row = made.ends[row]
        return row

    def _end(self, place: int) -> int:
        """The row after the rows that a line of equal ones replaces."""
        return self._end_of_equal(-self._lines[place] - 1, len(self._made))


def _row(line: int) -> int:
    return line if line >= 0 else -line - 1
