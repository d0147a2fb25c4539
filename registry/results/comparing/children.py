"""Pairs the children of two branches: properties by name, items by id or similarity."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum
from typing import NamedTuple

from registry.results.comparing.equivalence import is_equivalent
from registry.results.comparing.nodes import Nodes
from registry.results.comparing.pairing import Elements, Pairing, nth_with_nth, pair_up

NOWHERE = -1

_MOST_LOOKED_AT = 64  # properties or items compared, to measure how similar two branches are
_LISTS_ALIKE, _SCALARS_ALIKE, _OTHERS_ALIKE = 0.1, 0.2, 0.1


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


class Children:
    """Pairs the children of two branches.

    Args:
        left: the nodes of the first text.
        right: the nodes of the second.
        mirrored: pair lists from the other side, so that both directions of a comparison give the same result.
        look_up: called from time to time; may raise to cancel.
    """

    def __init__(self, left: Nodes, right: Nodes, *, mirrored: bool, look_up: Callable[[], None]) -> None:
        self._left = left
        self._right = right
        self._mirrored = mirrored
        self._look_up = look_up
        self._id = left.forms.number('"id"')

    def of(self, left: int, right: int) -> Iterator[Found]:
        """The children of two objects or two arrays, in the order of the first."""
        ones, others = list(self._left.children(left)), list(self._right.children(right))
        if self._left.opening(left) == "{":
            names = [self._left.names[one] for one in ones], [self._right.names[other] for other in others]
            pairing = Pairing(nth_with_nth(*names), [])
        else:
            pairing = self._paired(ones, others)
        return _in_order(pairing, ones, others)

    def _paired(self, ones: Sequence[int], others: Sequence[int]) -> Pairing:
        left, right = self._elements(self._left, ones), self._elements(self._right, others)
        if not self._mirrored:
            return pair_up(left, right, lambda one, other: self._alike(ones[one], others[other]))
        flipped = pair_up(right, left, lambda other, one: self._alike(ones[one], others[other]))
        return Pairing(*(sorted((one, other) for other, one in pairs) for pairs in flipped))

    def _elements(self, nodes: Nodes, elements: Sequence[int]) -> Elements:
        return Elements([nodes.values[one] for one in elements], [self._id_of(nodes, one) for one in elements])

    def _id_of(self, nodes: Nodes, element: int) -> int | None:
        if nodes.opening(element) != "{":
            return None
        one, stop = element + 1, nodes.ends[element]
        while one < stop and nodes.names[one] != self._id:
            one = nodes.ends[one]
        return nodes.values[one] if one < stop and nodes.scalar(one) not in (None, "null", '""') else None

    def _alike(self, one: int, other: int) -> float:
        """The similarity of two items, from 0 to 1."""
        self._look_up()
        left, right = self._left, self._right
        bracket = left.opening(one)
        if bracket != right.opening(other):
            return 0
        if bracket == "{":
            members = _members(left, one), _members(right, other)
            names = {name for name, _ in members[0]} & {name for name, _ in members[1]}
            return (len(names) + len(members[0] & members[1])) / (2 * max(len(members[0]), len(members[1]), 1))
        if bracket == "[":
            values = _values(left, one), _values(right, other)
            most = max(values[0].total(), values[1].total(), 1)
            return _LISTS_ALIKE + (1 - _LISTS_ALIKE) * (values[0] & values[1]).total() / most
        texts = left.scalar(one) or "", right.scalar(other) or ""
        if is_equivalent(*texts):
            return 1
        return _SCALARS_ALIKE if _sort(texts[0]) == _sort(texts[1]) else _OTHERS_ALIKE


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


def _members(nodes: Nodes, node: int) -> set[tuple[int, int]]:
    members = set()
    for one in nodes.children(node):
        members.add((nodes.names[one], nodes.values[one]))
        if len(members) == _MOST_LOOKED_AT:
            break
    return members


def _values(nodes: Nodes, node: int) -> Counter[int]:
    values: Counter[int] = Counter()
    for count, one in enumerate(nodes.children(node)):
        if count == _MOST_LOOKED_AT:
            break
        values[nodes.values[one]] += 1
    return values


def _sort(scalar: str) -> str:
    """The same letter for scalars of the same type."""
    return "0" if scalar[0] in "-0123456789" else "t" if scalar[0] in "tf" else scalar[0]
