"""Structured arguments that are kept: as JSON text, as a set, as a draft and in the history, without loss."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.catalog.model import Tool
from registry.json_text.values import Exact, same
from registry.saved.file import file_text, read_file
from registry.saved.form_values import reading, written
from registry.saved.from_form import form_of, is_template, saved_form
from tests.hostile import forbidden_in_output
from tests.openapi.round_trips import only as catalog_of
from tests.sampled import examples
from tests.workshop import FIELDS, nested, only, parameter, tool

TEXT = st.text(st.characters(blacklist_categories=("Cc", "Cs")), max_size=8)
NUMBER = st.from_regex(r"-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,12})?([eE][+-]?[0-9]{1,3})?", fullmatch=True).map(Exact)
ANY = st.recursive(
    st.none() | st.booleans() | TEXT | NUMBER,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
FREE = st.dictionaries(TEXT, ANY, min_size=1, max_size=4)


def issue_in(folder: Path) -> Tool:
    branches = [{"name": "count", "type": "integer"}, {"name": "name", "type": "string"}, {"name": "flag", "type": "boolean"}]
    return only(
        folder,
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


@pytest.fixture(scope="module")
def issue(tmp_path_factory: pytest.TempPathFactory) -> Tool:
    return issue_in(tmp_path_factory.mktemp("issue"))


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


def test_the_text_holds_json_and_not_json_in_quotes(issue: Tool) -> None:
    text = written(issue, RAW)
    assert '"fields": {\n    "summary": "x",\n    "points": 1.50,\n    "assignee": null,\n    "estimate": "5",' in text
    assert '"who": 5,\n' in text
    assert '"amount": 1.10,' in text
    assert '"ids": [1, 2],' in text
    assert '"flags": [true, false],' in text
    assert same(reading(issue, text, {}).raw, RAW)
    free = reading(issue, text, {}).raw["free"]
    assert isinstance(free, dict)
    assert list(free) == ["b", "a"]


@examples(30)
@given(
    FREE,
    ANY.filter(lambda one: one is not None),
    NUMBER | TEXT.filter(bool) | st.booleans(),
    NUMBER,
    st.lists(NUMBER, min_size=1),
)
def test_anything_comes_back(issue: Tool, free: Any, any_: Any, who: Any, amount: Any, row: Any) -> None:
    raw = {
        "fields": {"summary": "x", "meta": free},
        "who": who,
        "free": free,
        "any": any_,
        "amount": str(amount),
        "rows": [row],
    }
    text = written(issue, raw)
    assert not forbidden_in_output(text.encode())
    assert same(reading(issue, text, {}).raw, raw)
    if not (isinstance(any_, list) and is_template(any_)):
        saved = read_file(file_text(saved_form(issue, "mine", raw)).encode(), catalog_of(issue))
        assert same(form_of(saved, issue), raw)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"fields": 5}', "must be an object; got 5"),
        ('{"ids": [1, {}]}', "must be a list of values of the type integer; got [1, an object]"),
        ('{"free": {"a": 1, "a": 2}}', '"a" appears twice'),
        ('{"any": ' + "[" * 100 + "]" * 100 + "}", "is nested more than 64 deep"),
    ],
)
def test_mistakes(text: str, told: str, issue: Tool) -> None:
    assert told in str(reading(issue, text, {}).mistakes[0])
