"""Each feature of a document becomes the request that it describes, and what its schemas refuse is refused before."""

from collections.abc import Iterator

import pytest

from registry.calling.arguments import check
from tests.openapi.echo import echo, request_of
from tests.openapi.making import FEATURES, NOW, REFUSALS, Feature, Refusal, body, document, made, only_tool, query, sent, tools
from tests.openapi.round_trips import round_trips


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[str, list[str]]]:
    with echo() as one:
        yield one


@pytest.mark.parametrize("feature", FEATURES, ids=lambda one: one.name)
def test_the_request_is_the_one_that_is_described(feature: Feature, server: tuple[str, list[str]]) -> None:
    assert request_of(feature.whole, feature.with_files, feature.environment, *server) == feature.sent


@pytest.mark.parametrize("feature", FEATURES, ids=lambda one: one.name)
def test_arguments_survive_every_format(feature: Feature) -> None:
    tool = next(iter(tools(made(feature.whole)).values()))
    for way, arguments in round_trips(tool, feature.with_files):
        assert sent(tool, arguments) == sent(tool, feature.with_files), way


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
