"""Compares two JSON texts by path: one row for each property and item of either, with its kind of change.

The order of properties is ignored; numbers are compared digit by digit. Properties are paired by name; items by id, then equal
ones, then, between these, those with something in common.
"""

import json
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Any, NamedTuple

from msgspec import Struct

from registry.calling.receiving import mask
from registry.json_text import Exact, NotJson, as_text, decoded, depth_of, dumps, exact_decoder, indented
from registry.results.spool import Cancelled

MOST_BYTES = 32_000_000
_LOOK_UP_EVERY = 1_000
_DEEPEST = 200
_FAR = 50  # items looked at to find one that has something in common with another
_MOST_CHANGES, _MOST_BYTES = 100, 16_000_000

Stop = Callable[[], bool]


class TooLarge(ValueError):
    """A text is too large to be compared."""


class ChangeKind(IntEnum):
    """How a property or an item has changed. `SAME` is also the kind of a branch that is on both sides but differs inside."""

    SAME = 0
    ADDED = 1
    REMOVED = 2
    CHANGED = 3
    MOVED = 4


class Number(Struct, frozen=True):
    """A number that Python would write with other digits."""

    text: str


@dataclass(eq=False)
class Node:
    """A property, an item or the root value, whose value is as read: a number that Python would write otherwise is a `Number`.

    `above` is the branch that contains it, None for the root value; `place` is its index in the branch, from 0.
    """

    value: Any
    above: "Node | None" = None
    name: str | None = None
    place: int = 0

    @property
    def opening(self) -> str:
        """The bracket that opens a branch; empty for a scalar."""
        return "{" if isinstance(self.value, dict) else "[" if isinstance(self.value, list) else ""

    @cached_property
    def children(self) -> "Sequence[Node]":
        """The properties or items inside it."""
        if isinstance(self.value, dict):
            return [Node(one, self, name, place) for place, (name, one) in enumerate(self.value.items())]
        return [Node(one, self, None, place) for place, one in enumerate(self.value)] if self.opening else ()

    @property
    def steps(self) -> list[str | int]:
        """The names and indexes that lead to it."""
        step = self.name if self.name is not None else self.place
        return [*self.above.steps, step] if self.above is not None else []

    def text(self, *, laid_out: bool = False) -> str:
        """Its JSON text: in one line, or indented."""
        return indented(_exact(self.value)) if laid_out else dumps(_exact(self.value), compact=True)


@dataclass(eq=False)
class ComparedRow:
    """A property or item, or the root value: its node in both texts, None where it is not there.

    `above` is the row of the branch that contains it; `holds`: something inside it differs.
    """

    left: Node | None
    right: Node | None
    kind: ChangeKind = ChangeKind.SAME
    above: "ComparedRow | None" = None
    holds: bool = False

    @property
    def differs(self) -> bool:
        """Whether it, or something inside it, is not the same on both sides."""
        return self.kind != ChangeKind.SAME or self.holds

    @property
    def node(self) -> Node:
        """Its node in the first text, or else in the second."""
        node = self.left or self.right
        assert node is not None
        return node

    @cached_property
    def depth(self) -> int:
        """Its nesting depth."""
        return self.above.depth + 1 if self.above is not None else 0

    @cached_property
    def children(self) -> "Sequence[ComparedRow]":
        """The rows inside it, in the order of the first text; what is only in the second follows what precedes it there."""
        left, right = self.left, self.right
        if left is not None and right is not None and left.opening == right.opening:
            return [ComparedRow(*pair, self) for pair in _children(left, right)]
        removed = [ComparedRow(one, None, ChangeKind.REMOVED, self) for one in (left.children if left is not None else ())]
        added = [ComparedRow(None, one, ChangeKind.ADDED, self) for one in (right.children if right is not None else ())]
        return removed + added


class Comparison:
    """The differences of two values.

    Attributes:
        root: the row of both.
        changes: the rows of the differences, in order; a branch that was added, removed or moved is one.
        counts: the number of differences of each kind; for `SAME`, that of equal scalars and empty branches on both sides.
    """

    def __init__(self, left: Node, right: Node, stop: Stop = lambda: False) -> None:
        self.left, self.right, self.root = left, right, ComparedRow(left, right)
        self.changes: list[ComparedRow] = []
        self.counts: Counter[ChangeKind] = Counter()
        self._stop, self._steps = stop, 0
        self._look_into(self.root)
        self.counts.update(row.kind for row in self.changes)

    def _look_into(self, row: ComparedRow) -> None:
        """Find the differences in a row."""
        if self._steps % _LOOK_UP_EVERY == 0 and self._stop():
            raise Cancelled
        self._steps += 1
        left, right = row.left, row.right
        if row.kind != ChangeKind.SAME:
            self.changes.append(row)
        if left is None or right is None:
            return
        # What differs at first sight need not be written down to be compared; what Python calls equal may be 1 and true.
        if left.value == right.value and _canonical(left.value) == _canonical(right.value):
            self.counts[ChangeKind.SAME] += _scalars(left.value) if row.kind == ChangeKind.SAME or left.children else 0
        elif left.opening == right.opening != "":
            for one in row.children:
                self._look_into(one)
                row.holds |= one.differs
        else:
            row.kind = ChangeKind.CHANGED
            row.holds = bool(row.children)
            self.changes.append(row)


def compare(left: bytes, right: bytes, stop: Stop = lambda: False) -> Comparison:
    """Compare two JSON texts. Run it in a thread: ten megabytes per side take seconds. `stop` returns whether to cancel.

    Raises:
        NotJson: one of them is not JSON.
        TooLarge: one of them is too large, or nested too deeply, to be compared.
        Cancelled: `stop` returned true.
    """
    return Comparison(_read(left), _read(right), stop)


def values_in(value: object) -> int:
    """How many values are inside a branch, at any depth."""
    return sum(1 + values_in(one) for one in _inside(value))


def _scalars(value: object) -> int:
    """How many scalars and empty branches a value has or is."""
    return sum(map(_scalars, _inside(value))) or 1


def _inside(value: object) -> Collection[Any]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def _read(body: bytes) -> Node:
    if len(body) > MOST_BYTES:
        raise TooLarge(f"{len(body) / 1e6:,.0f} MB; at most {MOST_BYTES // 1_000_000} MB per side can be compared")
    value = decoded(_DECODER, as_text(body))
    if depth_of(value, _DEEPEST) > _DEEPEST:
        raise TooLarge(f"it is nested more than {_DEEPEST} deep")
    return Node(value)


def _canonical(value: object) -> str:
    """A text that two values share exactly if they differ only in the order of properties."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=lambda number: {"\0": number.text})


def _exact(value: Any) -> Any:
    if isinstance(value, Number):
        return Exact(value.text)
    if isinstance(value, dict):
        return {name: _exact(one) for name, one in value.items()}
    return [_exact(one) for one in value] if isinstance(value, list) else value


_DECODER = exact_decoder(Number)


# Pairs of properties and items


def _children(left: Node, right: Node) -> Iterator[tuple[Node | None, Node | None, ChangeKind]]:
    """The children of two objects or arrays in the order of the first; those only in the second follow what precedes them."""
    ones, others = left.children, right.children
    if left.opening == "[":
        kept, moved = _paired(ones, others)
    else:
        places = {one.name: one.place for one in others}
        kept, moved = {one.place: places[one.name] for one in ones if one.name in places}, {}
    partner, elsewhere = {other: one for one, other in kept.items()}, set(moved.values())
    behind: dict[int, list[Node]] = defaultdict(list)
    anchor = -1
    for other in others:
        if other.place in partner:
            anchor = partner[other.place]
        elif other.place not in elsewhere:
            behind[anchor].append(other)
    waiting = behind.pop(-1, [])
    for one in ones:
        if one.place in kept:
            yield from ((None, other, ChangeKind.ADDED) for other in waiting)
            waiting = behind.pop(one.place, [])
            yield one, others[kept[one.place]], ChangeKind.SAME
        elif one.place in moved:
            yield one, others[moved[one.place]], ChangeKind.MOVED
        else:
            yield one, None, ChangeKind.REMOVED
    yield from ((None, other, ChangeKind.ADDED) for other in waiting)


def _paired(ones: Sequence[Node], others: Sequence[Node]) -> tuple[dict[int, int], dict[int, int]]:
    """The pairs of items, by their places: those in the same order in both lists, and those in another order."""
    keys, beside = ([_key(one) for one in items] for items in (ones, others))
    waiting: dict[Hashable, list[int]] = defaultdict(list)
    for place in reversed(range(len(beside))):
        waiting[beside[place]].append(place)
    same = [(place, waiting[key].pop()) for place, key in enumerate(keys) if waiting.get(key)]
    kept = dict(same[number] for number in _longest_increasing([other for _, other in same]))
    moved = {one: other for one, other in same if one not in kept}
    taken = {*kept.values(), *moved.values()}
    before, before_beside = 0, 0
    for one, other in [*kept.items(), (len(ones), len(others))]:
        free = [place for place in range(before, one) if place not in moved and not isinstance(keys[place], tuple)]
        near = [place for place in range(before_beside, other) if place not in taken and not isinstance(beside[place], tuple)]
        start = 0
        for place in free:
            further = range(start, min(start + _FAR, len(near)))
            alike = next((number for number in further if _alike(ones[place], others[near[number]])), None)
            if alike is not None:
                kept[place] = near[alike]
                start = alike + 1
        before, before_beside = one + 1, other + 1
    return kept, moved


def _key(item: Node) -> Hashable:
    """What two items must share to be the same: their id, in a tuple, or without one their whole value."""
    id_ = item.value.get("id") if isinstance(item.value, dict) else None
    return ("id", _canonical(id_)) if id_ not in (None, "") and not isinstance(id_, dict | list) else _canonical(item.value)


def _longest_increasing(numbers: Sequence[int]) -> list[int]:
    """The positions of a longest strictly increasing subsequence, in order."""
    last: list[int] = []  # for each length, the position of the smallest number that ends such a subsequence
    smallest: list[int] = []
    before: list[int] = []
    for place, number in enumerate(numbers):
        length = bisect_left(smallest, number)
        before.append(last[length - 1] if length else -1)
        last[length : length + 1] = [place]
        smallest[length : length + 1] = [number]
    chosen = []
    place = last[-1] if last else -1
    while place >= 0:
        chosen.append(place)
        place = before[place]
    return chosen[::-1]


def _alike(one: Node, other: Node) -> bool:
    """Whether two items have something in common: objects a property, others their type."""
    if not isinstance(one.value, dict) or not isinstance(other.value, dict):
        return one.opening == other.opening
    return not one.value.keys().isdisjoint(other.value)


# The same in few words


class Change(NamedTuple):
    """One difference: its path, ``added``, ``removed``, ``changed`` or ``moved``, and the JSON before and after, or empty."""

    path: str
    kind: str
    before: str
    after: str


class Changes(Struct, frozen=True):
    """The first differences, and the number of all."""

    first: Sequence[Change] = ()
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
    first = []
    for row in found.changes[:_MOST_CHANGES]:
        steps = (row.right or row.node).steps
        path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps).removeprefix(".")
        values = (one.text() if one is not None and not one.opening else "" for one in (row.left, row.right))
        first.append(Change(path, row.kind.name.lower(), *values))
    return Changes(first, len(found.changes))
