"""Null in a JSON body: given, it is sent; it is neither the empty text nor what is not set, on every way that a value takes."""

from __future__ import annotations

from typing import Any

import pytest

from registry.calling.arguments import check
from registry.calling.request import plan
from registry.catalog.model import Tool
from registry.catalog.schema import json_schema
from registry.json_text.values import NULL
from registry.results.snippets import _plain
from tests.openapi.features import body, query
from tests.openapi.making import NOW, document, made, only_tool
from tests.openapi.round_trips import body_of, round_trips

TEXT = {"type": "string"}
NULLABLE = {
    "text": TEXT | {"nullable": True},
    "count": {"type": ["integer", "null"]},
    "flag": {"type": ["boolean", "null"]},
    "choice": {"enum": ["null", "a", None]},
    "texts": {"type": ["array", "null"], "items": TEXT},
    "part": {"type": ["object", "null"], "properties": {"text": {"type": ["string", "null"]}, "plain": TEXT}},
    "either": {"oneOf": [TEXT, {"type": "object", "properties": {"x": TEXT}}, {"type": "null"}]},
    "anything": {},
    "untyped": {"properties": {"x": TEXT}},
}


NAMED = {"type": "object", "additionalProperties": {"type": ["string", "null"]}}
ITEMS = {
    "words": {"type": "array", "items": TEXT | {"nullable": True}},
    "counts": {"type": "array", "items": {"type": ["integer", "null"]}},
    "parts": {
        "type": "array",
        "items": {"oneOf": [{"type": "object", "properties": {"words": {"$ref": "#/x"}}}, {"type": "null"}]},
    },
}


def tool_of(schema: dict[str, Any], **more: Any) -> Tool:
    return only_tool(made(document({"/things": {"post": body(schema)}}, **more)))


TOOL = tool_of({"type": "object", "properties": NULLABLE | ITEMS | {"plain": TEXT, "named": NAMED}}, x=ITEMS["words"])
GIVEN: list[dict[str, Any]] = [
    *({name: None} for name in NULLABLE),
    dict.fromkeys(NULLABLE),
    {"text": ""},
    {"text": "null"},
    {"choice": "null"},
    {"either": "null"},
    {"anything": "null"},
    {"texts": []},
    {"part": {}},
    {"part": {"text": None}},
    {"part": {"text": ""}},
    {"part": {"text": "null"}},
    {"named": {"a": None, "b": "null", "c": ""}},
    {"words": ["a", None, "", "null"], "counts": [None, 1]},
    {"parts": [None, {"words": [None]}, {}]},
    {"part": {"plain": "a"}, "anything": [5, {"x": 1.5}], "texts": ["5", "null"], "count": 7, "flag": False},
    {},
]


@pytest.mark.parametrize("given", GIVEN, ids=str)
def test_null_is_sent_on_every_way(given: dict[str, Any]) -> None:
    assert body_of(TOOL, given) == given
    for way, arguments in round_trips(TOOL, given):
        assert body_of(TOOL, arguments) == given, way
    assert _plain(plan(TOOL, check(TOOL, given, NOW)).body) == given


def test_what_takes_no_null_is_not_set_by_it() -> None:
    assert body_of(TOOL, {"plain": None}) == {}
    asked = only_tool(made(document({"/things": {"get": query(TEXT | {"nullable": True})}})))
    assert plan(asked, check(asked, {"q": None}, NOW)).query == ()


def test_a_whole_body_may_be_null() -> None:
    tool = tool_of({"type": ["array", "null"], "items": {}})
    assert body_of(tool, {"body": None}) is None
    assert body_of(tool, {"body": NULL}) is None


@pytest.mark.parametrize("style", ["form", "pipeDelimited"])
def test_a_list_in_a_query_has_no_null(style: str) -> None:
    tool = only_tool(made(document({"/things": {"get": query(ITEMS["words"], style=style, explode=False)}})))
    (words,) = tool.parameters
    assert (words.items, words.is_structured) == (None, False)
    assert "must be a list of strings" in str(check(tool, {"q": ["a", None]}, NOW).errors)


def test_agents_are_told_of_null() -> None:
    assert {"type": "null"} in json_schema(TOOL)["properties"]["text"]["anyOf"]
    assert "anyOf" not in json_schema(TOOL)["properties"]["plain"]
