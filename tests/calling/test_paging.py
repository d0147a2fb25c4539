"""Which arguments give the pages around a page: as the toolkits declare them, and each style with its variants."""

import json
from typing import Any, Literal

import pytest

from registry.calling.paging import links_in, page_of
from registry.calling.result import ResultPage
from registry.catalog.loader import load
from registry.catalog.model import Parameter, Returns, Tool
from registry.catalog.service import Paging
from registry.json_text import NotJson
from tests.cases import cases_beside

CASES = cases_beside(__file__)

TOOLS = load().tools
BEFORE, AFTER = "pagination_ending_before", "pagination_starting_after_cursor"


def tool(paging: Paging, **roles: Literal["string", "integer"]) -> Tool:
    """A list with parameters of these roles, named and sent as their roles are."""
    parameters = tuple(
        Parameter(
            name=role,
            type=type_,
            help=".",
            place="query",
            role=role,  # type: ignore[arg-type] # the names are roles
            wire_name=role,
            default=10 if role == "limit" else None,
        )
        for role, type_ in roles.items()
    )
    returns = Returns(kind="list", objects=("thing",), paging=paging)
    return Tool(
        toolkit="Kit",
        name="ListThings",
        operation="x",
        group="Things",
        method="GET",
        path="/things",
        effect="read",
        summary=".",
        returns=returns,
        parameters=parameters,
    )


def page(one: Tool, values: dict[str, Any], response: Any, headers: dict[str, str] | None = None) -> ResultPage | None:
    assert one.returns.paging is not None
    found = page_of(one, values, json.dumps(response).encode(), headers)
    return found[0] if found is not None else None


def cards(*ids: str, more: bool) -> dict[str, Any]:
    return {"object": "list", "has_more": more, "data": [{"id": one} for one in ids]}


def users(count: int, offset: int, *, more: bool, total: int | None = None) -> dict[str, Any]:
    return {"users": [{"id": str(one)} for one in range(count)], "limit": 10, "offset": offset, "more": more, "total": total}


FOUND = {"object": "search_result", "data": [{"id": "1"}], "has_more": True, "next_page": "tok", "total_count": 7}


@pytest.mark.parametrize(
    ("tool", "values", "response", "expected"),
    [
        ("GetCustomerCards", {}, cards("c3", "c2", more=True), ResultPage(2, True, {AFTER: "c2", BEFORE: None}, None)),
        ("GetCustomerCards", {AFTER: "c2"}, cards("c1", more=False), ResultPage(1, False, None, {BEFORE: "c1", AFTER: None})),
        ("GetCustomerCards", {BEFORE: "c1"}, cards("c2", more=False), ResultPage(1, False, {AFTER: "c2", BEFORE: None}, None)),
        (
            "GetCustomerCards",
            {BEFORE: "c1"},
            cards("c3", "c2", more=True),
            ResultPage(2, True, {AFTER: "c2", BEFORE: None}, {BEFORE: "c3", AFTER: None}),
        ),
        ("GetCustomerCards", {}, cards(more=False), ResultPage(0, False)),
        ("GetCustomerCards", {}, {"data": [1, None], "has_more": True}, ResultPage(2, True)),
        ("GetCustomerCards", {}, ["x"], None),
        ("RetrieveCustomerDetails", {}, {"id": "cus_1"}, None),
        ("ListUsers", {}, users(10, 0, more=True), ResultPage(10, True, {"offset": 10}, None)),
        ("ListUsers", {"offset": 20}, users(3, 20, more=False, total=23), ResultPage(3, False, None, {"offset": 10}, 23)),
        # A service that answers with less than it was asked for: go on from what came.
        ("ListUsers", {"offset": 10}, users(4, 10, more=True), ResultPage(4, True, {"offset": 14}, {"offset": None})),
        ("ListUsers", {}, {"error": "x"}, None),
        (
            "FetchCrmUsersList",
            {},
            {"results": [{"id": "1"}], "paging": {"next": {"after": "abc", "link": "https://x"}}},
            ResultPage(1, True, {"page_cursor_after": "abc"}),
        ),
        ("FetchCrmUsersList", {}, {"results": []}, ResultPage(0, False)),
        ("SearchPaymentsCustomers", {}, FOUND, ResultPage(1, True, {"pagination_cursor": "tok"}, None, 7)),
        ("SearchPaymentsCustomers", {}, {"data": [], "has_more": False, "next_page": None}, ResultPage(0, False)),
    ],
)
def test_pages_of_the_toolkits(tool: str, values: dict[str, Any], response: Any, expected: ResultPage | None) -> None:
    found = page(TOOLS[tool], values, response) if TOOLS[tool].returns.paging is not None else None
    assert found == expected


@pytest.mark.parametrize("body", [b"", b"{", b'{"data": [1,}', b"<html>", b'{"data":' + b"[" * 100_000])
def test_what_is_no_json(body: bytes) -> None:
    with pytest.raises(NotJson):
        page_of(tool(Paging(style="page", items="data")), {}, body)


NUMBERED = Paging(style="page", items="rows")
THREE = {"rows": [{"id": "1"}, {"id": "2"}, {"id": "3"}]}


@pytest.mark.parametrize(
    ("paging", "values", "response", "expected"),
    [
        (NUMBERED, {"limit": 3}, THREE, ResultPage(3, True, {"page": 2}, None)),
        (NUMBERED, {"limit": 5}, THREE, ResultPage(3, False, None, None)),
        (NUMBERED, {"limit": 5, "page": 4}, THREE, ResultPage(3, False, None, {"page": 3})),
        (NUMBERED, {"limit": 3, "page": 2}, {"rows": []}, ResultPage(0, False, None, {"page": None})),
        (Paging(style="page", items="rows", more="more"), {}, THREE | {"more": True}, ResultPage(3, True, {"page": 2}, None)),
        (Paging(style="page", items="rows", more="more"), {}, THREE | {"more": "yes"}, ResultPage(3, False, None, None)),
        (Paging(style="page", items="rows", next="next"), {}, THREE | {"next": 7}, ResultPage(3, True, {"page": 7}, None)),
        (Paging(style="page", items="rows", next="next"), {}, THREE | {"next": "7"}, ResultPage(3, True, {"page": 7}, None)),
        (Paging(style="page", items="rows", next="next"), {}, THREE | {"next": True}, ResultPage(3, False, None, None)),
        (
            Paging(style="page", items="rows", total="of"),
            {"limit": 3},
            THREE | {"of": 7},
            ResultPage(3, True, {"page": 2}, None, 7),
        ),
        (
            Paging(style="page", items="rows", total="of", size="size"),
            {"page": 3},
            THREE | {"of": 7, "size": 3},
            ResultPage(3, False, None, {"page": 2}, 7),
        ),
    ],
)
def test_pages_by_number(paging: Paging, values: dict[str, Any], response: Any, expected: ResultPage) -> None:
    assert page(tool(paging, page="integer", limit="integer"), values, response) == expected


@pytest.mark.parametrize(("following", "expected"), CASES["cursors and addresses in the body"])
def test_cursors_and_addresses_in_the_body(following: Any, expected: dict[str, object] | None) -> None:
    paging = Paging(style="cursor", items="rows", next="links.next")
    found = page(tool(paging, cursor_after="string", limit="integer"), {}, THREE | {"links": {"next": following}})
    assert found == ResultPage(3, expected is not None, expected, None)


LINKS = '<https://kit.example/things?page=4&limit=3>; rel="next", <https://kit.example/things?page=2>; title="a, b"; rel=prev'


def test_link_headers() -> None:
    paging = Paging(style="link_header", total_header="x-total")
    one, response = tool(paging, page="integer", limit="integer"), THREE["rows"]
    headers = {"link": LINKS, "x-total": "44"}
    assert page(one, {}, response, headers) == ResultPage(3, True, {"page": 4}, {"page": 2}, 44)
    assert page(one, {}, response, {}) == ResultPage(3, False, None, None, None)
    assert page(one, {}, response, {"link": '<https://kit.example/?other=1>; rel="next"'}) == ResultPage(3, True, None, None)
    assert page(one, {}, response, None) is None, "without its headers nobody knows which page it was"
    assert page(one, {}, THREE, headers) is None, "an object is not the list that was declared"


@pytest.mark.parametrize(
    ("header", "links"),
    [
        ("", {}),
        ('<a>; rel="next last"', {"next": "a", "last": "a"}),
        ("<a>; REL=Next", {"next": "a"}),
        ('<a>; rel="next", <b>; rel="next"', {"next": "a"}),
        ("<a>, <b>", {}),
        ("<" * 10_000, {}),
        ('<a>; rel="next' + "x" * 50_000, {}),
    ],
)
def test_link_headers_of_any_form(header: str, links: dict[str, str]) -> None:
    assert links_in(header) == links


def test_offsets_without_a_word_of_more() -> None:
    paging = Paging(style="offset", items="rows", total="of")
    one = tool(paging, offset="integer", limit="integer")
    assert page(one, {}, THREE | {"of": 5}) == ResultPage(3, True, {"offset": 3}, None, 5)
    assert page(one, {"offset": 3}, {"rows": [1, 2], "of": 5}) == ResultPage(2, False, None, {"offset": None}, 5)
    by_header = tool(Paging(style="offset", items="rows", total_header="x-total"), offset="integer")
    assert page(by_header, {}, THREE, {"x-total": "9"}) == ResultPage(3, True, {"offset": 3}, None, 9)


def test_cursors_of_one_direction_by_id() -> None:
    one = tool(Paging(style="cursor_by_id", items="rows", more="more"), cursor_after="string")
    assert page(one, {}, THREE | {"more": True}) == ResultPage(3, True, {"cursor_after": "3"}, None)
    assert page(one, {"cursor_after": "0"}, THREE | {"more": False}) == ResultPage(3, False, None, None)


@pytest.mark.parametrize("items", ["", "rows", "found.rows"])
def test_items_at_any_path(items: str) -> None:
    paging = Paging(style="page", items=items, total=None if items == "" else "meta.of")
    one = tool(paging, page="integer", limit="integer")
    rows = [{"id": f"\ud800{number}", "n": 1.10} for number in range(30)]
    response: Any = {
        "": rows,
        "rows": {"rows": rows, "meta": {"of": 90}, "x": [1]},
        "found.rows": {"found": {"rows": rows}, "meta": {"of": 90}},
    }[items]
    found = page_of(one, {}, json.dumps(response).encode())
    assert found is not None
    assert [bytes(item) for item in found[1]] == [json.dumps(row).encode() for row in rows]
    assert found[0] == ResultPage(30, True, {"page": 2}, None, None if items == "" else 90)


def test_a_role_is_needed_to_go_on() -> None:
    for paging in (NUMBERED, Paging(style="offset", items="rows", more="more"), Paging(style="cursor", items="rows", next="n")):
        found = page(tool(paging, limit="integer"), {}, THREE | {"more": True, "n": "x"})
        assert found is not None
        assert found.next is None
