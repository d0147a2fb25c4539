"""Which columns are found in items, and which come first."""

import json
from typing import Any

import pytest

from registry.results.column import CellReader
from registry.results.columns import columns_in
from registry.results.declared import Texts
from registry.results.templates import Context, fill, sums
from registry.text.readings import money, reading
from tests.cases import cases_beside

CASES = cases_beside(__file__)


def texts(*items: Any) -> list[bytes]:
    return [json.dumps(item).encode() for item in items]


def first(*items: Any) -> list[str]:
    return [column.title for column in columns_in(texts(*items)).first]


BILLED = {"address": {"city": "Berlin", "lines": {"deep": {"deeper": 1}}}}
CHARGES = [
    {"object": "charge", "created": 1_755_000_000 + number, "amount": 4200, "currency": "usd", "status": "succeeded"}
    | {"id": f"ch_{number}", "livemode": False, "receipt_url": f"https://x.example/{number}"}
    | {"billing_details": {"name": f"Ada {number}", **BILLED}, "metadata": {}, "customer": None if number else "cus_1"}
    | {"client_secret": f"secret_{number}"}
    for number in range(9)
]


def test_what_people_look_for_comes_first_and_what_says_nothing_is_left_out() -> None:
    assert first(*CHARGES) == ["status", "amount", "created", "id"]
    issues = [{"id": n, "node_id": f"I_{n}", "title": f"T{n}", "user": {"name": "Ada"}, "state": "open"} for n in range(3)]
    assert first(*issues) == ["state", "title", "user", "node_id", "id"]


def test_everything_can_be_chosen() -> None:
    every = {column.title: column for column in columns_in(texts(*CHARGES)).all}
    assert {"object", "customer", "client_secret", "billing_details.name", "billing_details.address.city", "metadata"} <= set(
        every
    )
    assert "billing_details.address" not in every
    kinds = {name: every[name].kind for name in ("amount", "created", "livemode", "billing_details", "metadata", "id")}
    assert list(kinds.values()) == ["money", "time", "word", "whole", "nothing", "text"]
    assert every["amount"].to_the_right
    assert not every["created"].to_the_right


def test_names_from_outside_are_safe_and_many() -> None:
    columns = columns_in(texts({f"\x1b[31m{number}": number for number in range(5_000)}))
    assert len(columns.all) == 300
    assert columns.left_out == 4_700
    assert columns.all[0].title == "\\u001b[31m0"
    assert len(columns.first) == 6


def test_declared_columns_are_shown_in_their_order_unless_they_are_empty() -> None:
    declared: dict[str, Texts] = {
        "customer": ("{billing_details.name}", "{customer}"),
        "amount": "{amount|money}",
        "refunded": "{amount_refunded|some_money}",
        "where": "{billing_details.address.city}, {billing_details.address.lines.deep.deeper}",
        "created": "{created|date}",
        "reason": "{failure.reason|words}",
    }
    items = texts(*({**item, "amount_refunded": 0} for item in CHARGES), {**CHARGES[0], "billing_details": {}})
    found = columns_in(items, declared)
    assert [(column.heading, column.kind) for column in found.first] == [
        ("customer", "text"),
        ("amount", "money"),
        ("where", "text"),
        ("created", "time"),
    ]
    assert len({column.path for column in found.all}) == len(found.all)
    cells = [[one.text for one in CellReader(found.first).cells(item)] for item in (items[0], items[-1])]
    assert cells == [["Ada 0", "42.00 USD", "Berlin, 1", "2025-08-12 12:00"], ["cus_1", "42.00 USD", "", "2025-08-12 12:00"]]


def test_amounts_inside_lists_and_deep_objects_have_their_currency() -> None:
    item = texts({"id": 1, "grant": {"currency": "jpy", "value": 5}, "items": [{"cost": {"value": 7}}], "currency": "usd"})
    found = columns_in(item, {"grant": "{grant.value|money}", "cost": "{items[0].cost.value|money}"})
    assert [one.text for one in CellReader(found.first).cells(item[0])] == ["5 JPY", "0.07 USD"]


@pytest.mark.parametrize(("item", "path", "shown"), CASES["columns of lists"])
def test_s4_an_amount_has_the_currency_that_belongs_to_it(item: dict[str, Any], path: str, shown: str) -> None:
    """In a list without declared columns, in one with them, beside a value, on a page and in a sum."""
    for declared in ({}, {"what": f"{{{path}|money}}"}):
        columns = {one.path: one for one in columns_in(texts(item), declared).all}
        assert CellReader([columns[path,]]).cells(texts(item)[0])[0].text == shown
    assert reading(f'"{path}"', str(item[path]), item.get, 0.0) == shown
    assert fill(f"{{{path}|money}}", Context({"inside": item} | item)) == shown
    assert [money(*one[::-1]) for one in sums([item], path).items()] == [shown]


def test_s4_limits_have_the_currency_of_all_limits() -> None:
    card = {"currency": "usd", "controls": {"limits_currency": "jpy", "limits": [{"amount": 500}]}}
    assert fill("{controls.limits[0].amount|money}", Context(card)) == "500 JPY"


def test_s9_objects_with_one_name_are_told_apart_where_a_column_only_names_them() -> None:
    def duty(id_: str, name: str) -> dict[str, Any]:
        return {"user": {"id": id_, "type": "user_reference", "summary": name}, "schedule": None}

    items = texts(duty("PAAAAA1", "Sam Ode"), duty("PBBBBB2", "Sam Ode"), duty("PCCCCC3", "Ada"), duty("PCCCCC3", "Ada"))
    for shows in ("{user.summary}", ("{user.summary}", "on duty: {schedule.summary}")):
        reader = CellReader(columns_in(items, {"on call": shows}).first)
        assert [reader.cells(item)[0].text for item in items] == ["Sam Ode (PAAAAA1)", "Sam Ode (PBBBBB2)", "Ada", "Ada"]


def test_names_whose_objects_have_a_number_for_an_id_or_none_and_values_that_are_no_names() -> None:
    users: list[dict[str, Any]] = [{"id": 1}, {"id": 2}, {"id": None}, {}, {"id": {"token": "x"}}]
    items = texts(*({"user": {"name": "Sam", "seats": 5, "nick": None, **user}} for user in users))
    columns = columns_in(items, {"user": "{user.name}", "seats": "{user.seats}", "nick": ("{user.nick}", "{user.name}")}).first
    reader = CellReader(columns)
    rows = [[cell.text for cell in reader.cells(item)] for item in items]
    assert [row[0] for row in rows] == ["Sam (1)", "Sam (2)", "Sam", "Sam", "Sam"]
    assert {row[1] for row in rows} == {"5"}
    assert [row[2] for row in rows] == ["Sam (1)", "Sam (2)", "Sam", "Sam", "Sam"]
