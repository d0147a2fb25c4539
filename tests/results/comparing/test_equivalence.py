"""Scalars that mean the same, and the parts in which texts differ."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.results.comparing.equivalence import differing_parts, is_equivalent
from tests.sampled import examples

NUMBERS = st.from_regex(r"-?(0|[1-9][0-9]{0,3})(\.[0-9]{1,3})?([eE][+-]?[0-9]{1,2})?", fullmatch=True)


@examples(30)
@given(NUMBERS, NUMBERS)
def test_numbers_are_the_same_where_decimals_are(left: str, right: str) -> None:
    assert is_equivalent(left, right) == (Decimal(left) == Decimal(right))
    assert is_equivalent(left, left.upper())


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("1.10", "1.1", True),
        ("-0.0", "0", True),
        ("1e400", "10e399", True),
        ("1e99999999999999999999", "1e99999999999999999998", False),
        ("1", '"1"', False),
        ("true", "false", False),
        ("null", "0", False),
        ('"\\u00e9"', '"é"', True),
        ('"\\/"', '"/"', True),
        ('"a"', '"b"', False),
        ('"\\ud800"', '"\\uD800"', True),
        ('"\udcff"', '"\\udcff"', False),
    ],
)
def test_what_is_the_same(left: str, right: str, same: bool) -> None:
    assert is_equivalent(left, right) is same
    assert is_equivalent(right, left) is same


def marked(left: str, right: str) -> tuple[str, str]:
    spans = differing_parts(left, right)
    shown = []
    for text, parts in zip((left, right), spans, strict=True):
        for start, stop in reversed(parts):
            text = f"{text[:start]}<{text[start:stop]}>{text[stop:]}"
        shown.append(text)
    return shown[0], shown[1]


@pytest.mark.parametrize(
    ("left", "right", "told"),
    [
        ("due 2025-08-12 at noon", "due 2025-08-13 at noon", ("due 2025-08-<12> at noon", "due 2025-08-<13> at noon")),
        ("one two", "one two three", ("one two", "one two< three>")),
        ("something", "quite else", ("<something>", "<quite else>")),
        ("same", "same", ("same", "same")),
        (
            "x " * 300 + "a" + " y" * 300,
            "x " * 300 + "b" + " y" * 300,
            ("x " * 300 + "<a>" + " y" * 300, "x " * 300 + "<b>" + " y" * 300),
        ),
    ],
)
def test_the_parts_that_differ(left: str, right: str, told: tuple[str, str]) -> None:
    assert marked(left, right) == told


@given(st.text(max_size=30), st.text(max_size=30))
def test_what_is_not_marked_is_common(left: str, right: str) -> None:
    spans = differing_parts(left, right)
    common = []
    for text, parts in zip((left, right), spans, strict=True):
        for start, stop in reversed(parts):
            text = text[:start] + text[stop:]
        common.append(text)
    assert common[0] == common[1]
