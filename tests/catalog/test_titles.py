"""Titles of tools: the resource, then what is done with it; no two alike, deletions last."""

from __future__ import annotations

import json
from itertools import groupby
from typing import Any

import pytest

from registry.catalog.folders import built_in
from registry.catalog.listing import table_of_contents
from registry.catalog.titles import FILE, KEYS, ToolTitle, titles_of

TOOLS = table_of_contents(built_in())
BY_NAME = {tool.name: tool.title for tool in TOOLS}


def tool(name: str, path: str, kind: str = "object", method: str = "GET") -> dict[str, Any]:
    return {"name": name, "method": method, "path": path, "returns": {"kind": kind, "objects": []}}


def made(*tools: dict[str, Any], **data: object) -> dict[str, ToolTitle]:
    return titles_of(tools, data)


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("SearchPaymentsInvoices", "Invoices · search"),
        ("RetrieveCustomerDetails", "Customer · get"),
        ("GetCustomerCards", "Customer · cards"),
        ("GetInvoiceLineItems", "Invoice · lines"),
        ("DeleteInvoiceDraft", "Invoice · delete a draft"),
        ("GetTaxRegistrations", "Tax registrations · list"),
        ("ListOncalls", "On call · list"),
        ("RetrieveCrmUserById", "User · get"),
    ],
)
def test_tools_are_called_by_their_resource(name: str, title: str) -> None:
    assert BY_NAME[name].text == title


def test_no_two_tools_of_a_toolkit_have_the_same_title_and_none_shows_its_own_name() -> None:
    for _, tools in groupby(sorted(TOOLS), key=lambda one: one.toolkit):
        titles = [one.title.text for one in tools]
        assert len(set(titles)) == len(titles)
        assert not [title for title in titles if title.endswith(")") and title != "Linking sessions (older) · get"]


def test_searches_and_lists_come_first_and_deletions_last() -> None:
    ranks = {"search_result": 0, "list": 1, "object": 2}
    for _, tools in groupby(
        sorted(TOOLS, key=lambda one: (one.toolkit, one.group, one.title.place)), key=lambda one: one.title.resource
    ):
        effects = [one.effect == "delete" for one in tools]
        assert effects == sorted(effects)
    invoices = [one for one in TOOLS if one.title.resource == "Invoices"]
    order = [one.response for one in sorted(invoices, key=lambda one: one.title.place)]
    assert order[:2] == ["search_result", "object"]
    assert order[-1] == "deletion"
    assert ranks[order[0]] < ranks[order[1]]


def test_titles_are_made_for_any_toolkit() -> None:
    titles = made(
        tool("a", "/api/2.0/tickets", "list"),
        tool("b", "/api/2.0/tickets/{ticketId}"),
        tool("c", "/api/2.0/tickets/{ticketId}/auditEntries", "list"),
        tool("d", "/api/2.0/tickets/{ticketId}/auditEntries/{id}"),
        tool("e", "/api/2.0/tickets", method="POST"),
        tool("f", "/api/2.0/tickets/{ticketId}", "deletion", "DELETE"),
        tool("g", "/{anything}"),
        tool("h", ""),
    )
    assert [titles[name].text for name in "abcdef"] == [
        "Tickets · list",
        "Ticket · get",
        "Ticket · audit entries",
        "Ticket · audit entry",
        "Tickets · create",
        "Ticket · delete",
    ]
    assert sorted("abcdef", key=lambda name: titles[name].place) == ["a", "b", "c", "d", "e", "f"]


def test_equal_titles_get_the_tools_own_names_and_namespaces_tell_resources_apart() -> None:
    titles = made(
        tool("Old", "/x/{id}"), tool("New", "/x/{id}"), tool("A", "/card/rates", "list"), tool("B", "/tax/rates", "list")
    )
    assert {titles["Old"].text, titles["New"].text} == {"X · get (Old)", "X · get (New)"}
    assert (titles["A"].text, titles["B"].text) == ("Card rates · list", "Tax rates · list")


def test_what_a_toolkit_says_itself_comes_first_and_other_shapes_are_passed_over() -> None:
    tools = tool("a", "/boxes/{id}"), tool("b", "/jars", "list")
    titles = made(
        *tools, titles={"a": "Box · look into it"}, resources={"b": "Glasses"}, words={"boxes": "crates"}, first=["Glasses", 3]
    )
    assert titles["a"] == ToolTitle("Box · look into it", "Crates", "look into it", titles["a"].place)
    assert titles["b"].text == "Glasses · list"
    assert titles["b"].place < titles["a"].place
    assert made(*tools, titles=3, resources=[], words={"boxes": 3}, first="x")["a"].text == "Box · get"


def test_what_ships_names_tools_that_there_are() -> None:
    for folder in built_in().folders:
        file = folder.path / FILE
        if file.exists():
            content = json.loads(file.read_text("utf-8"))
            assert content.keys() <= set(KEYS)
            assert {*content.get("titles", {}), *content.get("resources", {})} <= BY_NAME.keys()
            assert set(content.get("first", [])) <= {title.resource for title in BY_NAME.values()}
