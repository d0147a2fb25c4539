"""Compares two JSON texts by path: one row for each property and item of either, with its kind of change.

Values are compared, not spellings: the order of properties is ignored, a number or a string that is only written differently is
marked as such, and numbers of any size are compared exactly. Properties are paired by name (duplicates in their order), items
as in `registry.results.comparing.pairing`. Comparing the same two texts in the other direction gives the same result.
"""

from __future__ import annotations

import operator
from array import array
from collections import Counter
from collections.abc import Callable, Mapping
from typing import NamedTuple

from registry.results.comparing.children import NOWHERE, ChangeKind, Children, Found
from registry.results.comparing.equivalence import is_equivalent
from registry.results.comparing.nodes import ComparisonCancelled, Forms, ListedObjects, Nodes

_LOOK_UP_EVERY = 2_000


class ComparedRow(NamedTuple):
    """A property or item, or the root value.

    Attributes:
        depth: its nesting depth.
        kind: the kind of change.
        holds: whether something inside it differs.
        left: its node in the first text; -1 if it is not there.
        right: its node in the second text; -1 if it is not there.
    """

    depth: int
    kind: ChangeKind
    holds: bool
    left: int
    right: int


class Comparison:
    """The differences of two texts, as rows from 0; the content of a branch follows it.

    Rows are in the order of the first text; what is only in the second follows the row that precedes it there.

    Attributes:
        left: the nodes of the first text.
        right: the nodes of the second.
        ends: for each row, the number of the row after all of its content.
        counts: the number of differences of each kind, where a branch that was added, removed or moved counts once; for
            `SAME`, the number of equal scalars and empty branches on both sides.
        changes: the rows of these differences, in order.
    """

    def __init__(self, left: Nodes, right: Nodes) -> None:
        self.left = left
        self.right = right
        self.ends = array("i")
        self.counts: Mapping[ChangeKind, int] = dict.fromkeys(ChangeKind, 0)
        self.changes = array("i")
        self._lefts = array("i")
        self._rights = array("i")
        self._kinds = bytearray()
        self._holds = bytearray()

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self._kinds)

    def __getitem__(self, number: int) -> ComparedRow:
        """A row."""
        if not 0 <= number < len(self):
            raise IndexError(number)
        left, right = self._lefts[number], self._rights[number]
        return ComparedRow(self.depth(number), ChangeKind(self._kinds[number]), bool(self._holds[number]), left, right)

    def depth(self, number: int) -> int:
        """The nesting depth of a row."""
        left = self._lefts[number]
        return self.left.depth(left) if left != NOWHERE else self.right.depth(self._rights[number])

    @property
    def differences(self) -> int:
        """How many differences there are."""
        return len(self.changes)

    def differs(self, number: int) -> bool:
        """Whether a row, or something inside it, is not the same on both sides."""
        return self._kinds[number] != ChangeKind.SAME or self._holds[number] != 0

    def is_branch(self, number: int) -> bool:
        """Whether a row has children."""
        return self.ends[number] > number + 1

    def find(self, left: int, right: int) -> int | None:
        """The row of a pair of nodes; None if they are not a pair."""
        pairs = zip(self._lefts, self._rights, strict=True)
        return next((number for number, pair in enumerate(pairs) if pair == (left, right)), None)

    def add(self, found: Found) -> int:
        """Add a row and return its number."""
        self._lefts.append(found.left)
        self._rights.append(found.right)
        self._kinds.append(found.kind)
        self._holds.append(0)
        self.ends.append(len(self._kinds))
        return len(self._kinds) - 1

    def add_whole(self, found: Found, stop: int | None = None) -> int:
        """Add a branch with all of its content, which is equal on both sides or only on one side.

        Args:
            found: the branch.
            stop: also adds the equal nodes that follow on both sides, up to this node of the first text.
        """
        left, right, kind = found
        row = len(self)
        nodes, start = (self.left, left) if left != NOWHERE else (self.right, right)
        size = (stop or nodes.ends[start]) - start
        self._lefts.extend(range(left, left + size) if left != NOWHERE else [NOWHERE] * size)
        self._rights.extend(range(right, right + size) if right != NOWHERE else [NOWHERE] * size)
        inside = ChangeKind.SAME if kind == ChangeKind.MOVED else kind
        self._kinds += bytes([kind]) + bytes([inside]) * (size - 1)
        self._holds += bytes(size)
        self.ends.extend([end - start + row for end in nodes.ends[start : start + size]])
        return row

    def close(self, row: int, parent: int) -> None:
        """Complete a row, and update its parent."""
        self.ends[row] = len(self)
        if parent != NOWHERE and self.differs(row):
            self._holds[parent] = 1


def compare(left: bytes, right: bytes, stop: Callable[[], bool] = lambda: False) -> Comparison:
    """Compare two JSON texts. Run it in a thread: ten megabytes per side take seconds.

    Args:
        left: the first text.
        right: the second.
        stop: called from time to time; returns whether to cancel.

    Raises:
        NotJson: one of them is not JSON.
        TooLarge: one of them is too large to be compared.
        ComparisonCancelled: `stop` returned true.
    """
    forms, objects = Forms(), ListedObjects()
    comparison = Comparison(Nodes.of(left, forms, stop, objects), Nodes.of(right, forms, stop, objects))
    _Comparer(comparison, mirrored=right < left, stop=stop).run()
    return comparison


class _Comparer:
    """Fills a comparison."""

    def __init__(self, comparison: Comparison, *, mirrored: bool, stop: Callable[[], bool]) -> None:
        self._made = comparison
        self._left, self._right = comparison.left, comparison.right
        self._children = Children(self._left, self._right, mirrored=mirrored, look_up=self._look_up)
        self._stop = stop
        self._steps = 0
        self._counts: Counter[ChangeKind] = Counter()
        # The remaining work, next step last: a pair and the row that contains it; None and a row to close.
        self._tasks: list[tuple[Found | None, int, int]] = [(Found(0, 0, ChangeKind.SAME), NOWHERE, NOWHERE)]

    def run(self) -> None:
        """Compare the outermost values and all of their content."""
        while self._tasks:
            self._look_up()
            found, row, parent = self._tasks.pop()
            if found is None:
                self._made.close(row, parent)
            else:
                self._take(found, parent)
        self._made.counts = {kind: self._counts[kind] for kind in ChangeKind}

    def _take(self, found: Found, parent: int) -> None:
        left, right, kind = found
        if kind in (ChangeKind.ADDED, ChangeKind.REMOVED):
            self._count(len(self._made), kind)
            self._made.close(self._made.add_whole(found), parent)
        elif self._in_one_order(left, right):
            self._take_equal(found, parent)
        elif self._left.opening(left) == self._right.opening(right) != "":
            row = self._made.add(found)
            self._count(row, kind)
            self._tasks.append((None, row, parent))
            self._tasks += reversed([(one, NOWHERE, row) for one in self._children.of(left, right)])
        else:
            self._replaced(left, right, parent)

    def _take_equal(self, found: Found, parent: int) -> None:
        """Add a value that is equal on both sides, and at once the equal ones that follow it on both sides."""
        left, right, kind = found
        ones, others = self._left.ends, self._right.ends
        start, row = left, len(self._made)
        left, right = ones[left], others[right]
        while kind == ChangeKind.SAME and self._tasks and self._tasks[-1][0] == (left, right, kind):
            if not self._in_one_order(left, right):
                break
            self._look_up()
            self._tasks.pop()
            left, right = ones[left], others[right]
        self._count(row, kind)
        leaves = sum(map(operator.eq, ones[start:left], range(start + 1, left + 1)))
        # A moved value without content is one difference, and must not count as equal as well.
        self._counts[ChangeKind.SAME] += leaves - (kind == ChangeKind.MOVED and left == start + 1)
        self._made.add_whole(found, left)
        if kind == ChangeKind.MOVED:
            self._made.close(row, parent)

    def _replaced(self, left: int, right: int, parent: int) -> None:
        """Add a scalar that was replaced, or a value of another type; the old children are removed."""
        one, other = self._left.scalar(left), self._right.scalar(right)
        same = one is not None and other is not None and is_equivalent(one, other)
        kind = ChangeKind.REWRITTEN if same else ChangeKind.CHANGED
        row = self._made.add(Found(left, right, kind))
        self._count(row, kind)
        for node in self._left.children(left):
            self._made.add_whole(Found(node, NOWHERE, ChangeKind.REMOVED))
        for node in self._right.children(right):
            self._made.add_whole(Found(NOWHERE, node, ChangeKind.ADDED))
        self._made.close(row, parent)

    def _in_one_order(self, left: int, right: int) -> bool:
        """Whether two values are equal and their properties have the same order."""
        ones, others = self._left, self._right
        if ones.values[left] != others.values[right]:
            return False
        inside, beside = slice(left + 1, ones.ends[left]), slice(right + 1, others.ends[right])
        return ones.values[inside] == others.values[beside] and ones.names[inside] == others.names[beside]

    def _count(self, row: int, kind: ChangeKind) -> None:
        if kind != ChangeKind.SAME:
            self._counts[kind] += 1
            self._made.changes.append(row)

    def _look_up(self) -> None:
        self._steps += 1
        if self._steps % _LOOK_UP_EVERY == 0 and self._stop():
            raise ComparisonCancelled
