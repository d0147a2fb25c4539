"""The visible rows of a comparison: the changes with their ancestors, or everything; without folded ones."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from registry.results.comparison import ChangeKind, ComparedRow, Comparison, values_in

_LONG = 12


class Entry(NamedTuple):
    """A line: a row; or, from that row on, a number of `equal` neighbouring properties or items, the same on both sides."""

    row: ComparedRow
    equal: int = 0


class VisibleRows:
    """The visible lines. Positions count them from 0.

    Equal branches, long added or removed ones, and moved ones are folded at first, and equal neighbours are one line: they
    would hide the changes.
    """

    def __init__(self, comparison: Comparison) -> None:
        self._root = comparison.root
        self._folded: dict[ComparedRow, bool] = {}  # what the user chose
        self._all_unfolded = False
        self._opened: set[ComparedRow] = set()  # equal neighbours, by the first of them
        self._refresh()

    def __len__(self) -> int:
        return len(self._lines)

    def __getitem__(self, place: int) -> Entry:
        return self._lines[place]

    def place(self, row: ComparedRow) -> int:
        """The position of a row, or of the line that it is hidden in."""
        one: ComparedRow | None = row
        while one is not None and one not in self._places:
            one = one.above
        return self._places[one] if one is not None else 0

    def is_folded(self, row: ComparedRow) -> bool:
        if not row.children:
            return False
        folded = self._folded.get(row)
        return folded if folded is not None else not self._all_unfolded and self._starts_folded(row)

    def toggle(self, place: int) -> None:
        """Fold or unfold the branch at a position, or show the equal lines there."""
        row, equal = self[place]
        if equal:
            self._opened.add(row)
        else:
            self._folded[row] = not self.is_folded(row)
        self._refresh()

    def reveal(self, row: ComparedRow) -> None:
        above = row.above
        while above is not None:
            self._folded[above] = False
            above = above.above
        self._refresh()

    def unfold_all(self) -> None:
        self._folded.clear()
        self._all_unfolded = True
        self._refresh()

    def fold_all(self) -> None:
        """Fold everything but the outermost level; if a list is nearly everything, its items stay visible."""
        for row in self._root.children:
            nearly_all = 2 * values_in(row.node.value) > values_in(self._root.node.value)
            self._folded[row] = not nearly_all
            self._folded.update(dict.fromkeys(row.children if nearly_all else (), True))
        self._refresh()

    def _starts_folded(self, row: ComparedRow) -> bool:
        if row.kind in (ChangeKind.ADDED, ChangeKind.REMOVED):
            return values_in(row.node.value) > _LONG
        return row is not self._root and row.kind != ChangeKind.CHANGED and not row.holds

    def _refresh(self) -> None:
        self._lines: list[Entry] = []
        self._places: dict[ComparedRow, int] = {}
        for entry, rows in self._visible([self._root], equal=True):
            self._places.update(dict.fromkeys(rows, len(self._lines)))
            self._lines.append(entry)

    def _visible(self, rows: Sequence[ComparedRow], *, equal: bool) -> Iterator[tuple[Entry, Sequence[ComparedRow]]]:
        """The lines of some neighbours, each with its rows; `equal`: each equal one as well."""
        for differs, group in groupby(rows, key=lambda row: equal or row.differs):
            some = list(group)
            if not differs and some[0] not in self._opened:
                yield Entry(some[0], len(some) if len(some) > 1 or some[0].children else 0), some
                continue
            for row in some:
                yield Entry(row), [row]
                if not self.is_folded(row):
                    yield from self._visible(row.children, equal=self._all_unfolded or not differs)
