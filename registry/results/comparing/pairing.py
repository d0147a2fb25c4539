"""Pairs the items of two lists.

Items are paired by id, then by equality, then, between these, by similarity. The work
grows with the length of the lists and not with its square: an item that occurs very often is compared with fewer others, and
long runs without common items are paired one by one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

_MOST_ALIKE_PAIRS = 16  # for each of two equal items, if they occur more than once
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
    """Pair the items of two lists; no item is paired twice.

    Args:
        left: one list.
        right: the other.
        alike: the similarity of two unequal items, by their positions; 0 for nothing in common.
    """
    named = nth_with_nth(left.ids, right.ids)
    kept = [named[place] for place in longest_increasing([other for _, other in named])]
    moved = sorted(set(named) - set(kept))
    # Items with ids are paired only by id; all others are paired between those that kept their order.
    free_left = [place for place, one in enumerate(left.ids) if one is None]
    free_right = [place for place, one in enumerate(right.ids) if one is None]
    for ones, others in list(_gaps(kept, free_left, free_right)):
        kept += _equal_in_order(left.forms, right.forms, ones, others)
    kept.sort()
    free_left, free_right = _without(kept, free_left, free_right)
    same = nth_with_nth([left.forms[place] for place in free_left], [right.forms[place] for place in free_right])
    moved += [(free_left[one], free_right[other]) for one, other in same]
    free_left, free_right = _without(moved, free_left, free_right)
    for ones, others in list(_gaps(kept, free_left, free_right)):
        kept += _most_alike(ones, others, alike)
    return Pairing(sorted(kept), sorted(moved))


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
        if length == len(last):
            last.append(place)
            smallest.append(number)
        else:
            last[length], smallest[length] = place, number
    chosen = []
    place = last[-1] if last else -1
    while place >= 0:
        chosen.append(place)
        place = before[place]
    return chosen[::-1]


def _equal_in_order(left: Sequence[int], right: Sequence[int], ones: Sequence[int], others: Sequence[int]) -> list[Pair]:
    """Equal items in the same order, as many as possible (through all equal pairs, as Hunt and Szymanski showed)."""
    start, stop = 0, min(len(ones), len(others))
    while start < stop and left[ones[start]] == right[others[start]]:
        start += 1
    back = 0
    while back < stop - start and left[ones[-1 - back]] == right[others[-1 - back]]:
        back += 1
    ends = list(zip(ones[:start], others[:start], strict=True))
    if back:
        ends += zip(ones[-back:], others[-back:], strict=True)
    ones, others = ones[start : len(ones) - back], others[start : len(others) - back]
    where_left, where_right = _where(left, ones), _where(right, others)
    nth: dict[int, int] = defaultdict(int)
    pairs: list[Pair] = []
    for one in ones:
        form = left[one]
        partners = where_right.get(form, [])
        many = len(where_left[form])
        if many * len(partners) > _MOST_ALIKE_PAIRS * (many + len(partners)):
            partners = partners[nth[form] : nth[form] + 1]
            nth[form] += 1
        # Backwards, so that an item cannot get two partners.
        pairs += [(one, other) for other in reversed(partners)]
    return ends + [pairs[place] for place in longest_increasing([other for _, other in pairs])]


def _most_alike(ones: Sequence[int], others: Sequence[int], alike: Callable[[int, int], float]) -> list[Pair]:
    """Pairs in the same order with the highest total similarity; one by one if there are too many."""
    if not ones or not others:
        return []
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
    """The free positions between the pairs that kept their order."""
    one = other = 0
    for stop_left, stop_right in chain(kept, [(None, None)]):
        next_one = len(left) if stop_left is None else bisect_left(left, stop_left)
        next_other = len(right) if stop_right is None else bisect_left(right, stop_right)
        if next_one > one and next_other > other:
            yield left[one:next_one], right[other:next_other]
        one, other = next_one, next_other


def _without(pairs: Sequence[Pair], left: Sequence[int], right: Sequence[int]) -> tuple[list[int], list[int]]:
    ones, others = {one for one, _ in pairs}, {other for _, other in pairs}
    return [place for place in left if place not in ones], [place for place in right if place not in others]


def _where(forms: Sequence[int], places: Sequence[int]) -> dict[int, list[int]]:
    where: dict[int, list[int]] = defaultdict(list)
    for place in places:
        where[forms[place]].append(place)
    return where
