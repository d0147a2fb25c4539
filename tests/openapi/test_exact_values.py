"""What a schema takes is sent as it is given, whatever it looks like; only what the protocol cannot carry is refused."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import unquote

import pytest

from registry.calling.arguments import check
from registry.calling.bodies import content_of
from registry.calling.request import plan
from registry.catalog.folders import built_in
from registry.catalog.loader import load
from registry.catalog.model import Tool
from registry.saved.form_json import reading, written
from registry.saved.form_values import raw_of
from tests.openapi.features import body, path_parameter, query
from tests.openapi.making import NOW, document, made, only_tool

TEXT = {"type": "string"}
ODD = " a\tb\n\x00\x7f\x85\u202e\u2028 "
INSIDE = {
    "text": TEXT,
    "texts": {"type": "array", "items": TEXT},
    "whole": {"type": "integer"},
    "when": {"type": "string", "format": "date-time"},
    "map": {"type": "object", "additionalProperties": TEXT},
    "part": {"type": "object", "properties": {"x": TEXT}},
    "untyped": {"properties": {"x": TEXT}},
    "closed": {"type": "object", "properties": {"x": TEXT}, "additionalProperties": False},
    "short": {"type": "string", "minLength": 1},
    "some": {"type": "array", "items": TEXT, "minItems": 1},
}


def tool_of(operation: dict[str, Any], method: str = "get", path: str = "/things") -> Tool:
    return only_tool(made(document({path: {method: operation}})))


OBJECT = tool_of(body({"type": "object", "properties": INSIDE}), "post")


def by_json(tool: Tool, given: dict[str, Any]) -> dict[str, Any]:
    """Arguments after the way through the form's JSON."""
    read = reading(
        tool, written(tool, {one.name: raw_of(one, given[one.name]) for one in tool.parameters if one.name in given}), {}
    )
    assert read.mistakes == ()
    return dict(read.raw)


@pytest.mark.parametrize(
    "given",
    [
        {"text": ""},
        {"text": ODD},
        {"texts": []},
        {"texts": ["", ODD, "a, b"]},
        {"whole": -11552591008122797395758022656},
        {"when": "2024-02-03T04:05:06.70+05:30"},
        {"map": {"": "", ODD: ODD}},
        {"map": {}},
        {"part": {"x": "", "not declared": [1, None, {"y": ODD}]}},
        {"part": {}},
        {"untyped": {"x": "1", "z": None}},
        {"untyped": True},
        {"untyped": ""},
        {"untyped": "text"},
    ],
    ids=str,
)
def test_what_a_schema_takes_is_sent_as_it_is(given: dict[str, Any]) -> None:
    for raw in (given, by_json(OBJECT, given)):
        arguments = check(OBJECT, raw, NOW)
        assert arguments.errors == ()
        request = plan(OBJECT, arguments)
        assert json.loads(content_of(request.body or {}, request.writing)) == given


@pytest.mark.parametrize("text", ["", ODD, "a&b=c", " "])
def test_texts_of_a_query_and_a_path(text: str) -> None:
    tool = tool_of(query(TEXT))
    assert plan(tool, check(tool, {"q": text}, NOW)).query == (("q", text),)
    tool = tool_of(path_parameter(TEXT), path="/things/{id}")
    arguments = check(tool, {"id": text}, NOW)
    if text:
        assert unquote(plan(tool, arguments).path) == f"/things/{text}"
    else:
        assert "required but empty" in str(arguments.errors)  # an empty segment is another path


@pytest.mark.parametrize(
    ("schema", "value", "sent"),
    [(TEXT, 'say "a"', '"say \\"a\\""'), (TEXT, "", '""'), ({"type": "array", "items": TEXT}, [], "[]"), ({}, "a", '"a"')],
)
def test_a_whole_json_body_is_json(schema: dict[str, Any], value: Any, sent: str) -> None:
    tool = tool_of(body(schema), "post")
    request = plan(tool, check(tool, {"request_body" if tool.parameter("request_body") else "body": value}, NOW))
    assert content_of(request.body or {}, request.writing).decode() == sent


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"text": "\ud800"}, "half a surrogate pair"),
        ({"map": {"\ud800": ""}}, "half a surrogate pair"),
        ({"text": []}, "must be text"),
        ({"closed": {"y": 1}}, "is not a property here"),
        ({"short": ""}, "cannot be empty"),
        ({"some": []}, "cannot be an empty list"),
        ({"part": "text"}, "must be a JSON object"),
    ],
    ids=str,
)
def test_what_no_schema_or_no_encoding_takes(given: dict[str, Any], words: str) -> None:
    assert words in str(check(OBJECT, given, NOW).errors)


def test_a_header_takes_what_a_header_can_hold() -> None:
    header = {"name": "X-Thing", "in": "header", "schema": TEXT}
    tool = tool_of({"parameters": [header]})
    for text in ("", "a\tb", "a b"):
        assert plan(tool, check(tool, {"x_thing": text}, NOW)).headers == (("X-Thing", text),)
    for text in ("a\nb", "\x00", " a", "é"):
        assert "ASCII text" in str(check(tool, {"x_thing": text}, NOW).errors)


def test_the_toolkits_that_ship_keep_their_rules() -> None:
    tools = load(built_in()).tools.values()
    texts = [(tool, one) for tool in tools for one in tool.parameters if one.type == "string" and one.place != "local"]
    assert texts
    for tool, one in texts:
        assert not tool.exact
        assert check(tool, {one.name: "a\x00b"}, NOW).errors_of(one.name)
