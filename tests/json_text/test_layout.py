"""JSON text laid out exactly as it came."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.json_text import NotJson, beginning, in_one_line, lay_out
from tests.sampled import examples

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=15,
)


@examples(20)
@given(VALUES, st.booleans())
def test_layout_changes_nothing_but_space(value: object, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    assert json.loads(lay_out(text)) == value
    assert in_one_line(lay_out(text)) == in_one_line(text)


@pytest.mark.parametrize(
    "text", ["{'a': 1}", "nul", "1 x", '"\\x"', '"a\nb"', "{} x", "<html>", '"\\u12G4"', "01", "[1 2]", "[1,]", "[", '{"a": 1]']
)
def test_what_is_no_json_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(NotJson, match=r"line [12], column [1-9]"):
        lay_out(text.encode())


@examples(20)
@given(VALUES, st.integers(0, 200))
def test_the_beginning_of_a_text_has_the_values_that_are_whole(value: object, cut: int) -> None:
    rows = lay_out(json.dumps([value, {"a": [value]}], ensure_ascii=False).encode("utf-8", "backslashreplace")).split(b"\n")
    there = lay_out(text).split(b"\n") if (text := beginning(in_one_line(b"\n".join(rows))[:cut])) else []
    whole = [row.rstrip(b",") for row in there]
    while whole and whole[-1].strip() in (b"}", b"]"):
        whole.pop()
    assert [row.rstrip(b",") for row in rows[: len(whole)]] == whole


def test_halves_of_surrogate_pairs_stay() -> None:
    text = b'{"a":"\\ud83d","b":"\\\\ud800 \\ue83d \\uE001 \\uDC00"}'
    assert in_one_line(lay_out(text)) == text


def test_a_small_text_is_not_blown_up_to_a_large_one() -> None:
    with pytest.raises(NotJson, match="nested too deeply"):
        lay_out(b"[" * 900 + b",".join([b"1"] * 200_000) + b"]" * 900)
    assert lay_out(b'["[[",' + b'"{[[,{",' * 200_000 + b"1]", indent=1).endswith(b" 1\n]"), "brackets in strings open nothing"
    with pytest.raises(NotJson, match="nested too deeply"):
        lay_out(b"[" * 20_000 + b"]" * 20_000)
