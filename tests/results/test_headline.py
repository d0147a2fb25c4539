"""The sentence above a result."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace as with_fields

from registry.calling.result import Failure, Result, ResultPage
from registry.catalog.folders import built_in
from registry.catalog.loader import load
from registry.results.declared import Notice, lists_of, read_lists
from registry.results.headline import headline_of, objects_in
from registry.results.names import Names
from tests.cases import cases_beside

CASES = cases_beside(__file__)

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
    for folder in built_in().folders:
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
