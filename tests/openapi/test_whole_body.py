"""What the fields of a body's members have no room for: members that nobody names, and bodies that are no object."""

from __future__ import annotations

from typing import Any

import pytest

from registry.calling.arguments import check
from registry.catalog.model import Tool
from registry.json_text.values import Exact
from registry.openapi.mcp_server import form_of
from tests.openapi.features import body
from tests.openapi.making import NOW, document, made, only_tool
from tests.openapi.round_trips import body_of, round_trips

TEXT = {"type": "string"}
MEMBERS = {"name": TEXT, "count": {"type": "integer"}, "part": {"type": "object", "properties": {"x": TEXT}}}


def tool_of(schema: dict[str, Any], method: str = "post") -> Tool:
    return only_tool(made(document({"/things": {method: body(schema)}})))


UNTYPED = tool_of({"properties": MEMBERS | {"label": TEXT | {"default": "a"}}, "required": ["name", "label"]})
OPEN = tool_of({"type": "object", "properties": MEMBERS, "required": ["name"]})


def errors(tool: Tool, given: dict[str, Any]) -> list[str]:
    return [str(one) for one in check(tool, given, NOW).errors]


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
    assert "body_json" not in check(OPEN, {"body_json": {"name": "a"}}, NOW).values
    assert errors(OPEN, {"body_json": {"name": "a", "count": "x"}}) == ['`count` must be a whole number; got "x"']
    assert errors(OPEN, {"body_json": {"count": 7}})[0].startswith("`name` is required")
    assert errors(OPEN, {"name": "b", "body_json": {"name": "a"}}) == ["`body_json.name` is given twice: `name` is set, too"]


def test_what_cannot_stand_beside_it() -> None:
    assert errors(UNTYPED, {"name": "a", "count": 1, "body_json": [1]}) == [
        "`body_json` is the whole body, because it is not an object: clear `name`, `count`"
    ]
    for given in ([1], 5, "text"):
        assert "`body_json` must be" in str(errors(OPEN, {"name": "a", "body_json": given}))
    null = tool_of({"type": ["object", "null"], "properties": MEMBERS, "required": ["name"]})
    assert body_of(null, {"body_json": None}) is None
    assert errors(null, {"body_json": 5})[0].startswith("`name` is required")


def test_where_a_body_takes_nothing_else() -> None:
    closed = tool_of({"type": "object", "properties": MEMBERS, "additionalProperties": False})
    assert closed.parameter("body_json") is None
    assert "is not a parameter" in errors(closed, {"body_json": {"other": 1}})[0]
    assert form_of({"type": "object", "properties": {"name": TEXT}}, "Things").parameter("body_json") is None


def test_a_map_without_a_type_is_anything() -> None:
    tool = tool_of({"type": "object", "properties": {"tags": {"additionalProperties": TEXT}}})
    for value in (False, ["a"], "text", {"a": "b"}, None):
        for way, arguments in round_trips(tool, {"tags": value}):
            assert body_of(tool, arguments) == {"tags": value}, way
    assert "tags.a" in errors(tool, {"tags": {"a": 5}})[0]


def test_a_head_has_no_body_and_the_import_says_so() -> None:
    found = made(document({"/things": {"head": body({"type": "object", "properties": MEMBERS})}}))
    assert only_tool(found).body is None
    assert [one.reason for one in found.remarks] + [one.reason for one in found.left_out] == [
        "its body is left out: a HEAD has none"
    ]
