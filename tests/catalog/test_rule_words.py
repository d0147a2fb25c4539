"""The rules of the libraries in plain words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

import msgspec
import pytest
from pydantic import TypeAdapter, ValidationError

from registry.catalog.checking import faults_of_types
from registry.catalog.reading import converted, fields_at
from registry.catalog.rule_words import rule_of_msgspec, together
from registry.catalog.service import Declared


class Inner(Declared, frozen=True):
    count: int
    kind: Literal["a", "b"] = "a"


class Outer(Declared, frozen=True):
    name: str = ""
    ratio: float = 0
    on: bool = False
    names: tuple[str, ...] = ()
    one_of: frozenset[str] = frozenset()
    inner: Inner | None = None
    many: tuple[Inner, ...] = ()
    by_name: Mapping[str, Inner] = {}
    bound: int | float | None = None


WRONG: list[tuple[Any, str]] = [
    ({"name": 3}, "name: must be text"),
    ({"ratio": "x"}, "ratio: must be a number"),
    ({"on": "yes"}, "on: must be true or false"),
    ({"names": "x"}, "names: must be a list"),
    ({"names": ["x", 1]}, "names.1: must be text"),
    ({"one_of": {}}, "one_of: must be a list"),
    ({"inner": []}, "inner: must be an object"),
    ({"inner": {}}, "inner.count: is required"),
    ({"inner": {"count": 1.5}}, "inner.count: must be a whole number"),
    ({"inner": {"count": 1, "kind": "c"}}, "inner.kind: must be a or b"),
    ({"inner": {"coun": 1}}, "inner.coun: is not a field here (did you mean count?)"),
    ({"many": [{"coun": 1, "count": 1}]}, "many.0.coun: is not a field here (did you mean count?)"),
    ({"many": [{"xyz": 1, "count": 1}]}, "many.0.xyz: is not a field here; available: count, kind"),
    ({"by_name": {"a": {"kin": "a"}}}, "by_name.a.kin: is not a field here (did you mean kind?)"),
    ({"by_name": []}, "by_name: must be an object"),
    ({"bound": "3"}, "bound: must be a number"),
    ([], "must be an object"),
]


@pytest.mark.parametrize(("value", "expected"), WRONG)
def test_what_pydantic_finds(value: Any, expected: str) -> None:
    validator = TypeAdapter(Outer)
    with pytest.raises(ValidationError) as caught:
        validator.validate_json(json.dumps(value))
    told = [": ".join(filter(None, one)) for one in faults_of_types(caught.value, value, validator)]
    assert told[0] == expected


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    tool: str
    most: int | None = None
    on: bool = False
    inside: Mapping[str, Record] = {}
    several: tuple[Record, ...] = ()


OTHERS: list[tuple[Any, str, str]] = [
    ({"tol": "a"}, "tol", "is not a field here (did you mean tool?)"),
    ({}, "tool", "is required"),
    ({"tool": 3}, "", "must be text; got a whole number"),
    ({"tool": "", "most": "3"}, "", "must be a whole number or null; got text"),
    ({"tool": "", "on": []}, "", "must be true or false; got a list"),
    ({"tool": "", "inside": {"a": {"mots": 1}}}, "mots", "is not a field here (did you mean most?)"),
    ({"tool": "", "several": [{"mots": 1}]}, "mots", "is not a field here (did you mean most?)"),
    ([], "", "must be an object; got a list"),
]


@pytest.mark.parametrize(("value", "field", "rule"), OTHERS)
def test_what_msgspec_finds(value: Any, field: str, rule: str) -> None:
    with pytest.raises(msgspec.ValidationError) as caught:
        converted(value, Record)
    message, _, inside = str(caught.value).partition(" - at `$")
    assert rule_of_msgspec(message, fields_at(Record, inside.removesuffix("`"))) == (field, rule)


def test_a_message_without_words_is_told_as_it_is() -> None:
    assert rule_of_msgspec("Invalid something", []) == ("", "Invalid something")


def test_several_rules_of_which_one_must_hold() -> None:
    assert together(["must be text", "must be null"]) == "must be text or null"
    assert together(["must be a whole number", "must be a number", "must be text"]) == "must be a number or text"
    assert together(["must be text", "is required"]) == "must be text, or: is required"
