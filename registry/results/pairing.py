"""Pairs the items of two lists: by id, then equal ones, then, between these, the most similar ones."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import NamedTuple

_MOST_COMPARED = 2_500  # pairs of items in one gap

Pair = tuple[int, int]


class Pairing(NamedTuple):
    """The pairs, as positions in the two lists from 0.

    Attributes:
        kept: pairs in the same order in both lists, in that order.
        moved: pairs in another order, in the order of the first list.
    """

    kept: list[Pair]
    moved: list[Pair]


class Elements(NamedTuple):
    """The items of a list: the form of each, and its id or None."""

    forms: Sequence[int]
    ids: Sequence[Hashable | None]


def pair_up(left: Elements, right: Elements, alike: Callable[[int, int], float]) -> Pairing:
    """Pair the items of two lists; no item is paired twice. Items with ids are paired only by id.

    Args:
        left: one list.
        right: the other.
        alike: the similarity of two unequal items, by their positions; 0 for nothing in common.
    """
    named = nth_with_nth(left.ids, right.ids)
    free = (
        [place for place, one in enumerate(left.ids) if one is None],
        [place for place, one in enumerate(right.ids) if one is None],
    )
    same = _equal(left.forms, right.forms, *free)
    pairs = sorted(named + same)
    kept = [pairs[place] for place in longest_increasing([other for _, other in pairs])]
    moved = sorted(set(pairs) - set(kept))
    paired = {one for one, _ in same}, {other for _, other in same}
    rest = [[place for place in places if place not in taken] for places, taken in zip(free, paired, strict=True)]
    for ones, others in list(_gaps(kept, *rest)):
        kept += _most_alike(ones, others, alike)
    return Pairing(sorted(kept), moved)


def nth_with_nth(left: Sequence[Hashable | None], right: Sequence[Hashable | None]) -> list[Pair]:
    """Pair equal values: the first of each with the first, the second with the second. None is never paired."""
    waiting: dict[Hashable, list[int]] = defaultdict(list)
    for place in reversed(range(len(right))):
        waiting[right[place]].append(place)
    return [(place, waiting[one].pop()) for place, one in enumerate(left) if one is not None and waiting.get(one)]


def longest_increasing(numbers: Sequence[int]) -> list[int]:
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


def _equal(left: Sequence[int], right: Sequence[int], ones: Sequence[int], others: Sequence[int]) -> list[Pair]:
    """Equal items: those at the start and at the end of both lists, and nth with nth between them."""
    start, stop = 0, min(len(ones), len(others))
    while start < stop and left[ones[start]] == right[others[start]]:
        start += 1
    back = 0
    while back < stop - start and left[ones[-1 - back]] == right[others[-1 - back]]:
        back += 1
    pairs = [
        *zip(ones[:start], others, strict=False),
        *zip(ones[len(ones) - back :], others[len(others) - back :], strict=True),
    ]
    ones, others = ones[start : len(ones) - back], others[start : len(others) - back]
    between = nth_with_nth([left[place] for place in ones], [right[place] for place in others])
    return pairs + [(ones[one], others[other]) for one, other in between]


def _most_alike(ones: Sequence[int], others: Sequence[int], alike: Callable[[int, int], float]) -> list[Pair]:
    """Pairs in the same order with the highest total similarity; one by one if there are too many."""
    if len(ones) * len(others) > _MOST_COMPARED:
        return [(one, other) for one, other in zip(ones, others, strict=False) if alike(one, other) > 0]
    likeness = [[alike(one, other) for other in others] for one in ones]
    best = [[0.0] * (len(others) + 1) for _ in range(len(ones) + 1)]
    for row in reversed(range(len(ones))):
        for column in reversed(range(len(others))):
            together = best[row + 1][column + 1] + likeness[row][column]
            best[row][column] = max(together, best[row + 1][column], best[row][column + 1])
    pairs = []
    row = column = 0
    while row < len(ones) and column < len(others):
        if likeness[row][column] > 0 and best[row][column] == best[row + 1][column + 1] + likeness[row][column]:
            pairs.append((ones[row], others[column]))
            row, column = row + 1, column + 1
        elif best[row][column] == best[row + 1][column]:
            row += 1
        else:
            column += 1
    return pairs


def _gaps(kept: Sequence[Pair], left: Sequence[int], right: Sequence[int]) -> Iterator[tuple[Sequence[int], Sequence[int]]]:
    """The free positions between the pairs that kept their order, where both sides have some."""
    one = other = 0
    for stop_left, stop_right in [*kept, (max(left, default=0) + 1, max(right, default=0) + 1)]:
        next_one, next_other = bisect_left(left, stop_left, one), bisect_left(right, stop_right, other)
        if next_one > one and next_other > other:
            yield left[one:next_one], right[other:next_other]
        one, other = next_one, next_other
