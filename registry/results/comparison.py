"""Compares two JSON texts by path: one row for each property and item of either, with its kind of change.

The order of properties is ignored. Numbers are compared exactly: one that is only written differently (``1.10``, ``1.1``) is
marked as such. Properties are paired by name; items by id, then equal ones, then, between these, the most similar ones.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from enum import IntEnum
from typing import Any, NamedTuple

from registry.calling.sensitive import mask
from registry.json_text.reading import NotJson, read_json
from registry.json_text.values import Exact, dumps

MOST_BYTES = 32_000_000
_LOOK_UP_EVERY = 2_000
_MOST_LOOKED_AT = 64  # properties or items compared, to measure how similar two branches are
_MOST_COMPARED = 2_500  # pairs of items in one gap
_MOST_CHANGES, _MOST_BYTES = 100, 16_000_000

Stop = Callable[[], bool]
Pair = tuple[int, int]


class ComparisonCancelled(Exception):
    """The comparison was cancelled."""


class TooLarge(ValueError):
    """A text is too large to be compared."""


class ChangeKind(IntEnum):
    """How a property or an item has changed. `SAME` is also the kind of a branch that is on both sides but differs inside."""

    SAME = 0
    ADDED = 1
    REMOVED = 2
    CHANGED = 3
    REWRITTEN = 4
    MOVED = 5


@dataclass(slots=True, eq=False)
class Node:
    """A property, an item or the root value.

    Attributes:
        above: the branch that contains it; None for the root value.
        name: a property's name; None for items and the root value.
        place: its index in its branch, from 0.
        opening: the bracket that opens a branch; empty for a scalar.
        value: as read, with exact numbers.
        form: a number that two values share exactly if they differ only in the order of properties.
        children: the properties or items inside it.
    """

    above: Node | None
    name: str | None
    place: int
    opening: str
    value: Any
    form: int = -1
    children: Sequence[Node] = ()

    @property
    def text(self) -> str:
        """Its JSON text in one line."""
        return dumps(self.value, compact=True)

    @property
    def steps(self) -> list[str | int]:
        """The names and indexes that lead to it."""
        steps: list[str | int] = []
        node = self
        while node.above is not None:
            steps.insert(0, node.name if node.name is not None else node.place)
            node = node.above
        return steps

    def member(self, name: str) -> Node | None:
        """The property of an object with a name; None if there is none."""
        if not isinstance(self.value, dict) or name not in self.value:
            return None
        return next(one for one in self.children if one.name == name)


@dataclass(slots=True, eq=False)
class ComparedRow:
    """A property or item, or the root value.

    Attributes:
        depth: its nesting depth.
        kind: the kind of change.
        left: its node in the first text; None if it is not there.
        right: its node in the second text; None if it is not there.
        holds: whether something inside it differs.
        end: the number of the row after all of its content.
    """

    depth: int
    kind: ChangeKind
    left: Node | None
    right: Node | None
    holds: bool = False
    end: int = 0

    @property
    def differs(self) -> bool:
        """Whether it, or something inside it, is not the same on both sides."""
        return self.kind != ChangeKind.SAME or self.holds


class Comparison(list[ComparedRow]):
    """The differences of two values, as rows; the content of a branch follows it.

    Rows are in the order of the first text; what is only in the second follows the row that precedes it there.

    Attributes:
        roots: the two values.
        changes: the numbers of the rows of the differences, in order; a branch that was added, removed or moved is one.

    Raises:
        ComparisonCancelled: `stop` returned true.
    """

    def __init__(self, left: Node, right: Node, stop: Stop = lambda: False) -> None:
        super().__init__()
        self.roots = (left, right)
        self.changes: list[int] = []
        self._stop = stop
        self._add(left, right, ChangeKind.SAME, 0, listed=True)

    @property
    def counts(self) -> Counter[ChangeKind]:
        """The number of differences of each kind; for `SAME`, that of equal scalars and empty branches on both sides."""
        counts = Counter(self[row].kind for row in self.changes)
        counts[ChangeKind.SAME] = sum(not row.kind and row.end == number + 1 for number, row in enumerate(self))
        return counts

    def is_branch(self, number: int) -> bool:
        """Whether a row has children."""
        return self[number].end > number + 1

    def find(self, left: Node | None, right: Node | None) -> int | None:
        """The row of a pair of nodes; None if they are not a pair."""
        return next((number for number, row in enumerate(self) if row.left is left and row.right is right), None)

    def _add(self, left: Node | None, right: Node | None, kind: ChangeKind, depth: int, *, listed: bool) -> ComparedRow:
        """Add a row with all its content; its differences are `listed` unless they belong to a branch that is one itself."""
        number = len(self)
        if number % _LOOK_UP_EVERY == 0 and self._stop():
            raise ComparisonCancelled
        row = ComparedRow(depth, kind, left, right)
        self.append(row)
        pairs: Iterable[tuple[Node | None, Node | None, ChangeKind]]
        if left is not None and right is not None and left.opening == right.opening:
            pairs = _children(left, right)
            if not left.opening and left.form != right.form:
                row.kind = ChangeKind.REWRITTEN if is_equivalent(left.value, right.value) else ChangeKind.CHANGED
        else:
            if left is not None and right is not None:
                row.kind = ChangeKind.CHANGED
            pairs = [(one, None, ChangeKind.REMOVED) for one in left.children] if left is not None else []
            pairs += [(None, one, ChangeKind.ADDED) for one in right.children] if right is not None else []
        if listed and row.kind != ChangeKind.SAME:
            self.changes.append(number)
        listed = listed and row.kind in (ChangeKind.SAME, ChangeKind.MOVED)
        for one, other, how in pairs:
            row.holds |= self._add(one, other, how, depth + 1, listed=listed).differs
        row.end = len(self)
        return row


def compare(left: bytes, right: bytes, stop: Stop = lambda: False) -> Comparison:
    """Compare two JSON texts. Run it in a thread: ten megabytes per side take seconds.

    Args:
        left: the first text.
        right: the second.
        stop: called from time to time; returns whether to cancel.

    Raises:
        NotJson: one of them is not JSON.
        TooLarge: one of them is too large, or nested too deeply, to be compared.
        ComparisonCancelled: `stop` returned true.
    """
    forms: dict[Hashable, int] = {}
    try:
        one, other = (_read(text, forms, stop) for text in (left, right))
        return Comparison(one, other, stop)
    except RecursionError:
        raise TooLarge("it is nested too deeply to be compared") from None


def is_equivalent(left: object, right: object) -> bool:
    """Whether two scalars are the same number in different notation: ``1.10`` and ``1.1``."""
    try:
        return _is_number(left) and _is_number(right) and Decimal(str(left)) == Decimal(str(right))
    except InvalidOperation:  # an exponent beyond any library's
        return False


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | Exact) and not isinstance(value, bool)


def _read(body: bytes, forms: dict[Hashable, int], stop: Stop) -> Node:
    if len(body) > MOST_BYTES:
        raise TooLarge(f"{len(body) / 1e6:,.0f} MB; at most {MOST_BYTES // 1_000_000} MB per side can be compared")
    value = read_json(body.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="replace"), exact=True)
    count = 0

    def node(above: Node | None, name: str | None, place: int, value: Any) -> Node:
        nonlocal count
        count += 1
        if count % _LOOK_UP_EVERY == 0 and stop():
            raise ComparisonCancelled
        form: Hashable
        if isinstance(value, dict):
            made = Node(above, name, place, "{", value)
            made.children = [node(made, key, at, one) for at, (key, one) in enumerate(value.items())]
            form = ("{", *sorted((str(one.name), one.form) for one in made.children))
        elif isinstance(value, list):
            made = Node(above, name, place, "[", value)
            made.children = [node(made, None, at, one) for at, one in enumerate(value)]
            form = ("[", *(one.form for one in made.children))
        else:
            made = Node(above, name, place, "", value)
            form = (type(value), value)
        made.form = forms.setdefault(form, len(forms))
        return made

    return node(None, None, 0, value)


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
    start, end = 0, min(len(keys), len(beside))
    while start < end and keys[start] == beside[start]:
        start += 1
    back = 0
    while back < end - start and keys[-1 - back] == beside[-1 - back]:
        back += 1
    stop, stop_beside = len(keys) - back, len(beside) - back
    waiting: dict[Hashable, list[int]] = defaultdict(list)
    for place in range(stop_beside - 1, start - 1, -1):
        waiting[beside[place]].append(place)
    same = [(place, waiting[keys[place]].pop()) for place in range(start, stop) if waiting.get(keys[place])]
    in_order = _longest_increasing([other for _, other in same])
    kept = {place: place for place in range(start)} | dict(same[number] for number in in_order)
    kept |= {stop + number: stop_beside + number for number in range(back)}
    moved = {one: other for one, other in same if one not in kept}
    taken = set(kept.values()) | set(moved.values())
    before, before_beside = 0, 0
    for one, other in [*sorted(kept.items()), (len(ones), len(others))]:
        free = [ones[place] for place in range(before, one) if place not in moved and not _has_id(keys[place])]
        free_beside = [
            others[place] for place in range(before_beside, other) if place not in taken and not _has_id(beside[place])
        ]
        kept |= {first.place: second.place for first, second in _most_alike(free, free_beside)}
        before, before_beside = one + 1, other + 1
    return kept, moved


def _key(item: Node) -> Hashable:
    """What two items must share to be the same: their id, or without one their whole value."""
    id_ = item.member("id")
    return ("id", id_.form) if id_ is not None and not id_.opening and id_.value not in (None, "") else item.form


def _has_id(key: Hashable) -> bool:
    return isinstance(key, tuple)


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


def _most_alike(ones: Sequence[Node], others: Sequence[Node]) -> Iterator[tuple[Node, Node]]:
    """Pairs in the same order with the highest total similarity; one by one if there are too many."""
    if len(ones) * len(others) > _MOST_COMPARED:
        yield from ((one, other) for one, other in zip(ones, others, strict=False) if _alike(one, other) > 0)
        return
    likeness = [[_alike(one, other) for other in others] for one in ones]
    best = [[0.0] * (len(others) + 1) for _ in range(len(ones) + 1)]
    for row in reversed(range(len(ones))):
        for column in reversed(range(len(others))):
            together = best[row + 1][column + 1] + likeness[row][column]
            best[row][column] = max(together, best[row + 1][column], best[row][column + 1])
    row = column = 0
    while row < len(ones) and column < len(others):
        if likeness[row][column] > 0 and best[row][column] == best[row + 1][column + 1] + likeness[row][column]:
            yield ones[row], others[column]
            row, column = row + 1, column + 1
        elif best[row][column] == best[row + 1][column]:
            row += 1
        else:
            column += 1


def _alike(one: Node, other: Node) -> float:
    """The similarity of two items, from 0 to 1: what they have in common, above all with the same name and value."""
    if one.opening != other.opening:
        return 0
    if not one.opening:
        return 1 if is_equivalent(one.value, other.value) else 0.1
    members, beside = (Counter((child.name, child.form) for child in node.children[:_MOST_LOOKED_AT]) for node in (one, other))
    most = max(members.total(), beside.total(), 1)
    common = (members & beside).total() / most
    if one.opening == "[":
        return 0.1 + 0.9 * common
    return (common + len({name for name, _ in members} & {name for name, _ in beside}) / most) / 2


# The same in few words


class Change(NamedTuple):
    """One difference: its path, ``added``, ``removed``, ``changed`` or ``moved``, and the JSON before and after, or empty."""

    path: str
    kind: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Changes:
    """The first differences, and the number of all."""

    first: Sequence[Change] = field(default=())
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
    return Changes([_change(found[place]) for place in found.changes[:_MOST_CHANGES]], len(found.changes))


def _change(row: ComparedRow) -> Change:
    node = row.right or row.left
    steps = node.steps if node is not None else []
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps).removeprefix(".")
    before, after = (one.text if one is not None and not one.opening else "" for one in (row.left, row.right))
    return Change(path, row.kind.name.lower(), before, after)
