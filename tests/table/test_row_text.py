"""How a table's rows read: what is declared about a list shows in each row that it is true of."""

from __future__ import annotations

import json

import pytest

from registry.results.declared import lists_of
from tui.table.arranging import find
from tui.table.row_text import RowText

CUSTOMERS = [
    json.dumps(
        {"id": f"cus_{name}", "name": name, "balance": 0, "currency": "eur", "delinquent": owes, "created": 1_755_000_000}
    ).encode()
    for name, owes in (("Ada", True), ("Bo", False))
]


def test_a_customer_who_owes_is_marked_in_the_list_and_the_balance_says_that_it_is_credit() -> None:
    found = find(CUSTOMERS, lists_of("PaymentsApi").listed(["customer"]))
    rows = RowText(CUSTOMERS, found, found.columns.first)
    assert [rows.row(place)[0].text for place in range(2)] == ["! Ada", "  Bo"]
    assert rows.row(0)[0].style == "table--warn"
    assert rows.facts(0)[:2] == ["cus_Ada", "past due"]
    assert "past due" not in rows.facts(1)
    assert "credit balance" in [column.heading for column in found.columns.first]


def test_ages_are_those_of_now_and_not_of_when_the_table_came(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_755_000_060.0
    monkeypatch.setattr("tui.table.row_text.time.time", lambda: now)
    found = find(CUSTOMERS, None)
    rows = RowText(CUSTOMERS, found, found.columns.first)
    place = next(place for place, column in enumerate(rows.columns) if column.path == ("created",))
    assert rows.row(0)[place].text == "1 min"
    now += 13 * 60
    assert rows.row(0)[place].text == "14 min"
    assert rows.widths(200)[place] >= len("14 min")
