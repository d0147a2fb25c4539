"""Which columns are found in items, and which come first; the sentence above a result."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace as with_fields

from registry.calling.result import Failure, Result, ResultPage
from registry.catalog.folders import SHIPPED
from registry.catalog.loader import load
from registry.results.cells import Names
from registry.results.columns import CellReader, columns_in
from registry.results.declared import Notice, Texts, lists_of, read_lists
from registry.results.headline import headline_of, objects_in
from registry.results.templates import Context, fill, sums
from registry.text.shown import money, reading
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


TOOLS = load().tools


def said(tool: str, body: object, names: Names | None = None, page: ResultPage | None = None, **raw: object) -> str:
    items_at = "data" if isinstance(body, dict) and "data" in body else None
    result = Result(tool, "sandbox", 200, body=json.dumps(body).encode(), items_at=items_at, page=page)
    return headline_of(TOOLS[tool], raw, result, names or Names()).words


def invoices(*statuses: str, **more: object) -> dict[str, object]:
    return {"data": [{"id": f"in_{place}", "status": status, **more} for place, status in enumerate(statuses)]}


@pytest.mark.parametrize(("tool", "body", "raw", "words"), CASES["headlines"])
def test_how_many_of_what_which_ones_and_what_stands_out(tool: str, body: Any, raw: dict[str, Any], words: str) -> None:
    assert said(tool, body, **raw) == words


def test_a_record_of_no_type_is_counted() -> None:
    untyped = with_fields(TOOLS["GetTeam"], returns=with_fields(TOOLS["GetTeam"].returns, objects=()))
    result = Result("GetTeam", "sandbox", 200, body=b'{"parts": [1]}')
    assert headline_of(untyped, {}, result, Names()).words == "1 part"


def test_of_whom_by_name_where_that_was_seen() -> None:
    names, body = Names(), invoices("paid", "paid", "open")
    query = 'customer:"cus_4R5QLgZDZXPlou"'
    assert said("SearchPaymentsInvoices", body, names, search_query_string=query) == "3 invoices of cus_4R5QLgZDZXPlou · 1 open"
    names.learn([b'{"id":"cus_4R5QLgZDZXPlou","name":"Ada Romero"}'])
    assert said("SearchPaymentsInvoices", body, names, search_query_string=query) == "3 invoices of Ada Romero · 1 open"
    assert said("GetCustomerCards", {"data": []}, names, customer_id="cus_4R5QLgZDZXPlou") == "No cards of Ada Romero"
    names.learn([b'{"id":"41758793","name":"Sam Ode"}'])
    for shown, id_ in (("Sam Ode", "41758793"), ("sam@x.example", "sam@x.example")):
        tool, removed = TOOLS["RemoveCrmUser"], Result("RemoveCrmUser", "sandbox", 204)
        assert headline_of(tool, {"user_identifier": id_}, removed, names).words == f"CRM user {shown} is deleted"


def test_a_page_never_passes_for_the_whole_list() -> None:
    more = ResultPage(2, has_more=True, next={"pagination_cursor": "x"})
    assert said("SearchPaymentsInvoices", invoices("paid", "paid"), page=more) == "2 invoices, more follow · paid"
    total = ResultPage(2, has_more=True, next={"pagination_cursor": "x"}, total=70)
    assert said("SearchPaymentsInvoices", invoices("paid", "open"), page=total) == "2 of 70 invoices · 1 open"


def payments(*amounts: tuple[int, str], status: str = "failed") -> bytes:
    return json.dumps({"data": [{"amount": amount, "currency": code, "status": status} for amount, code in amounts]}).encode()


@pytest.mark.parametrize(
    ("amounts", "words", "totals"),
    [
        (((100, "eur"), (5, "jpy"), (250, "eur")), "3 payments · 3.50 EUR, 5 JPY · failed", ""),
        (
            ((100, "eur"), (5, "jpy"), (250, "eur"), (300, "usd")),
            "4 payments · 3.50 EUR and 2 more currencies · failed",
            "3.50 EUR · 5 JPY · 3.00 USD",
        ),
    ],
)
def test_a_list_of_amounts_in_one_state_adds_up_by_currency(
    amounts: tuple[tuple[int, str], ...], words: str, totals: str
) -> None:
    result = Result("PaymentsSearchCharges", "sandbox", 200, body=payments(*amounts), items_at="data")
    tool, count = TOOLS[result.tool], len(amounts)
    found = headline_of(tool, {}, result, Names())
    assert (found.words, found.share, found.totals, found.complete) == (words, f"{count} of {count}", totals, True)
    half = replace(result, page=ResultPage(count, has_more=True, next={"pagination_cursor": "x"}))
    found = headline_of(tool, {}, half, Names())
    assert (f"in these {count}" in found.words, found.share, found.complete) == (True, f"first {count}", False)


def test_amounts_of_different_states_do_not_add_up_unless_the_toolkit_says_what_they_are() -> None:
    body = payments((100, "eur"))[:-2] + b", " + payments((100, "eur"), status="succeeded")[10:]
    mixed = Result("PaymentsSearchCharges", "sandbox", 200, body=body, items_at="data")
    assert headline_of(TOOLS[mixed.tool], {}, mixed, Names()).words == "2 payments · 1 failed"
    found = invoices("open", "paid")
    found["data"][0] |= {"amount_remaining": 300, "currency": "usd"}  # type: ignore[index]
    assert said("SearchPaymentsInvoices", found) == "2 invoices · 3.00 USD open · 1 open"
    two = invoices("open", "open", "open", amount_remaining=300, currency="usd")
    result = Result("SearchPaymentsInvoices", "sandbox", 200, body=json.dumps(two).encode(), items_at="data")
    left = headline_of(TOOLS[result.tool], {}, result, Names(), {"in_1"}).words
    assert left == "2 invoices · 6.00 USD open · open · 1 deleted", "what is left adds up"


def test_a_failure_says_its_title_and_what_cannot_be_read_says_what_was_asked() -> None:
    failure = Failure("service", "Not found", "No such invoice", "Check the id.")
    tool = TOOLS["RetrieveInvoiceById"]
    assert headline_of(tool, {}, Result(tool.name, "sandbox", 404, failure=failure), Names()).words == failure.title
    for body in (b"", b"{", b"nul"):
        assert headline_of(tool, {}, Result(tool.name, "sandbox", 200, body=body), Names()).words
    assert objects_in(Result(tool.name, "sandbox", 200, body=b"{")) in ((), (b"{",))


@pytest.mark.parametrize("text", ["\x1b]0;x\x07", "[bold]x[/]", "‮x", "a\nb"])
def test_text_from_outside_stays_one_line_without_control_characters(text: str) -> None:
    names = Names()
    names.learn([json.dumps({"id": "cus_1", "name": text}).encode()])
    for words in (said("RetrieveCustomerDetails", {"id": "cus_1", "name": text}), names.of("cus_1")):
        assert words.isprintable()


def test_names_come_from_objects_and_from_beside_ids_and_never_from_secrets() -> None:
    names = Names()
    names.learn(
        [b'{"id":"in_1","number":"A-1","customer":"cus_1","customer_name":"Ada"}', b"[", b'"x"', b'{"id":3,"name":"n"}']
    )
    assert (names.of("in_1"), names.of("cus_1"), names.of("3"), names.of("x")) == ("A-1", "Ada", "", "")
    names.learn([b'{"id":"card_1","number":"4242424242424242"}'])
    assert not names.of("card_1")


def test_what_ships_is_right_and_a_mistake_is_told(tmp_path: Path) -> None:
    for folder in SHIPPED.folders:
        assert not read_lists(folder.path)[1]
    for tool in TOOLS.values():
        order = lists_of(tool.toolkit).fields.get(tool.own_name, ())
        assert set(order) <= {one.name for one in tool.parameters}, tool.name
        filters = [one for one in tool.parameters if not one.required and one.role not in ("limit", "offset", "page", "expand")]
        several = [one.name for one in filters if not one.role.startswith("cursor")][1:]
        assert tool.returns.kind != "list" or not several or order, f"{tool.name}: which of its fields come first?"
    (tmp_path / "lists.json").write_text('{"objects": {"a": {"notices": [{"when": 3, "says": "x"}]}}, "more": 1}')
    assert {problem.field for problem in read_lists(tmp_path)[1]} == {"more", "objects.a.notices[0].when"}
    assert not Notice({"paid": True}, "x").holds({"paid": 1})


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
