"""A value too deep, or inside itself, is JSON that is held against its schema; errors name their place."""

from __future__ import annotations

from typing import Any

import pytest

from registry.calling.arguments import check
from registry.catalog.model import Parameter, Tool
from registry.catalog.schema import json_schema
from tests.openapi.features import body
from tests.openapi.making import NOW, document, made, only_tool, sent
from tui.explorer.fields.make import Aids, field_for
from tui.explorer.fields.structured import JsonField

NODE = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {"type": "string"},
        "size": {"type": "integer", "maximum": 9},
        "state": {"type": "string", "enum": ["on", "off"]},
        "next": {"$ref": "#/components/schemas/Node"},
        "all": {"type": "array", "items": {"$ref": "#/components/schemas/Node"}},
        "either": {"oneOf": [{"type": "integer"}, {"$ref": "#/components/schemas/Node"}]},
    },
}
FLAGS = {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "boolean"}}}}
CLOSED = {"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": False}
SCHEMAS: dict[str, Any] = {"components": {"schemas": {"Node": NODE}}}


def tool_of(schema: dict[str, Any]) -> Tool:
    return only_tool(made(document({"/a": {"post": body({"type": "object", "properties": {"v": schema}})}}) | SCHEMAS))


def deep(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema ten levels down."""
    for _ in range(9):
        schema = {"type": "object", "properties": {"d": schema}}
    return schema


def at(value: Any) -> Any:
    for _ in range(9):
        value = {"d": value}
    return value


def refusals(tool: Tool, value: Any) -> list[str]:
    return [str(one).replace("`", "") for one in check(tool, {"v": value}, NOW).errors]


def json_fields(one: Parameter) -> list[Parameter]:
    """The parameters that are written as JSON, the outermost of each branch."""
    if one.as_json:
        return [one]
    inside = (*one.properties, *one.branches, *((one.items,) if one.items is not None else ()))
    return [found for inner in inside for found in json_fields(inner)]


def test_what_contains_itself_is_held_against_its_schema_at_any_place() -> None:
    tool = tool_of({"$ref": "#/components/schemas/Node"})
    assert len(json_fields(tool.parameters[0])) == 3
    inner = {"name": "b", "size": 3, "state": "on", "all": [{"name": "c"}], "either": 4, "own": [1]}
    assert refusals(tool, {"name": "a", "next": inner}) == []
    for wrong, words in (
        ({"size": 3}, "v.next.name is required"),
        ({"name": 7}, "v.next.name"),
        ({"name": "b", "size": 10}, "v.next.size"),
        ({"name": "b", "state": "half"}, "v.next.state"),
        ({"name": "b", "all": [{"name": "c"}, {}]}, "v.next.all[1].name is required"),
        ({"name": "b", "next": {"name": "c", "next": {"size": "x"}}}, "v.next.next.next.name is required"),
        ({"name": "b", "either": True}, "v.next.either"),
    ):
        told = refusals(tool, {"name": "a", "next": wrong})
        assert any(words in one for one in told), (wrong, told)


@pytest.mark.parametrize(
    ("schema", "right", "wrong", "words"),
    [
        (CLOSED, {"a": 1}, {"b": 1}, "b is not a property here"),
        (FLAGS, [{"a": True}], [{"a": 1}], "a"),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, {"x": 1}, {"x": "y"}, "x"),
        ({"oneOf": [{"type": "integer"}, CLOSED]}, 3, "x", "must be one of"),
    ],
)  # fmt: skip
def test_what_lies_deeper_than_fields_do(schema: dict[str, Any], right: Any, wrong: Any, words: str) -> None:
    tool = tool_of(deep(schema))
    assert refusals(tool, at(right)) == []
    (told,) = refusals(tool, at(wrong))
    assert told.startswith("v.d.d.d.d.d.d.d.d.d")
    assert words in told


def test_a_list_of_texts_is_a_field_however_deep_it_lies() -> None:
    one = tool_of(deep({"type": "array", "items": {"type": "string"}})).parameters[0]
    while one.properties:
        one = one.properties[0]
    assert (one.type, one.as_json) == ("array", False)


def test_it_is_one_field_on_screen_and_one_line_for_agents() -> None:
    tool = tool_of({"$ref": "#/components/schemas/Node"})
    node = tool.parameters[0]
    following = node.property_named("next")
    assert following is not None
    assert (following.as_json, bool(following.properties)) == (True, True)
    aids = Aids(lambda *_: "", lambda *_: [], lambda _: "", lambda *_: None, lambda _: None)
    assert isinstance(field_for(following, aids), JsonField)
    shown = json_schema(tool)["properties"]["v"]["properties"]["next"]
    assert "properties" not in shown


def test_what_is_sent_is_what_was_written() -> None:
    tool = tool_of({"$ref": "#/components/schemas/Node"})
    value = {"name": "a", "next": {"name": "b", "next": {"name": "c", "own": {"x": [1.50, None]}}}}
    assert (
        sent(tool, {"v": value})[1]
        == '{"v": {"name": "a", "next": {"name": "b", "next": {"name": "c", "own": {"x": [1.5, null]}}}}}'
    )


@pytest.mark.parametrize("levels", range(8, 14))
def test_lists_inside_each_other_are_a_tool_however_deep_they_lie(levels: int) -> None:
    schema: dict[str, Any] = {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}
    value: Any = [[1]]
    for _ in range(levels):
        schema, value = {"type": "object", "properties": {"d": schema}}, {"d": value}
    assert refusals(tool_of(schema), value) == []
