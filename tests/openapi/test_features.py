"""Each feature of a document becomes the request that it describes, and what its schemas refuse is refused before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from registry.calling.arguments import check
from registry.calling.bodies import part_files
from registry.calling.request import plan
from tests.openapi.echo import echo, request_of
from tests.openapi.making import (
    FEATURES,
    MULTIPART,
    NOW,
    REFUSALS,
    Feature,
    Refusal,
    body,
    document,
    made,
    only_tool,
    query,
    sent,
    tools,
)
from tests.openapi.round_trips import round_trips


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[str, list[str]]]:
    with echo() as one:
        yield one


@pytest.mark.parametrize("feature", FEATURES, ids=lambda one: one.name)
def test_the_request_is_the_one_that_is_described(feature: Feature, server: tuple[str, list[str]]) -> None:
    assert request_of(feature.whole, feature.given, feature.environment, *server) == feature.sent


@pytest.mark.parametrize("feature", FEATURES, ids=lambda one: one.name)
def test_arguments_survive_every_format(feature: Feature) -> None:
    tool = next(iter(tools(made(feature.whole)).values()))
    for way, arguments in round_trips(tool, feature.given):
        assert sent(tool, arguments) == sent(tool, feature.given), way


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda one: one.name)
def test_what_a_schema_refuses(refusal: Refusal) -> None:
    tool = only_tool(made(document({"/things": {"get": query(refusal.schema)}}, refusal.version)))
    assert refusal.words in " ".join(map(str, check(tool, {"q": refusal.given}, NOW).errors))


def test_a_branch_beside_null_is_no_choice_and_branches_have_labels() -> None:
    point = {"type": "object", "title": "A point", "properties": {"x": {"type": "integer"}}}
    nothing = {"type": "null"}
    shown = {
        "alone": {"oneOf": [point, nothing]},
        "several": {"oneOf": [point, {"type": "integer"}, {"type": "object", "properties": {"y": {}}}, point]},
        "constraints": {"type": "string", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
        "known": {"anyOf": [{"type": "string", "enum": ["a", "b"]}, {"type": "string"}]},
    }
    tool = only_tool(made(document({"/things": {"post": body({"type": "object", "properties": shown})}})))
    alone, several, constraints, known, _ = tool.parameters
    assert (alone.type, [one.name for one in alone.properties]) == ("object", ["x"])
    assert [one.name for one in several.branches] == ["A point", "number", "with y", "A point 2"]
    assert (constraints.type, known.type, known.suggestions) == ("string", "string", ("a", "b"))


def test_files_and_parts_of_a_multipart_body(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(name.upper())
    binary = {"type": "string", "format": "binary"}
    parts = {"one": binary, "several": {"type": "array", "items": binary}, "about": {"type": "object", "properties": {"x": {}}}}
    tool = only_tool(made(document({"/things": {"post": body({"type": "object", "properties": parts}, MULTIPART)}})))
    files = [str(tmp_path / name) for name in ("a.txt", "b.txt")]
    arguments = check(tool, {"one": files[0], "several": files, "about": {"x": 1}}, NOW)
    assert arguments.errors == ()
    request = plan(tool, arguments)
    assert request.has_files
    assert request.body is not None
    assert part_files(request.body, request.writing) == [
        ("one", ("a.txt", b"A.TXT")),
        ("several", ("a.txt", b"A.TXT")),
        ("several", ("b.txt", b"B.TXT")),
        ("about", (None, '{"x":1}')),
    ]
    assert "path of a file" in str(check(tool, {"several": ["/nowhere"]}, NOW).errors)
