"""The rows of a large text in arrays are those that a look at each line finds, wherever the pages of the text begin."""

from __future__ import annotations

from bisect import bisect_right

import numpy as np
import pytest

from tui.json_view.row_index import RowIndex
from tui.json_view.row_kinds import few_rows

PAGE = 1 << 16


def text_of(*lengths: int, deep: int = 0) -> bytes:
    """Strings so long, in a list in as many lists."""
    strings = ",\n".join(f'"{"," * length}"' for length in lengths)
    return ("[\n" * deep + f"[\n{strings}\n]" + "\n]" * deep).encode()


@pytest.mark.parametrize(
    "text",
    [
        b"1",
        b"{}",
        *(text_of(PAGE + step) for step in range(-10, 3)),  # a row begins, or the text ends, around where a page begins
        *(text_of(2, PAGE + step, 3, 2 * PAGE, 0) for step in range(-16, 1)),
        text_of(3 * PAGE, 1, *[0] * PAGE, 5, deep=3),
        text_of(1, *[7] * 20_000, deep=62),
        text_of(1, *[7] * 20_000, deep=63),
        text_of(1, *[7] * 20_000, deep=400),
    ],
)
def test_rows_are_those_of_a_look_at_each_line(text: bytes) -> None:
    index = RowIndex(text)
    starts, kinds, depths = few_rows(text)
    assert [index.starts[row] for row in range(len(starts))] == starts
    assert index.kinds[:].tolist() == kinds
    assert index.depths[:].tolist() == depths
    positions = range(0, len(text), 97)
    expected = [bisect_right(starts, position) - 1 for position in positions]
    assert [index.starts.row_at(position) for position in positions] == expected
    assert index.starts.rows_at(np.array(positions, np.uint64)).tolist() == expected


def test_no_places_lie_in_no_rows() -> None:
    assert RowIndex(b"[]").starts.rows_at(np.empty(0, np.uint64)).tolist() == []
