"""Null in a JSON body: given, it is sent; it is neither the empty text nor what is not set, on every way that a value takes."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

from registry.calling.arguments import check
from registry.calling.bodies import content_of
from registry.calling.exact_json import NULL, dumps, loads
from registry.calling.request import plan
from registry.catalog.model import Tool
from registry.catalog.schema import json_schema
from registry.doors.cli_options import from_json, from_words
from registry.export.callboard_command import command
from registry.export.python_program import _plain
from registry.presets.json_form import reading, written
from registry.presets.preset import file_text, new_preset, read_file
from registry.presets.values import held_in
from tests.openapi.features import body, query
from tests.openapi.making import NOW, document, made, only_tool

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


def tool_of(schema: dict[str, Any], method: str = "patch") -> Tool:
    return only_tool(made(document({"/things": {method: body(schema)}})))


NAMED = {"type": "object", "additionalProperties": {"type": ["string", "null"]}}
TOOL = tool_of({"type": "object", "properties": NULLABLE | {"plain": TEXT, "named": NAMED}})


def sent(tool: Tool, given: dict[str, Any]) -> Any:
    arguments = check(tool, given, NOW)
    assert arguments.errors == ()
    request = plan(tool, arguments)
    return json.loads(content_of(request.body or {}, request.writing))


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
    {"part": {"plain": "a"}, "anything": [5, {"x": 1.5}], "texts": ["5", "null"], "count": 7, "flag": False},
    {},
]


@pytest.mark.parametrize("given", GIVEN, ids=str)
def test_null_is_sent_on_every_way(given: dict[str, Any]) -> None:
    assert sent(TOOL, given) == given
    held = held_in(TOOL, given)
    assert sent(TOOL, held) == given
    read = reading(TOOL, written(TOOL, held), {})
    assert not read.mistakes
    assert sent(TOOL, dict(read.raw)) == given
    assert sent(TOOL, from_json(json.dumps(given))) == given
    recalled = loads(dumps(check(TOOL, given, NOW).values), whole=True)  # as history keeps it
    assert sent(TOOL, dict(held_in(TOOL, recalled))) == given
    if given:
        preset, _ = new_preset(TOOL, "one", dict(read.raw), NOW)
        kept = read_file(file_text(TOOL, preset).encode(), {TOOL.name: TOOL})
        assert sent(TOOL, dict(kept.raw)) == given


@pytest.mark.parametrize("given", GIVEN, ids=str)
def test_null_is_written_for_others(given: dict[str, Any]) -> None:
    arguments = check(TOOL, given, NOW)
    words = shlex.split(command(TOOL, arguments).replace("\\\n", ""))[3:]
    rest = [word.removeprefix("--args=") for word in words if word.startswith("--args=")]
    options = [word for word in words if not word.startswith("--args=")]
    assert sent(TOOL, from_json(rest[0] if rest else None) | from_words(TOOL, options)) == given
    assert _plain(plan(TOOL, arguments).body) == given


def test_what_takes_no_null_is_not_set_by_it() -> None:
    assert sent(TOOL, {"plain": None}) == {}
    asked = only_tool(made(document({"/things": {"get": query(TEXT | {"nullable": True})}})))
    assert plan(asked, check(asked, {"q": None}, NOW)).query == ()


def test_a_whole_body_may_be_null() -> None:
    tool = tool_of({"type": ["array", "null"], "items": {}}, "post")
    assert sent(tool, {"body": None}) is None
    assert sent(tool, {"body": NULL}) is None


def test_agents_are_told_of_null() -> None:
    assert {"type": "null"} in json_schema(TOOL)["properties"]["text"]["anyOf"]
    assert "anyOf" not in json_schema(TOOL)["properties"]["plain"]
