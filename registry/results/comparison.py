"""Compares two JSON texts by path: one row for each property and item of either, with its kind of change.

Values are compared, not spellings: the order of properties is ignored, a number or a string that is only written differently is
marked as such, and numbers of any size are compared exactly. Properties are paired by name (duplicates in their order), items
as in `registry.results.pairing`.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import IntEnum
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from registry.calling.sensitive import mask
from registry.json_text.reading import NotJson
from registry.results.equivalence import is_equivalent
from registry.results.nodes import NOWHERE, ComparisonCancelled, Forms, Nodes, TooLarge
from registry.results.pairing import Elements, Pairing, nth_with_nth, pair_up

_LOOK_UP_EVERY = 2_000
_MOST_LOOKED_AT = 64  # properties or items compared, to measure how similar two branches are
_MOST_CHANGES, _MOST_BYTES = 100, 16_000_000


class ChangeKind(IntEnum):
    """How a property or an item has changed. `SAME` is also the kind of a branch that is on both sides but differs inside."""

    SAME = 0
    ADDED = 1
    REMOVED = 2
    CHANGED = 3
    REWRITTEN = 4
    MOVED = 5


class Found(NamedTuple):
    """A pair of nodes, or a node of one side with -1 for the other, and the kind of change, as far as their position shows."""

    left: int
    right: int
    kind: ChangeKind


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
        changes: the rows of the differences, in order; a branch that was added, removed or moved is one.
    """

    def __init__(self, left: Nodes, right: Nodes) -> None:
        self.left = left
        self.right = right
        self.ends, self.changes = array("i"), array("i")
        self._lefts, self._rights = array("i"), array("i")
        self._kinds, self._holds = bytearray(), bytearray()

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

    @cached_property
    def counts(self) -> Mapping[ChangeKind, int]:
        """The number of differences of each kind; for `SAME`, that of equal scalars and empty branches on both sides."""
        kinds = Counter(self._kinds[row] for row in self.changes)
        kinds[ChangeKind.SAME] = sum(not kind and self.ends[row] == row + 1 for row, kind in enumerate(self._kinds))
        return {kind: kinds[kind] for kind in ChangeKind}

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

    def add(self, found: Found) -> None:
        """Add a row."""
        self._lefts.append(found.left)
        self._rights.append(found.right)
        self._kinds.append(found.kind)
        self._holds.append(0)
        self.ends.append(len(self._kinds))

    def add_whole(self, found: Found) -> None:
        """Add a branch with all of its content, which is equal on both sides or only on one side."""
        left, right, kind = found
        nodes, start = (self.left, left) if left != NOWHERE else (self.right, right)
        row, size = len(self), nodes.ends[start] - start
        inside = ChangeKind.SAME if kind == ChangeKind.MOVED else kind
        self._lefts.extend(range(left, left + size) if left != NOWHERE else [NOWHERE] * size)
        self._rights.extend(range(right, right + size) if right != NOWHERE else [NOWHERE] * size)
        self._kinds += bytes([kind]) + bytes([inside]) * (size - 1)
        self._holds += bytes(size)
        self.ends.extend([end - start + row for end in nodes.ends[start : start + size]])

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
    forms = Forms()
    ones, others = Nodes(left, forms, stop), Nodes(right, forms, stop)
    made = Comparison(ones, others)
    # The branches that are being compared, the innermost last: each its row, and what remains of its children.
    open_ = [(NOWHERE, iter([Found(0, 0, ChangeKind.SAME)]))]
    steps = 0
    while open_:
        row, children = open_[-1]
        steps += 1
        if steps % _LOOK_UP_EVERY == 0 and stop():
            raise ComparisonCancelled
        if (found := next(children, None)) is None:
            open_.pop()
            if open_:
                made.close(row, open_[-1][0])
            continue
        own = len(made)
        one, other, kind = found
        if kind in (ChangeKind.ADDED, ChangeKind.REMOVED) or _in_one_order(ones, others, one, other):
            made.add_whole(found)
        elif ones.opening(one) == others.opening(other) != "":
            made.add(found)
            open_.append((own, _children(ones, others, one, other)))
        else:
            kind = _replaced(made, one, other)
        if kind != ChangeKind.SAME:
            made.changes.append(own)
        if open_[-1][0] == row:
            made.close(own, row)
    return made


def _replaced(made: Comparison, left: int, right: int) -> ChangeKind:
    """Add a scalar that was replaced, or a value of another type with the old children removed; returns the kind of change."""
    one, other = made.left.scalar(left), made.right.scalar(right)
    same = one is not None and other is not None and is_equivalent(one, other)
    kind = ChangeKind.REWRITTEN if same else ChangeKind.CHANGED
    made.add(Found(left, right, kind))
    for node in made.left.children(left):
        made.add_whole(Found(node, NOWHERE, ChangeKind.REMOVED))
    for node in made.right.children(right):
        made.add_whole(Found(NOWHERE, node, ChangeKind.ADDED))
    return kind


def _in_one_order(ones: Nodes, others: Nodes, left: int, right: int) -> bool:
    """Whether two values are equal and their properties have the same order."""
    if ones.values[left] != others.values[right]:
        return False
    inside, beside = slice(left + 1, ones.ends[left]), slice(right + 1, others.ends[right])
    return ones.values[inside] == others.values[beside] and ones.names[inside] == others.names[beside]


def _children(left: Nodes, right: Nodes, one: int, other: int) -> Iterator[Found]:
    """The children of two objects or two arrays, in the order of the first."""
    ones, others = list(left.children(one)), list(right.children(other))
    if left.opening(one) == "{":
        pairing = Pairing(nth_with_nth([left.names[node] for node in ones], [right.names[node] for node in others]), [])
    else:
        pairing = pair_up(_elements(left, ones), _elements(right, others), lambda a, b: _alike(left, right, ones[a], others[b]))
    return _in_order(pairing, ones, others)


def _elements(nodes: Nodes, items: Sequence[int]) -> Elements:
    return Elements([nodes.values[one] for one in items], [_id_of(nodes, one) for one in items])


def _id_of(nodes: Nodes, item: int) -> int | None:
    id_ = nodes.member(item, '"id"')
    return nodes.values[id_] if id_ is not None and nodes.scalar(id_) not in (None, "null", '""') else None


def _alike(left: Nodes, right: Nodes, one: int, other: int) -> float:
    """The similarity of two items, from 0 to 1: what they have in common, above all with the same name and value."""
    bracket = left.opening(one)
    if bracket != right.opening(other):
        return 0
    if not bracket:
        return 1 if is_equivalent(left.scalar(one) or "", right.scalar(other) or "") else 0.1
    members, beside = (
        Counter((nodes.names[child], nodes.values[child]) for child in islice(nodes.children(node), _MOST_LOOKED_AT))
        for nodes, node in ((left, one), (right, other))
    )
    most = max(members.total(), beside.total(), 1)
    common = (members & beside).total() / most
    if bracket == "[":
        return 0.1 + 0.9 * common
    return (common + len({name for name, _ in members} & {name for name, _ in beside}) / most) / 2


def _in_order(pairing: Pairing, ones: Sequence[int], others: Sequence[int]) -> Iterator[Found]:
    """All children in the order of the first; those only in the second follow the kept item that precedes them there."""
    kept, moved = dict(pairing.kept), dict(pairing.moved)
    partner = {other: one for one, other in pairing.kept}
    elsewhere = set(moved.values())
    behind: dict[int, list[int]] = defaultdict(list)
    anchor = NOWHERE
    for place, node in enumerate(others):
        if place in partner:
            anchor = partner[place]
        elif place not in elsewhere:
            behind[anchor].append(node)
    anchor = NOWHERE
    for place, node in enumerate(ones):
        if place in kept:
            yield from (Found(NOWHERE, other, ChangeKind.ADDED) for other in behind[anchor])
            anchor = place
            yield Found(node, others[kept[place]], ChangeKind.SAME)
        elif place in moved:
            yield Found(node, others[moved[place]], ChangeKind.MOVED)
        else:
            yield Found(node, NOWHERE, ChangeKind.REMOVED)
    yield from (Found(NOWHERE, other, ChangeKind.ADDED) for other in behind[anchor])


class Change(NamedTuple):
    """One difference: its path, ``added``, ``removed``, ``changed`` or ``moved``, and the JSON before and after, or empty."""

    path: str
    kind: str
    before: str
    after: str


class Changes(NamedTuple):
    """The first differences, and the number of all."""

    first: tuple[Change, ...] = ()
    total: int = 0


def changes(before: bytes, after: bytes) -> Changes:
    """The differences between two results, secrets redacted. Results that cannot be compared differ as a whole."""
    if before == after:
        return Changes()
    whole = Changes((Change("", "changed", "", ""),), 1)
    if len(before) + len(after) > _MOST_BYTES:
        return whole
    try:
        found = compare(mask(before)[0], mask(after)[0])
    except (NotJson, TooLarge):
        return whole
    return Changes(tuple(_change(found, found[place]) for place in found.changes[:_MOST_CHANGES]), found.differences)


def _change(found: Comparison, row: ComparedRow) -> Change:
    nodes, node = (found.right, row.right) if row.right >= 0 else (found.left, row.left)
    steps = []
    while node > 0:
        name = nodes.name(node)
        steps.append(f"[{nodes.place(node)}]" if name is None else f".{name.strip(chr(34))}")
        node = nodes.parents[node]
    before = found.left.scalar(row.left) if row.left >= 0 else None
    after = found.right.scalar(row.right) if row.right >= 0 else None
    return Change("".join(reversed(steps)).removeprefix("."), row.kind.name.lower(), before or "", after or "")
