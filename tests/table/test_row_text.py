"""How a table's rows read, how wide columns are, and which of them are in sight."""

import json

import pytest

from registry.pages.build import head_of
from registry.results.declared import lists_of
from tests.cases import cases_beside
from tui.table.rows import ColumnPosition, RowText, find, in_sight, left_for

CASES = cases_beside(__file__)

CUSTOMERS = [
    json.dumps(
        {"id": f"cus_{name}", "name": name, "balance": 0, "currency": "eur", "delinquent": owes, "created": 1_755_000_000}
    ).encode()
    for name, owes in (("Ada", True), ("Bo", False))
]


def test_a_row_is_in_the_tone_of_its_state_and_its_head_says_why() -> None:
    listed = lists_of("PaymentsApi").listed(["customer"])
    found = find(CUSTOMERS, listed, head=lambda item: head_of(item, "PaymentsApi", "customer", str, 1_755_000_060.0))
    rows = RowText(CUSTOMERS, found, found.columns.first)
    assert [rows.row(place)[0] for place in range(2)] == [("! Ada", "table--warn"), ("  Bo", "table--text")]
    assert rows.head(0).sentence == "Ada is past due"
    assert rows.head(1).sentence == "Bo"
    assert rows.head(1).id == "cus_Bo"


def test_times_are_those_of_now_and_not_of_when_the_table_came(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_755_000_060.0
    monkeypatch.setattr("tui.table.rows.time.time", lambda: now)
    found = find(CUSTOMERS, None)
    rows = RowText(CUSTOMERS, found, found.columns.first)
    place = next(place for place, column in enumerate(rows.columns) if column.path == ("created",))
    assert rows.row(0)[place].text == "1 min ago"
    now += 13 * 60
    assert rows.row(0)[place].text == "14 min ago"
    now += 40 * 86_400
    assert rows.row(0)[place].text == "12 Aug"


@pytest.mark.parametrize(("natural", "room", "uncut", "widths"), CASES["columns in sight"])
def test_as_many_as_fit_are_in_sight(natural: list[int], room: int, uncut: list[int], widths: list[int]) -> None:
    assert [one.width for one in in_sight(natural, room, uncut=uncut)] == widths


def test_the_first_column_stays_and_the_others_pass_by() -> None:
    wide = [10, 10, 10, 10, 10]
    assert in_sight(wide, 34, 1) == [ColumnPosition(0, 0, 10), ColumnPosition(1, 12, 10), ColumnPosition(2, 24, 10)]
    assert in_sight(wide, 34, 3) == [ColumnPosition(0, 0, 10), ColumnPosition(3, 12, 10), ColumnPosition(4, 24, 10)]
    assert left_for(wide, 34, 1, 4) == 3
