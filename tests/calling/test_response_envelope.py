"""The pages of a large response are the same, read from its envelope or from the whole of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from registry.calling.paging import items_of, page_of
from registry.calling.response_envelope import ListEnds, envelope
from registry.catalog.loader import load
from registry.json_text.reading import NotJson

TOOLS = load().tools


@pytest.mark.parametrize(
    ("tool", "values", "response"),
    [
        ("ListTopUps", {}, {"object": "list", "has_more": True, "data": [{"id": f"tu_{n}"} for n in range(50)]}),
        ("ListIncidents", {"offset": 5}, {"incidents": [{"id": n} for n in range(9)], "offset": 5, "limit": 9, "more": True}),
        ("PaymentsSearchCharges", {}, {"data": [{}, {}, {}], "has_more": True, "next_page": "abc", "total_count": 70}),
        ("RetrieveUsersList", {}, {"results": [{}] * 100, "paging": {"next": {"after": "x"}}}),
        ("ListTopUps", {}, {"has_more": False, "data": []}),
    ],
)
def test_the_page_is_the_same(tool: str, values: dict[str, Any], response: dict[str, Any]) -> None:
    if tool not in TOOLS:
        tool = next(name for name, one in TOOLS.items() if one.toolkit == "CrmUsersApi" and one.returns.kind == "list")
    seen = envelope(json.dumps(response).encode(), TOOLS[tool].returns.paging)
    assert page_of(TOOLS[tool], values, seen) == page_of(TOOLS[tool], values, response)
    assert len(items_of(TOOLS[tool], seen) or ()) == len(items_of(TOOLS[tool], response) or ())


def test_only_the_ends_of_a_list_are_there() -> None:
    seen = envelope(b'{"one": [1, 2, {"deep": [3]}], "two": [1, 2], "n": 12345678901234567890123, "x": "\xc3\xa9"}')
    assert isinstance(seen["one"], ListEnds)
    assert (len(seen["one"]), seen["one"][0], seen["one"][-1]) == (3, 1, {"deep": [3]})
    assert (seen["two"], seen["n"], seen["x"]) == ([1, 2], 12345678901234567890123, "é")


@pytest.mark.parametrize("last", ['{"id": "x"}', '{"id": "\\ud800"}'])
def test_every_item_is_there_as_it_came(last: str) -> None:
    body = f' {{"n": [ ], "data" : [ {{"a": 1.10, "b": 1e400}} , 12345678901234567890123, {last}\n], "more":true }}'
    seen = envelope(body.encode())
    assert [bytes(text) for text in seen["data"].texts] == [
        b'{"a": 1.10, "b": 1e400}',
        b"12345678901234567890123",
        last.encode(),
    ]
    assert (seen["more"], seen["data"][-1]) == (True, json.loads(last))


def test_a_list_of_another_kind_under_a_usual_name() -> None:
    assert envelope(b'{"data": {"object": {}}, "n": 1}') == {"data": {"object": {}}, "n": 1}


def test_what_is_no_object_is_read_whole() -> None:
    assert envelope(b'[1, "\\ud800"]') == [1, "\ud800"]
    for broken in (b"", b"{", b'{"a": [1,}', b"<html>"):
        with pytest.raises(NotJson):
            envelope(broken)
