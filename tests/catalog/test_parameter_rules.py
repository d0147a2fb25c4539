"""What a catalogue may not say of parameters, paths and bodies; and what it says as JSON Schema."""

from pathlib import Path
from typing import Any

import pytest

from registry.catalog.folders import UNFIT
from registry.catalog.model import Tool, fault_of, matcher
from registry.catalog.schema import json_schema
from tests.cases import cases_beside
from tests.workshop import FIELDS, nested, only, parameter, tool, written

CASES = cases_beside(__file__)


def problems(folder: Path, entry: dict[str, Any]) -> list[str]:
    return [f"{problem.field}: {problem.message}" for problem in written(folder, entry).problems]


def of_parameter(folder: Path, method: str = "POST", path: str = "/t", **fields: Any) -> list[str]:
    one = {**parameter("x", fields.pop("type", "string"), fields.pop("in", "body")), **fields}
    return [problem.removeprefix("parameters.x.") for problem in problems(folder, tool("T", method, path, one))]


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"in": "inside"}, "in: must be path, query, header, cookie, body, part or local"),
    ({"in": "body", "method": "GET"}, "in: cannot be body: GET has one only if"),
    ({"in": "header", "wire_name": "Authorization"}, "wire_name: cannot be Authorization: the account"),
    ({"in": "header", "wire_name": "X-A\r\nY"}, f"parameters.0.wire_name: {UNFIT}"),
    ({"in": "header", "enum": ["a"], "wire_enum": ["a\r\nX: y"]}, f"parameters.0.wire_enum.0: {UNFIT}"),
    ({"in": "path", "path": "/t/{x}", "when_empty": "send"}, "when_empty: must be refuse in a path"),
    ({"format": "file"}, "format: can be file only in a multipart or raw body"),
    ({"type": "string", "minimum": 1}, "minimum: does not belong to the type string"),
    ({"pattern": "("}, "pattern: cannot be used: error: unclosed group"),
    ({"type": "string", "properties": [{"name": "a", "type": "string"}]}, "properties: belong to an object"),
    ({"type": "object", "properties": [{"name": "a", "type": "string"}] * 2}, "properties.a: appears twice"),
    ({"type": "object", "properties": [{"name": "a", "type": "text"}]}, "properties.a.type: must be 'string'"),
    ({"type": "object", "properties": [{"name": "a", "type": "any", "wire_name": "b"}]}, "a.wire_name: belongs to a parameter"),
    ({"type": "array", "items": {"type": "string", "required": True}}, "item.required: belongs to the properties"),
]


@pytest.mark.parametrize(("fields", "expected"), WRONG)
def test_what_is_wrong_with_a_parameter(fields: dict[str, Any], expected: str, tmp_path: Path) -> None:
    told = of_parameter(tmp_path, **fields)
    assert any(one.startswith(expected) for one in told), told


def test_nesting_without_end_is_refused(tmp_path: Path) -> None:
    inner: dict[str, Any] = {"type": "string"}
    for _ in range(13):
        inner = {"type": "array", "items": inner}
    assert any("nested more than 12 deep" in one for one in of_parameter(tmp_path, type="array", items=inner))


@pytest.mark.parametrize(("path", "expected"), CASES["path templates"])
def test_path_templates(path: str, expected: str) -> None:
    fault = fault_of(path)
    assert fault.startswith(expected)
    assert bool(fault) == bool(expected)


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"method": "HEAD", "body": "json"}, "body: does not go with HEAD"),
        ({"method": "POST", "body": "raw"}, "content_type: is required for a raw body"),
        ({"method": "POST", "body": "raw", "content_type": "text/plain"}, "body: is raw, so exactly one parameter"),
        ({"method": "POST", "content_type": "text/plain\r\nX: y"}, f"content_type: {UNFIT}"),
        ({"method": "POST", "body": "multipart", "content_type": "text/mixed"}, "content_type: must be multipart/"),
    ],
)
def test_what_is_wrong_with_a_body(more: dict[str, Any], expected: str, tmp_path: Path) -> None:
    told = problems(tmp_path, tool("T", path="/t", **more))
    assert any(one.startswith(expected) for one in told), told


def test_a_pattern_takes_linear_time_whatever_it_is() -> None:
    assert not matcher("^(a+)+$")("a" * 100_000 + "b")
    assert not matcher("^(a|aa)+$")("a" * 100_000 + "b")
    with pytest.raises(ValueError, match="backreferences"):
        matcher(r"(a)\1")


@pytest.fixture
def issue(tmp_path: Path) -> Tool:
    return only(
        tmp_path, tool("CreateIssue", "POST", "/issues", nested(FIELDS, required=True), parameter("any", "any", "body"))
    )


def test_json_schema_of_what_is_inside(issue: Tool) -> None:
    schema = json_schema(issue)["properties"]
    fields = schema["fields"]["properties"]
    assert schema["fields"]["required"] == ["summary"]
    assert schema["fields"]["additionalProperties"] is False
    assert schema["any"] == {"description": "Help."}
    assert fields["points"] == {"type": "number", "minimum": 0, "maximum": 99.5}
    assert fields["meta"]["additionalProperties"] is True
    assert fields["assignee"]["anyOf"][1] == {"type": "null"}
    assert fields["assignee"]["anyOf"][0]["properties"]["email"]["format"] == "email"
    assert [branch["title"] for branch in fields["estimate"]["anyOf"]] == ["hours", "words", "range"]
    assert fields["links"]["items"]["properties"]["url"]["pattern"] == "^https://"
    assert fields["links"]["maxItems"] == 3
