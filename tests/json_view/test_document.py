"""Paths to rows, and rows at paths."""

import pytest

from tui.json_view.document import Document, Step

DOCUMENT = Document(rb'{"data":[{"id":1,"a":{"b":[[],{"c":2}]}},{"\u0069d":3,"x":1,"x":2}],"data2":{}}')


@pytest.mark.parametrize("row", range(len(DOCUMENT.rows)))
def test_every_row_is_at_its_path(row: int) -> None:
    path = DOCUMENT.path(row)
    last_of_two = 1 if DOCUMENT.rows.row(row, 9).value == "1" and path[-1] == '"x"' else 0
    assert DOCUMENT.row_at(path) == DOCUMENT.rows.opener(row) + last_of_two


@pytest.mark.parametrize(
    "path",
    [['"q"'], ['"data"', 2], ['"data"', '"id"'], ['"data"', 0, '"id"', 0], [0, 0, 0], ['"data2"', '"x"'], ["no \\ JSON"]],
)
def test_paths_that_lead_nowhere(path: list[Step]) -> None:
    assert DOCUMENT.row_at(path) is None


def test_names_are_the_same_however_they_are_written() -> None:
    assert DOCUMENT.row_at(['"data"', 1, '"id"']) == DOCUMENT.row_at(['"data"', 1, '"\\u0069d"']) is not None
