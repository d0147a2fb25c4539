"""Which lines are in sight: folding and leaving out what is equal is what it would be by hand."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from registry.results.comparison import ComparedRow, Comparison, compare
from tests.results.test_comparison import TEXTS, made
from tui.compare.visible_rows import VisibleRows


def rows_of(shown: VisibleRows) -> list[tuple[str, int]]:
    return [(spelled(shown[place].row), shown[place].equal) for place in range(len(shown))]


def spelled(row: ComparedRow) -> str:
    return "".join(str(step) for step in row.node.steps)


def compared(left: Any, right: Any) -> Comparison:
    return compare(json.dumps(left).encode(), json.dumps(right).encode())


STEPS = st.lists(st.tuples(st.sampled_from(["toggle", "toggle", "reveal", "fold"]), st.integers(0, 200)), max_size=20)


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
                row = comparison.changes[number % len(comparison.changes)] if comparison.changes else comparison.root
                shown.reveal(row)
                assert shown[shown.place(row)] == (row, 0)
            case _:
                shown.fold_all()
        assert all(shown.place(shown[place].row) == place for place in range(len(shown)))
    shown.unfold_all()
    lines = [shown[place] for place in range(len(shown))]
    assert not any(one.row.differs for one in lines if one.equal)
    assert set(comparison.changes) <= {one.row for one in lines if not one.equal}


def test_what_is_equal_is_one_line_and_unfolds() -> None:
    left = {"a": 1, "b": 2, "c": {"d": 3}, "e": 4, "f": 5}
    shown = VisibleRows(compared(left, left | {"e": 0}))
    assert rows_of(shown) == [("", 0), ("a", 3), ("e", 0), ("f", 0)]
    shown.toggle(1)
    assert rows_of(shown) == [(row, 0) for row in ("", "a", "b", "c", "e", "f")]
    shown.toggle(3)
    assert rows_of(shown) == [(row, 0) for row in ("", "a", "b", "c", "cd", "e", "f")]
    shown.fold_all()
    shown.unfold_all()
    assert len(shown) == 7


def test_what_is_long_and_new_starts_folded_and_so_does_what_moved() -> None:
    long = {str(number): number for number in range(20)}
    left = [{"id": "a", "v": 1}, {"id": "b", "v": 1}, {"id": "c", "v": 1}]
    right = [{"id": "c", "v": 1}, {"id": "a", "v": 2}, {"id": "b", "v": 1}, {"id": "n", "long": long}]
    shown = VisibleRows(compared(left, right))
    assert [shown.is_folded(shown[place].row) for place in range(len(shown)) if not shown[place].equal] == [
        False,
        False,
        False,
        False,
        True,
        True,
    ]


def test_of_a_list_that_is_nearly_all_the_elements_stay_in_sight() -> None:
    left = {"object": "list", "data": [{"id": number, "v": number} for number in range(5)]}
    right = {"object": "list", "data": [{"id": number, "v": 0} for number in range(5)]}
    shown = VisibleRows(compared(left, right))
    shown.fold_all()
    assert len(shown) == 1 + 1 + 1 + 5
