"""What a schema takes is sent as it is given, through every form in which arguments are kept; and what it refuses is said."""

from typing import Any
from urllib.parse import unquote

import pytest

from registry.calling.arguments import check
from registry.calling.request import plan
from registry.catalog.model import Tool
from registry.catalog.schema import json_schema
from registry.json_text import NULL, Exact
from registry.openapi.mcp_server import form_of
from tests.openapi.making import NOW, body, document, made, only_tool, path_parameter, query
from tests.openapi.round_trips import body_of, round_trips

TEXT: dict[str, Any] = {"type": "string"}
ODD = " a\tb\n\x00\x7f\x85\u202e\u2028 "
NODE = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": TEXT, "size": {"type": "integer"}, "next": {"$ref": "#/x/node"}},
}
MEMBERS: dict[str, Any] = {
    "text": TEXT | {"nullable": True},
    "texts": {"type": ["array", "null"], "items": TEXT | {"nullable": True}},
    "whole": {"type": ["integer", "null"]},
    "flag": {"type": ["boolean", "null"]},
    "choice": {"enum": ["null", "a", None]},
    "when": {"type": "string", "format": "date-time"},
    "map": {"type": "object", "additionalProperties": {"type": ["string", "null"]}},
    "part": {"type": ["object", "null"], "properties": {"x": {"type": ["string", "null"]}, "plain": TEXT}},
    "untyped": {"properties": {"x": TEXT}},
    "tags": {"additionalProperties": TEXT},
    "either": {"oneOf": [TEXT, {"type": "object", "properties": {"x": TEXT}}, {"type": "null"}]},
    "anything": {},
    "counts": {"type": "array", "items": {"type": ["integer", "null"]}},
    "parts": {"type": "array", "items": {"oneOf": [{"type": "object", "properties": {"words": TEXT}}, {"type": "null"}]}},
    "node": {"$ref": "#/x/node"},
    "plain": TEXT,
    "closed": {"type": "object", "properties": {"x": TEXT}, "additionalProperties": False},
    "short": {"type": "string", "minLength": 1},
    "some": {"type": "array", "items": TEXT, "minItems": 1},
}
NULLABLE = ("text", "texts", "whole", "flag", "choice", "part", "untyped", "tags", "either", "anything")


def tool_of(schema: dict[str, Any], method: str = "post") -> Tool:
    return only_tool(made(document({"/things": {method: body(schema)}}, x={"node": NODE})))


OBJECT = tool_of({"type": "object", "properties": MEMBERS})
OPEN = tool_of({"type": "object", "properties": {"name": TEXT, "count": {"type": "integer"}}, "required": ["name"]})
UNTYPED = tool_of({"properties": {"name": TEXT, "count": {}, "label": TEXT | {"default": "a"}}, "required": ["name", "label"]})


def errors(tool: Tool, given: dict[str, Any]) -> list[str]:
    return [str(one) for one in check(tool, given, NOW).errors]


@pytest.mark.parametrize(
    "given",
    [
        {},
        *({name: None} for name in NULLABLE),
        dict.fromkeys(NULLABLE),
        {"text": ""},
        {"text": "null"},
        {"text": ODD},
        {"texts": []},
        {"texts": ["a", None, "", "null", ODD, "a, b"]},
        {"whole": -11552591008122797395758022656},
        {"when": "2024-02-03T04:05:06.70+05:30"},
        {"choice": "null"},
        {"map": {}},
        {"map": {"": "", "a": None, "b": "null", ODD: ODD}},
        {"part": {}},
        {"part": {"x": None, "plain": "", "not declared": [1, None, {"y": ODD}]}},
        *({name: value} for name in ("untyped", "tags", "anything") for value in (False, "text", "null", ["a"], {"x": "1"})),
        {"either": "null"},
        {"anything": [5, {"x": 1.5}], "flag": False, "whole": 7},
        {"counts": [None, 1], "parts": [None, {"words": "a"}, {}]},
        {"node": {"name": "a", "next": {"name": "b", "next": {"name": "c", "own": {"x": [1.5, None]}}}}},
    ],
    ids=ascii,
)
def test_what_a_schema_takes_is_sent_as_it_is_on_every_way(given: dict[str, Any]) -> None:
    assert body_of(OBJECT, given) == given
    for way, arguments in round_trips(OBJECT, given):
        assert body_of(OBJECT, arguments) == given, way


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
        ({"tags": {"a": 5}}, "tags.a"),
        ({"node": {"next": {"x": 1}}}, "`node.name` is required"),
    ],
    ids=ascii,
)
def test_what_a_schema_does_not_take(given: dict[str, Any], words: str) -> None:
    assert words in str(errors(OBJECT, given))


def test_what_takes_no_null_is_not_set_by_it_and_agents_know_what_does() -> None:
    assert body_of(OBJECT, {"plain": None}) == {}
    asked = only_tool(made(document({"/things": {"get": query(TEXT | {"nullable": True})}})))
    assert plan(asked, check(asked, {"q": None}, NOW)).query == ()
    properties = json_schema(OBJECT)["properties"]
    assert {"type": "null"} in properties["text"]["anyOf"]
    assert "anyOf" not in properties["plain"]


@pytest.mark.parametrize("text", ["", ODD, "a&b=c", " "])
def test_texts_of_a_query_and_a_path(text: str) -> None:
    tool = only_tool(made(document({"/things": {"get": query(TEXT)}})))
    assert plan(tool, check(tool, {"q": text}, NOW)).query == (("q", text),)
    tool = only_tool(made(document({"/things/{id}": {"get": path_parameter(TEXT)}})))
    if text:
        assert unquote(plan(tool, check(tool, {"id": text}, NOW)).path) == f"/things/{text}"
    else:
        assert "required but empty" in str(errors(tool, {"id": text}))  # an empty segment is another path


def test_a_header_takes_what_a_header_can_hold() -> None:
    tool = only_tool(made(document({"/a": {"get": {"parameters": [{"name": "X-Thing", "in": "header", "schema": TEXT}]}}})))
    for text in ("", "a\tb", "a b"):
        assert plan(tool, check(tool, {"x_thing": text}, NOW)).headers == (("X-Thing", text),)
    for text in ("a\nb", "\x00", " a", "é"):
        assert "ASCII text" in str(errors(tool, {"x_thing": text}))
    must = {"name": "X", "in": "header", "required": True, "schema": TEXT | {"default": "é"}}
    assert only_tool(made(document({"/a": {"get": {"parameters": [must]}}}))).parameters[0].required, "it has no such default"


@pytest.mark.parametrize(
    ("schema", "value", "sent"),
    [
        (TEXT, 'say "a"', '"say \\"a\\""'),
        (TEXT, "", '""'),
        ({"type": "array", "items": TEXT}, [], "[]"),
        ({"type": ["array", "null"], "items": {}}, None, "null"),
        ({"type": ["array", "null"], "items": {}}, NULL, "null"),
        ({}, "a", '"a"'),
    ],
)
def test_a_whole_json_body_is_json(schema: dict[str, Any], value: Any, sent: str) -> None:
    tool = tool_of(schema)
    request = plan(tool, check(tool, {"body": value}, NOW))
    assert request.body is not None
    assert request.body.text() == sent


@pytest.mark.parametrize("whole", [None, True, "", "text", "null", 1.5, [], [{"a": [None]}], "\x85\u202e"], ids=ascii)
def test_a_body_without_a_type_is_anything(whole: Any) -> None:
    given = {"body_json": Exact(whole) if isinstance(whole, float) else whole}
    assert body_of(UNTYPED, given) == whole  # and the default of a member is not sent
    for way, arguments in round_trips(UNTYPED, {"body_json": whole}):
        assert body_of(UNTYPED, arguments) == whole, way


@pytest.mark.parametrize("tool", [UNTYPED, OPEN], ids=["untyped", "open"])
@pytest.mark.parametrize("more", [{"": 1}, {"other": {"x": [None]}}, {"body_json": "x"}, {"Name": ""}], ids=str)
def test_members_that_nobody_names(tool: Tool, more: dict[str, Any]) -> None:
    given = {"name": "a", "body_json": more}
    expected = body_of(tool, {"name": "a"}) | more
    assert expected == body_of(tool, given)
    for way, arguments in round_trips(tool, given):
        assert body_of(tool, arguments) == expected, way


def test_a_whole_body_is_checked_like_its_members() -> None:
    whole = {"name": "a", "count": 7, "other": [1]}
    assert body_of(OPEN, {"body_json": whole}) == whole
    arguments = check(OPEN, {"body_json": '{"name": "a", "count": 7, "other": 1}'}, NOW)
    assert dict(arguments.values) == {"name": "a", "count": 7, "body_json": {"other": Exact("1")}}
    assert errors(OPEN, {"body_json": {"name": "a", "count": "x"}}) == ['`count` must be a whole number; got "x"']
    assert errors(OPEN, {"body_json": {"count": 7}})[0].startswith("`name` is required")
    assert errors(OPEN, {"name": "b", "body_json": {"name": "a"}}) == ["`body_json.name` is given twice: `name` is set, too"]
    assert "clear `name`, `count`" in str(errors(UNTYPED, {"name": "a", "count": 1, "body_json": [1]}))
    assert "`body_json` must be" in str(errors(OPEN, {"name": "a", "body_json": [1]}))


def test_where_a_body_takes_nothing_else() -> None:
    closed = tool_of({"type": "object", "properties": {"name": TEXT}, "additionalProperties": False})
    assert "is not a parameter" in errors(closed, {"body_json": {"other": 1}})[0]
    assert form_of({"type": "object", "properties": {"name": TEXT}}, "Things").parameter("body_json") is None
    found = made(document({"/things": {"head": body({"type": "object"})}}))
    assert [one.reason for one in found.remarks] + [one.reason for one in found.left_out] == [
        "its body is left out: a HEAD has none"
    ]
