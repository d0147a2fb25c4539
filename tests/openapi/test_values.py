"""Values that schemas allow are accepted, and survive the way into the fields of a form and back."""

from __future__ import annotations

from functools import cache
from typing import Any

from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from registry.calling.arguments import check
from registry.catalog.model import Parameter, Tool
from registry.json_text.reading import read_typed
from registry.json_text.values import dumps, same
from registry.saved.form_values import from_json, raw_of
from tests.openapi.features import FEATURES
from tests.openapi.making import NOW, made, only_tool
from tests.sampled import examples

WORDS = st.text("abc XYZ-äß\"'{[:", min_size=1, max_size=8).filter(lambda text: text.strip() == text and bool(text))


@cache
def tools() -> list[Tool]:
    """One of each feature; made when first needed, as every process that runs tests reads this module."""
    return [only_tool(made(feature.whole)) for feature in FEATURES]


def values(one: Parameter) -> st.SearchStrategy[Any]:
    """JSON values that a parameter takes; of the whole body, members that stand beside others."""
    if one.style == "members":
        return st.dictionaries(WORDS.map("other {}".format), WORDS, min_size=1, max_size=3)
    match one.type:
        case "string":
            return st.sampled_from(one.enum) if one.enum else WORDS
        case "integer":
            return st.integers(int(one.minimum or 0), int(one.maximum or 1_000_000))
        case "number":
            return st.integers(1, 99)
        case "boolean":
            return st.booleans()
        case "array":
            plain = WORDS.filter(lambda text: "," not in text)
            return st.lists(values(one.items) if one.items is not None else plain, min_size=1, max_size=3)
        case "object":
            named = {inner.name: values(inner) for inner in one.properties}
            if named:
                required = {name: inner for name, inner in named.items() if one.property_named(name).required}  # type: ignore[union-attr]
                optional = {name: inner for name, inner in named.items() if name not in required}
                return st.fixed_dictionaries(required, optional=optional).filter(bool)
            inner = values(one.items) if one.items is not None else WORDS
            return st.dictionaries(WORDS, inner, min_size=1, max_size=3)
        case "one_of":
            return st.one_of(*map(values, one.branches))
        case _:
            return st.lists(WORDS, min_size=1, max_size=2)


@st.composite
def calls(draw: st.DrawFn) -> tuple[Tool, dict[str, Any]]:
    """A tool, and a value for each of its parameters."""
    tool = draw(st.sampled_from(tools()))
    return tool, {one.name: draw(values(one)) for one in tool.parameters}


@examples(50, 150, suppress_health_check=list(HealthCheck))
@given(call=calls())
def test_values_survive_the_form(call: tuple[Tool, dict[str, Any]]) -> None:
    tool, given_ = call
    exact = read_typed(dumps(given_))
    assert check(tool, exact, NOW).errors == ()
    for one in tool.parameters:
        in_field = from_json(tool, one, exact[one.name])
        assert same(raw_of(one, in_field), in_field)
    raw = {one.name: from_json(tool, one, exact[one.name]) for one in tool.parameters}
    told = check(tool, raw, NOW)
    assert told.errors == ()
    assert dumps(told.values) == dumps(check(tool, exact, NOW).values)
