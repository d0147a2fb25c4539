"""Which lines are in sight: folding and leaving out what is equal is what it would be by hand."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from registry.results.comparison import Comparison, compare
from tests.results.test_comparison import TEXTS, made
from tui.compare.cells import differing_parts
from tui.compare.visible_rows import VisibleRows


def rows_of(shown: VisibleRows) -> list[tuple[int, int]]:
    return [tuple(shown[place]) for place in range(len(shown))]  # type: ignore[misc]


def compared(left: Any, right: Any) -> Comparison:
    return compare(json.dumps(left).encode(), json.dumps(right).encode())


STEPS = st.lists(st.tuples(st.sampled_from(["toggle", "toggle", "reveal", "only", "fold"]), st.integers(0, 200)), max_size=20)


@given(TEXTS, TEXTS, TEXTS, STEPS)
def test_lines_are_in_order_whatever_is_folded(left: str, right: str, common: str, steps: list[tuple[str, int]]) -> None:
    texts = [f'{{"a": 1, "b": {common}, "c": {{"d": 2}}, "e": {text}, "f": [{common}, 3]}}' for text in (left, right)]
    comparison = made(*texts)
    shown = VisibleRows(comparison)
    for what, number in steps:
        match what:
            case "toggle":
                shown.toggle(number % len(shown))
            case "reveal":
                row = comparison.changes[number % len(comparison.changes)] if comparison.changes else 0
                shown.reveal(row)
                assert shown[shown.place(row)] == (row, 0)
            case "only":
                shown.show_only_changes(not shown.only_changes)
            case _:
                shown.fold_all()
        assert [row for row, _ in rows_of(shown)] == sorted({row for row, _ in rows_of(shown)})
        assert all(shown.place(row) == place for place, (row, _) in enumerate(rows_of(shown)))
    shown.unfold_all()
    assert not any(comparison[row].differs for row, equal in rows_of(shown) if equal)
    assert {row for row, equal in rows_of(shown) if not equal} >= {n for n, row in enumerate(comparison) if row.differs}
    shown.show_only_changes(False)
    assert rows_of(shown) == [(row, 0) for row in range(len(comparison))]


def test_what_is_equal_is_one_line_and_unfolds() -> None:
    left = {"a": 1, "b": 2, "c": {"d": 3}, "e": 4, "f": 5}
    shown = VisibleRows(compared(left, left | {"e": 0}))
    assert rows_of(shown) == [(0, 0), (1, 3), (5, 0), (6, 0)]
    shown.toggle(1)
    assert rows_of(shown) == [(row, 0) for row in range(7)]
    assert shown.parent(4) == 3
    shown.toggle(3)
    assert rows_of(shown) == [(0, 0), (1, 0), (2, 0), (3, 0), (5, 0), (6, 0)]


def test_what_is_long_and_new_starts_folded_and_so_does_what_moved() -> None:
    long = {str(number): number for number in range(20)}
    left = [{"id": "a", "v": 1}, {"id": "b", "v": 1}, {"id": "c", "v": 1}]
    right = [{"id": "c", "v": 1}, {"id": "a", "v": 2}, {"id": "b", "v": 1}, {"id": "n", "long": long}]
    shown = VisibleRows(compared(left, right))
    assert [shown.is_folded(row) for row, equal in rows_of(shown) if not equal] == [False, False, False, False, True, True]


def test_of_a_list_that_is_nearly_all_the_elements_stay_in_sight() -> None:
    left = {"object": "list", "data": [{"id": number, "v": number} for number in range(5)]}
    right = {"object": "list", "data": [{"id": number, "v": 0} for number in range(5)]}
    shown = VisibleRows(compared(left, right))
    shown.fold_all()
    assert len(shown) == 1 + 1 + 1 + 5


def test_the_parts_that_differ() -> None:
    assert differing_parts("due 2025-08-12 at noon", "due 2025-08-13 at noon") == ([(12, 14)], [(12, 14)])
    assert differing_parts("one two", "one two three") == ([], [(7, 13)])
    assert differing_parts("something", "quite else") == ([(0, 9)], [(0, 10)])
