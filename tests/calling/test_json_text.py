"""JSON text laid out exactly as it came."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.calling.json_layout import pretty
from registry.calling.json_text import InvalidJson, decode, tokens
from tests.sampled import examples

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=30,
)


@examples(30)
@given(VALUES, st.booleans())
def test_layout_changes_nothing_but_space(value: object, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert json.loads(pretty(text)) == value
    assert list(tokens(pretty(text))) == list(tokens(text))


@examples(30)
@given(VALUES)
def test_layout_is_that_of_the_standard_library(value: object) -> None:
    text = json.dumps(value, ensure_ascii=False)
    assert pretty(text) == json.dumps(value, ensure_ascii=False, indent=2)


def test_numbers_and_repeated_members_stay() -> None:
    text = '{"a":12345678901234567890123,"a":1.10,"b":1e400,"c":-0.0}'
    assert "".join(pretty(text, 0).split()) == text


@pytest.mark.parametrize("text", ["{'a': 1}", "nul", "1 x", '"\\x"', '"a\nb"', "{} x", "<html>", '"\\u12"', '"\\u12G4"'])
def test_what_is_no_json_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(InvalidJson, match=r"line [12], column [1-9]"):
        pretty(text)


@pytest.mark.parametrize("text", ["", " ", "1 2", "01", "[1 2]", "{1: 2}", '{"a" 1}', "[1,]", "[", "}", '{"a": 1]'])
def test_tokens_in_an_order_that_is_no_json_are_refused(text: str) -> None:
    with pytest.raises(InvalidJson):
        pretty(text)


def test_bytes_that_are_no_utf_8() -> None:
    assert decode(b'"a\xffb"') == '"a\ufffdb"'
    assert decode(b"\xef\xbb\xbf{}") == "{}"


def test_values_that_open_doors_are_masked_where_that_is_asked_for() -> None:
    text = (
        '{"client_secret":"MARKED","a":["MARKED2"],"number":"4242424242424242","b":{"number":"INV-1","cvc":null,"secret":""}}'
    )
    shown = json.loads(pretty(text, masked=True))
    assert shown["client_secret"] == shown["number"] == "••••••••"
    assert shown["a"] == ["MARKED2"]
    assert shown["b"] == {"number": "INV-1", "cvc": None, "secret": ""}
    assert json.loads(pretty(text))["client_secret"] == "MARKED"
