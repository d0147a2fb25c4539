"""The order of rows, and which of them a filter leaves."""

from __future__ import annotations

import json

import pytest

from registry.results.column import Column
from registry.results.columns import columns_in
from registry.results.filtering import BadFilter, Filter
from registry.results.table import order

N = Column(("n",), "number")


def by_n(*values: str | None, descending: bool = False) -> list[str | None]:
    """The values in the order of the table, given as JSON texts."""
    items = [b"{}" if value is None else b'{"n":%s}' % value.encode() for value in values]
    return [values[place] for place in order(items, N, descending=descending)]


def test_numbers_of_any_size_then_text_then_null_then_nothing() -> None:
    values = ["null", '"b"', None, "1e400", "10", "9", "-1e400", "9007199254740993", '"A"', "9007199254740992", "1.5", "true"]
    up = ["-1e400", "1.5", "9", "10", "9007199254740992", "9007199254740993", "1e400", '"A"', '"b"', "true", "null", None]
    assert by_n(*values) == up
    assert by_n(*values, descending=True) == [*up[:10][::-1], "null", None]


def test_amounts_in_whole_units_and_times_however_written() -> None:
    amount = Column(("amount",), "money")
    items = [
        b'{"amount":%d,"currency":"%s"}' % pair for pair in ((4200, b"usd"), (500, b"jpy"), (45000, b"kwd"), (100, b"usd"))
    ]
    assert order(items, amount) == [3, 0, 2, 1]
    at = Column(("created_at",), "time")
    items = [b'{"created_at":%s}' % text for text in (b'"2025-08-12T14:00:00+02:00"', b"1754999999", b'"2025-08-12T12:00:01Z"')]
    assert order(items, at) == [1, 0, 2]


CUSTOMERS = [
    {
        "id": "cus_1",
        "name": "Ada Åkesson",
        "balance": 4250,
        "currency": "usd",
        "created": 1_755_000_000,
        "address": {"city": "Bonn"},
    },
    {"id": "cus_2", "name": "", "balance": -500, "currency": "jpy", "created": 1_755_090_000, "address": {"city": "Paris"}},
    {"id": "cus_3", "name": "Bob \x1b[31m", "balance": 0, "currency": "usd", "created": 1_700_000_000, "client_secret": "bonn"},
    {"id": "cus_4", "name": None, "address": {"city": "New York"}, "shipping": {"name": "x"}, "12": "34"},
]
ITEMS = [json.dumps(one).encode() for one in CUSTOMERS]
COLUMNS = columns_in(ITEMS)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("", [0, 1, 2, 3]),
        ("cus", [0, 1, 2, 3]),
        ("ÅKES", [0]),
        ("cus ada", [0]),
        ("bonn", []),
        ("address.city:bonn", [0]),
        ("city:bonn", [0]),
        ('city:"new york"', [3]),
        ('"cus_1"', [0]),
        ("!city:bonn", [1, 2, 3]),
        ("id=cus_1", [0]),
        ("id!=cus_1", [1, 2, 3]),
        ('name=""', [1, 3]),
        ("name=null", [3]),
        ("balance=42.50", [0]),
        ("balance>42", [0]),
        ("balance>=42.50 id:cus", [0]),
        ("balance<0", [1]),
        ("balance>1e999999999999999999999", []),
        ("created>2025-08-12", [0, 1]),
        ('created<="2025-08-12 12:00"', [0, 2]),
        ("created:2025-08", [0, 1]),
        ("id>cus_2", [2, 3]),
        ("client_secret:bonn", []),
        ("name:\x1b[31m", [2]),
    ],
)
def test_filters(text: str, rows: list[int]) -> None:
    assert Filter(text, COLUMNS.first, COLUMNS.all).matching(ITEMS) == rows


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("balnce>1", "no column is named “balnce”; did you mean balance?"),
        ("https://x", "no column is named “https”; put it in quotes to search for the text"),
        ("name:x", "several columns are named “name”"),
        ("id:", "id: needs a value"),
        ('a "b', "unmatched quote"),
        ('"a"b', "unmatched quote, or text directly next to a quote"),
        ("!", "! needs a text or a condition after it"),
    ],
)
def test_what_is_wrong_with_a_filter_is_said_in_words(text: str, words: str) -> None:
    every = [*COLUMNS.all] if not text.startswith("name") else [Column(("a", "name"), "text"), Column(("b", "name"), "text")]
    with pytest.raises(BadFilter) as caught:
        Filter(text, COLUMNS.first, every)
    assert words in str(caught.value)
    assert str(caught.value).isprintable()
