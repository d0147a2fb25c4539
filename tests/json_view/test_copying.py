"""What is copied of a row."""

import json

from tui.json_view.document import Document, What, copied

DOCUMENT = Document(
    json.dumps(
        {
            "data": [{"id": "a\x1b[31m", "x-y": 1, "": ""}, ["=1+1", -2, "a,b", {"deep": [1, 2]}, "\u202e"]],
            "n": 12345678901234567890123,
        }
    ).encode()
)


def text(path: str, what: What) -> str:
    rows = DOCUMENT.rows
    (row,) = [row for row in range(len(rows)) if DOCUMENT.shown_path(row) == path and rows.kind(row) != 2]
    return copied(DOCUMENT, row, what)


def test_values_keys_and_paths() -> None:
    assert text("data[0].id", "value") == "a\\u001b[31m"
    assert text("data[0].id", "path") == "data[0].id"
    assert text('data[0]["x-y"]', "query") == 'data[0]."x-y"'
    assert text("n", "value") == text("n", "json") == "12345678901234567890123"
    assert text("(root)", "query") == "@"
    assert json.loads(text("data[1][3]", "json")) == {"deep": [1, 2]}


def test_a_row_of_csv_holds_no_formula() -> None:
    assert text("data[1]", "csv").startswith('\'=1+1,-2,"a,b",')
    assert text("data[1]", "csv").endswith(",\u202e")  # exact: CSV has no escapes
    assert text("data[0]", "csv") == "a\\u001b[31m,1,"
