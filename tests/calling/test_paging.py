"""Which arguments give the pages around a page, for every paging convention."""

from __future__ import annotations

import json
from typing import Any

import pytest

from registry.calling.paging import page_of, read_page
from registry.calling.result import ResultPage
from registry.catalog.loader import load
from registry.catalog.service import Paging
from registry.json_text.reading import NotJson

TOOLS = load().tools


def page(tool: str, response: Any, **values: Any) -> ResultPage | None:
    paging = TOOLS[tool].returns.paging
    return page_of(TOOLS[tool], values, read_page(json.dumps(response).encode(), paging)) if paging is not None else None


def cards(*ids: str, more: bool) -> dict[str, Any]:
    return {"object": "list", "has_more": more, "data": [{"id": one} for one in ids]}


BEFORE, AFTER = "pagination_ending_before", "pagination_starting_after_cursor"


def test_two_sided_cursors() -> None:
    first = page("GetCustomerCards", cards("c3", "c2", more=True))
    assert first == ResultPage(2, True, {AFTER: "c2", BEFORE: None}, None)
    middle = page("GetCustomerCards", cards("c1", more=False), **{AFTER: "c2"})
    assert middle == ResultPage(1, False, None, {BEFORE: "c1", AFTER: None})
    back = page("GetCustomerCards", cards("c3", "c2", more=False), **{BEFORE: "c1"})
    assert back == ResultPage(2, False, {AFTER: "c2", BEFORE: None}, None)
    back_with_more = page("GetCustomerCards", cards("c3", "c2", more=True), **{BEFORE: "c1"})
    assert back_with_more is not None
    assert back_with_more.previous == {BEFORE: "c3", AFTER: None}
    assert page("GetCustomerCards", cards(more=False)) == ResultPage(0, False)


def test_offset_and_limit() -> None:
    users = [{"id": str(number)} for number in range(10)]
    first = page("ListUsers", {"users": users, "limit": 10, "offset": 0, "more": True, "total": None})
    assert first == ResultPage(10, True, {"offset": 10}, None)
    last = page("ListUsers", {"users": users[:3], "limit": 10, "offset": 20, "more": False, "total": 23}, offset=20)
    assert last == ResultPage(3, False, None, {"offset": 10}, 23)
    # A service that answers with less than it was asked for: go on from what came.
    short = page("ListUsers", {"users": users[:4], "limit": 10, "offset": 10, "more": True, "total": None}, offset=10)
    assert short is not None
    assert (short.next, short.previous) == ({"offset": 14}, {"offset": None})


def test_one_way_cursor() -> None:
    response = {"results": [{"id": "1"}], "paging": {"next": {"after": "abc", "link": "https://x"}}}
    assert page("FetchCrmUsersList", response) == ResultPage(1, True, {"page_cursor_after": "abc"})
    assert page("FetchCrmUsersList", {"results": []}) == ResultPage(0, False)


def test_next_page_of_a_search() -> None:
    response = {"object": "search_result", "data": [{"id": "1"}], "has_more": True, "next_page": "tok", "total_count": 7}
    assert page("SearchPaymentsCustomers", response) == ResultPage(1, True, {"pagination_cursor": "tok"}, None, 7)
    assert page("SearchPaymentsCustomers", {"data": [], "has_more": False, "next_page": None}) == ResultPage(0, False)


def test_answers_that_are_no_page() -> None:
    assert page("RetrieveCustomerDetails", {"id": "cus_1"}) is None
    assert page("GetCustomerCards", ["x"]) is None
    assert page("ListUsers", {"error": "x"}) is None


def test_items_without_ids_offer_no_cursor() -> None:
    assert page("GetCustomerCards", {"data": [1, None], "has_more": True}) == ResultPage(2, True)


@pytest.mark.parametrize("last", ['{"id": "x"}', '{"id": "\\ud800"}'])
def test_items_stay_as_they_came(last: str) -> None:
    body = f' {{"n": [ ], "data" : [ {{"a": 1.10, "b": 1e400}} , 12345678901234567890123, {last}\n], "has_more":true }}'
    paging = TOOLS["GetCustomerCards"].returns.paging
    assert paging is not None
    found = read_page(body.encode(), paging)
    assert found is not None
    assert [bytes(text) for text in found.items] == [b'{"a": 1.10, "b": 1e400}', b"12345678901234567890123", last.encode()]
    assert found.about["has_more"] is True


@pytest.mark.parametrize("body", [b"", b"{", b'{"data": [1,}', b"<html>", b'{"data":' + b"[" * 100_000])
def test_what_is_no_json(body: bytes) -> None:
    with pytest.raises(NotJson):
        read_page(body, Paging(style="page", items="data"))
