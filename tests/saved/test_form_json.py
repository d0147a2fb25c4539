"""Arguments as JSON text: both ways without loss, and mistakes with their place."""

from typing import Any

import pytest

from registry.accounts.secrets import MASK
from registry.catalog.loader import load
from registry.catalog.model import Tool
from registry.json_text import Exact, same
from registry.saved.form_values import mistakes_in, name_at, reading, written
from registry.saved.making import form_of, saved_form
from registry.saved.store import file_text, read_file
from tests.cases import cases_beside
from tests.hostile import forbidden_in_output
from tests.openapi.round_trips import only as catalog_of
from tests.workshop import FIELDS, nested, only, parameter, tool

CASES = cases_beside(__file__)

TOOLS = load().tools
INCIDENTS = TOOLS["ListIncidents"]
INTENT = TOOLS["RetrievePaymentIntentDetails"]


def told(text: str, tool: str = "ListIncidents") -> list[str]:
    return [str(mistake) for mistake in mistakes_in(TOOLS[tool], text, reading(TOOLS[tool], text, {}))]


@pytest.mark.parametrize(("text", "mistake"), CASES["mistakes in arguments"])
def test_mistakes_have_a_place_a_name_and_a_rule(text: str, mistake: str) -> None:
    assert told(text) == [mistake]


def test_a_text_of_any_depth_ends_in_a_sentence() -> None:
    assert told('{"limit": ' + "[" * 100_000) == ["1:1 this is nested too deeply"]


def test_null_is_not_set_and_words_are_those_of_the_form() -> None:
    assert reading(INCIDENTS, '{"limit": null, "urgency": "HIGH", "since": ""}', {}).raw == {"urgency": "high", "since": ""}
    overview = TOOLS["ListLogEntries"]
    assert reading(overview, '{"is_overview": false}', {}).raw == {"is_overview": "false"}
    assert "must be true or false; got 1" in str(reading(overview, '{"is_overview": 1}', {}).mistakes[0])


def test_a_secret_stands_as_a_mask_and_stays_what_it_was() -> None:
    held = {"payment_intent_id": "pi_1", "payment_intent_client_secret": "MARKED"}
    text = written(INTENT, held)
    assert "MARKED" not in text
    assert reading(INTENT, text, held).raw == held
    other = text.replace(MASK, "typed")
    assert "is a secret: enter it in its form field" in str(reading(INTENT, other, held).mistakes[0])
    assert reading(INTENT, '{"payment_intent_id": "pi_1"}', held).raw == {"payment_intent_id": "pi_1"}


def test_which_parameter_a_place_is_in() -> None:
    text = written(INCIDENTS, {"urgency": "high", "limit": "5"})
    assert name_at(INCIDENTS, text, 1, 15) == "urgency"
    assert name_at(INCIDENTS, text, 2, 0) == "urgency"
    assert name_at(INCIDENTS, text, 2, 4) == "limit"
    assert name_at(INCIDENTS, text, 0, 0) == ""
    assert name_at(INCIDENTS, '{"limit": 5, "x', 0, 14) == "limit"


@pytest.fixture(scope="module")
def issue(tmp_path_factory: pytest.TempPathFactory) -> Tool:
    branches = [{"name": "count", "type": "integer"}, {"name": "name", "type": "string"}, {"name": "flag", "type": "boolean"}]
    return only(
        tmp_path_factory.mktemp("issue"),
        tool(
            "CreateIssue",
            "POST",
            "/issues",
            nested(FIELDS),
            parameter("who", "one_of", "body", branches=branches),
            parameter("free", "object", "body"),
            parameter("any", "any", "body"),
            parameter("amount", "number", "body"),
            parameter("ids", "array", "body", items={"type": "integer"}),
            parameter("flags", "array", "body", items={"type": "boolean"}),
            parameter("rows", "array", "body", items={"type": "array", "items": {"type": "number"}}),
        ),
    )


RAW: dict[str, Any] = {
    "fields": {"summary": "x", "points": Exact("1.50"), "assignee": None, "estimate": "5", "meta": {"z": Exact("1"), "a": []}},
    "who": Exact("5"),
    "free": {"b": [None, True, Exact("1E400")], "a": "1"},
    "any": [Exact("1.0")],
    "amount": "1.10",
    "ids": ["1", "2"],
    "flags": ["true", "false"],
    "rows": [[Exact("1.0")], [Exact("2")]],
}


def test_structures_come_back_as_they_were(issue: Tool) -> None:
    text = written(issue, RAW)
    assert '"fields": {\n    "summary": "x",\n    "points": 1.50,\n    "assignee": null,\n    "estimate": "5",' in text
    for line in ('"who": 5,\n', '"amount": 1.10,', '"ids": [1, 2],', '"flags": [true, false],'):
        assert line in text, "JSON, and not JSON in quotes"
    free = {f"{text} ": [text, {text: None}] for text in ("", 'a"b\\', "{x}", "ü 東京", "1.10", "null", "[]")}
    for raw in (RAW, {"free": free, "any": free, "who": "5", "rows": [[Exact("-0.10e5")]]}):
        assert not forbidden_in_output(written(issue, raw).encode())
        read = reading(issue, written(issue, raw), {}).raw
        assert same(read, raw)
        saved = read_file(file_text(saved_form(issue, "mine", raw)).encode(), catalog_of(issue))
        assert same(form_of(saved, issue), raw)
    assert list(read["free"]) == list(free)  # type: ignore[call-overload]


@pytest.mark.parametrize(("text", "told"), CASES["mistakes in structures"])
def test_mistakes_in_structures(text: str, told: str, issue: Tool) -> None:
    assert told in str(reading(issue, text, {}).mistakes[0])
