"""Objects, lists, numbers and one of several: what is taken, and what is said of what is not."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.calling.arguments import check
from registry.calling.request import build, plan
from registry.catalog.model import Tool
from registry.json_text import DEEPEST, Exact, NotJson, depth_of, dumps, read_typed, same
from tests.hostile import STRINGS
from tests.sampled import examples
from tests.workshop import FIELDS, connection, nested, only, parameter, tool


@pytest.fixture(scope="module")
def issue(tmp_path_factory: pytest.TempPathFactory) -> Tool:
    folder = tmp_path_factory.mktemp("issue")
    return only(folder, tool("CreateIssue", "POST", "/issues", nested(FIELDS), parameter("any", "any", "body")))


def one(folder: Path, type_: str, place: str = "body", **more: Any) -> Tool:
    return only(folder, tool("T", "POST", "/t", parameter("x", type_, place, **more)))


def said(tool: Tool, raw: dict[str, object]) -> list[str]:
    return [str(error) for error in check(tool, raw).errors]


WRONG = [
    ({}, ["`fields.summary` is required"]),
    ({"summary": ""}, ["`fields.summary` is required but empty; enter a value"]),
    ({"summary": 5}, ["`fields.summary` must be text; got 5"]),
    ({"summary": "x", "points": 99.51}, ["`fields.points` must be a number from 0 to 99.5; got 99.51"]),
    ({"summary": "x", "points": float("nan")}, ["`fields.points` must be a number from 0 to 99.5; got NaN"]),
    ({"summary": "x", "priority": "hihg"}, ['`fields.priority` must be low or high; got "hihg"; did you mean high?']),
    (
        {"summary": "x", "assignee": {"email": "me", "address": {"geo": {"lat": "x", "lon": []}}}},
        [
            '`fields.assignee.email` must be an email address such as ada@fernway.example; got "me"',
            '`fields.assignee.address.geo.lat` must be a number; got "x"',
            "`fields.assignee.address.geo.lon` cannot be empty; enter a value, or leave it not set",
            "`fields.assignee.address.city` is required",
        ],
    ),
    (
        {"summary": "x", "sumary": 1},
        ["`fields.sumary` is not a property here; did you mean summary?; available: summary, points"],
    ),
    ({"summary": "x", "estimate": True}, ["`fields.estimate` must be one of: hours, words, range; got true"]),
    ({"summary": "x", "estimate": {"from": 1}}, ["`fields.estimate.to` is required"]),
    (
        {"summary": "x", "links": [{"url": "https://a"}, {"url": "ftp://a"}]},
        ["`fields.links[1].url` must be text that matches ^https://"],
    ),
    (
        {"summary": "x", "links": [{}, 5, None]},
        ["`fields.links[0].url` is required", "`fields.links[1]` must be an object; got 5"],
    ),
    ({"summary": "x", "links": [{"url": "https://a"}] * 4}, ["`fields.links` takes at most 3 entries; got 4"]),
    ({"summary": "x", "meta": {"a": ["b\x00"]}}, ["`fields.meta.a[0]` contains a control character at position 2 (U+0000)"]),
    ({"summary": "x", "meta": {"a\x1b": 1}}, ["`fields.meta.a\x1b` contains a control character at position 2 (U+001B)"]),
    ("{bad", ["`fields` must be a JSON object; line 1, column 2: expected a property name in double quotes"]),
    ('{"summary": 1, "summary": 2}', ['`fields` must be a JSON object; "summary" appears twice']),
]


@pytest.mark.parametrize(("raw", "expected"), WRONG)
def test_errors_name_the_place_inside(raw: Any, expected: list[str], issue: Tool) -> None:
    told = said(issue, {"fields": raw})
    assert len(told) >= len(expected)
    for words, start in zip(told, expected, strict=False):
        assert words.startswith(start), told


def test_empty_not_set_and_null(issue: Tool) -> None:
    def values(raw: dict[str, Any]) -> Any:
        found = check(issue, {"fields": {"summary": "x"} | raw})
        assert found.errors == ()
        return found.values["fields"]

    assert values({"points": None, "assignee": None, "meta": {}}) == {"summary": "x", "assignee": None, "meta": {}}
    assert values({"assignee": {}, "meta": None} | {"assignee": ""}) == {"summary": "x", "assignee": None}
    assert said(issue, {"fields": {"summary": "x", "labels": []}}) == [
        "`fields.labels` cannot be an empty list; add an item, or leave it not set"
    ]
    assert check(issue, {"fields": None}).values == {}


def test_a_number_keeps_its_digits(tmp_path: Path) -> None:
    number = one(tmp_path, "number")
    for text in ("1.10", "-0", "0.0", "1E+2", "1e400", "-12345678901234567890.0987654321"):
        assert dumps(check(number, {"x": text}).values) == f'{{"x": {text}}}'
    for text in ("1e99999999999999999999", "9" * 401, "NaN", "Infinity", "0x10", "1_000", "01", ".5", "1.", "１", ""):
        assert said(number, {"x": text}), text
    bounded = one(tmp_path, "number", minimum=0.1, maximum=0.3)
    assert said(bounded, {"x": "0.30"}) == []
    assert said(bounded, {"x": "0.30000000000000000001"}) == [
        "`x` must be a number from 0.1 to 0.3; got 0.30000000000000000001"
    ]
    choices = one(tmp_path, "number", enum=["0.5", "1"])
    assert check(choices, {"x": "1.0"}).values == {"x": "1.0"}
    assert said(choices, {"x": "2"}) == ["`x` must be 0.5 or 1; got 2"]


def test_one_of_goes_by_the_kind_of_value(tmp_path: Path) -> None:
    branches = [{"name": "count", "type": "integer"}, {"name": "name", "type": "string"}, {"name": "flag", "type": "boolean"}]
    choice = one(tmp_path, "one_of", branches=branches)
    for raw, expected in ((5, "5"), (Exact("5"), "5"), ("5", '"5"'), ("true", '"true"'), (True, "true")):
        assert dumps(check(choice, {"x": raw}).values["x"]) == expected


def test_branches_that_are_marked_tell_their_own_errors(tmp_path: Path) -> None:
    branches = [
        {"name": kind, "type": "object", "properties": [{"name": "type", "type": "string", "enum": [kind]}, *more]}
        for kind, more in (
            ("card", [{"name": "number", "type": "string", "required": True}]),
            ("bank", [{"name": "iban", "type": "string", "required": True}]),
        )
    ]
    choice = one(tmp_path, "one_of", branches=branches)
    assert said(choice, {"x": {"type": "bank"}}) == ["`x.iban` is required"]
    assert said(choice, {"x": {"type": "bank", "iban": "DE1"}}) == []
    assert said(choice, {"x": {"type": "cash"}}) == ['`x` must be one of: card, bank; got {"type": "cash"}']


def test_deep_nesting_is_bounded(issue: Tool) -> None:
    deep: Any = "x"
    for _ in range(100_000):
        deep = [deep]
    assert said(issue, {"any": deep}) == [f"`any` is nested more than {DEEPEST} deep"]
    text = "[" * 100_000 + "]" * 100_000
    with pytest.raises(NotJson, match="nested too deeply"):
        read_typed(text)
    assert "nested too deeply" in said(issue, {"fields": text})[0]
    assert depth_of(json.loads("[" * 500 + "]" * 500)) == DEEPEST + 1


@pytest.mark.parametrize(("place", "type_"), [("header", "string"), ("header", "array"), ("cookie", "string")])
def test_no_value_ends_a_header(place: str, type_: str, tmp_path: Path) -> None:
    tool = one(tmp_path, type_, place, wire_name="X-Tag", when_empty="send")
    for text in (*STRINGS, "a\r\nX-Evil: 1", "é", "a\x00", " a", 'a"b', "a,b", "a;b", "a\\b"):
        arguments = check(tool, {"x": text if type_ == "string" else [text, "b"]})
        if not arguments.errors:
            request = build(plan(tool, arguments), connection().endpoint("Workshop"))
            value = request.headers["Cookie" if place == "cookie" else "X-Tag"]
            assert value.isascii()
            assert value.isprintable()
            assert place == "header" or not set(value) & set('",; \\')


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.text(st.characters(blacklist_categories=("Cc", "Cs")))
    | st.integers().map(lambda number: Exact(str(number)))
    | st.decimals(allow_nan=False, allow_infinity=False)
    .map(lambda number: Exact(str(number)))
    .filter(lambda one: len(one) < 300),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(blacklist_categories=("Cc", "Cs")), max_size=6), inner, max_size=4)
    ),
    max_leaves=12,
)


@examples(20)
@given(st.dictionaries(st.text(st.characters(blacklist_categories=("Cc", "Cs"))), JSON, min_size=1, max_size=5))
def test_any_object_reaches_the_wire_as_it_is(issue: Tool, value: dict[str, Any]) -> None:
    arguments = check(issue, {"any": value})
    assert arguments.errors == ()
    planned = plan(issue, arguments)
    assert planned.body is not None
    body = planned.body.text()
    assert same(read_typed(body)["any"], value)
    assert list(read_typed(body)["any"]) == list(value)
    assert check(issue, arguments.values).values == arguments.values, "checking twice changes nothing"
