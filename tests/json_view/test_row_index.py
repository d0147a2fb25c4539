"""The rows of a large text in arrays are those that a look at each line finds, wherever the pages of the text begin."""

from __future__ import annotations

from bisect import bisect_right

import pytest

from tui.json_view.row_index import CLOSES, OPENS, SCALAR, RowIndex

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
    starts, kinds, depths, depth = [0], list[int](), list[int](), 0
    for line in text.decode().split("\n"):
        starts.append(starts[-1] + len(line) + 1)
        bare = line.removesuffix(",")
        kind = OPENS if bare == "[" else CLOSES if bare == "]" else SCALAR
        depth -= kind == CLOSES
        kinds.append(kind)
        depths.append(depth)
        depth += kind == OPENS
    assert (index.starts.tolist(), list(index.kinds), index.depths.tolist()) == (starts, kinds, depths)
    positions = range(0, len(text), 97)
    assert [index.row_at(position) for position in positions] == [bisect_right(starts, one) - 1 for one in positions]
    for place, opener in enumerate(index.openers):
        direct = [row for row in range(opener + 1, index.closers[place]) if depths[row] == depths[opener] + 1]
        direct = [row for row in direct if kinds[row] != CLOSES]
        assert index.direct(opener, index.closers[place]) == len(direct)
        assert list(index.inside(opener)) == direct
