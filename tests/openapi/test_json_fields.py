"""A value too deep, or inside itself, is JSON that the service checks."""

from __future__ import annotations

from typing import Any

import pytest

from registry.calling.arguments import check
from registry.catalog.model import Tool
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


def test_what_contains_itself_or_lies_too_deep_is_json_that_the_service_checks() -> None:
    tool = tool_of({"$ref": "#/components/schemas/Node"})
    node = tool.parameters[0]
    assert refusals(tool, {"name": "a", "next": {"size": "x", "own": [1]}}) == []
    assert "v.name is required" in refusals(tool, {"next": {"x": 1}})[0]
    following = node.property_named("next")
    assert following is not None
    assert (following.type, following.properties) == ("object", ())
    aids = Aids(lambda *_: "", lambda *_: [], lambda _: "", lambda *_: None, lambda _: None)
    assert isinstance(field_for(following, aids), JsonField)
    flags = {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "boolean"}}}}
    assert refusals(tool_of(deep(flags)), at([{"a": 1}])) == []


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
