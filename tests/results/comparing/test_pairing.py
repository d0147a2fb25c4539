"""Alignments are as long as they can be, and nothing is matched twice."""

from __future__ import annotations

from difflib import SequenceMatcher
from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from registry.results.comparing.pairing import Elements, longest_increasing, nth_with_nth, pair_up
from tests.sampled import examples

NUMBERS = st.lists(st.integers(0, 5), max_size=9)


def longest_common(left: tuple[int, ...], right: tuple[int, ...]) -> int:
    @cache
    def length(one: int, other: int) -> int:
        if one == len(left) or other == len(right):
            return 0
        if left[one] == right[other]:
            return 1 + length(one + 1, other + 1)
        return max(length(one + 1, other), length(one, other + 1))

    return length(0, 0)


@given(st.lists(st.integers(0, 30)))
def test_longest_increasing(numbers: list[int]) -> None:
    chosen = longest_increasing(numbers)
    assert chosen == sorted(set(chosen))
    values = [numbers[place] for place in chosen]
    assert values == sorted(set(values))
    assert len(chosen) == longest_common(tuple(numbers), tuple(sorted(set(numbers))))


@given(NUMBERS, NUMBERS)
def test_equal_elements_in_order_are_as_many_as_possible(left: list[int], right: list[int]) -> None:
    pairing = pair_up(Elements(left, [None] * len(left)), Elements(right, [None] * len(right)), lambda one, other: 0)
    assert all(left[one] == right[other] for one, other in pairing.kept + pairing.moved)
    assert len(pairing.kept) == longest_common(tuple(left), tuple(right))
    # What is left over on both sides has nothing equal.
    assert len(pairing.kept + pairing.moved) == len(nth_with_nth(left, right))


@examples(30)
@given(NUMBERS, NUMBERS, st.data())
def test_nothing_is_matched_twice_and_what_kept_its_order_did(left: list[int], right: list[int], data: st.DataObject) -> None:
    ids = [data.draw(st.lists(st.none() | st.integers(0, 3), min_size=len(side), max_size=len(side))) for side in (left, right)]
    pairing = pair_up(Elements(left, ids[0]), Elements(right, ids[1]), lambda one, other: 0.5 if left[one] % 2 else 0)
    pairs = pairing.kept + pairing.moved
    assert len({one for one, _ in pairs}) == len({other for _, other in pairs}) == len(pairs)
    assert all(ids[0][one] == ids[1][other] for one, other in pairs)
    assert pairing.kept == sorted(pairing.kept)
    assert [other for _, other in pairing.kept] == sorted(other for _, other in pairing.kept)


def test_elements_that_occur_very_often() -> None:
    left, right = [0, 1] * 3_000, [1, 0] * 3_000
    pairing = pair_up(Elements(left, [None] * 6_000), Elements(right, [None] * 6_000), lambda one, other: 0)
    assert len(pairing.kept) + len(pairing.moved) == 6_000
    assert SequenceMatcher(None, left[:100], right[:100]).ratio() > 0.9  # there is much to be found
    assert len(pairing.kept) >= 3_000
