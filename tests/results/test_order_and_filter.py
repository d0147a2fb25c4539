"""The order of rows, and which of them a filter leaves."""

import json

import pytest

from registry.results.column import Column
from registry.results.columns import columns_in
from registry.results.table import BadFilter, Filter, order
from tests.cases import cases_beside

CASES = cases_beside(__file__)

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


ITEMS = [json.dumps(one).encode() for one in CASES["customers"]]
COLUMNS = columns_in(ITEMS)


@pytest.mark.parametrize(("text", "rows"), CASES["filters"])
def test_filters(text: str, rows: list[int]) -> None:
    assert Filter(text, COLUMNS.first, COLUMNS.all).matching(ITEMS) == rows


@pytest.mark.parametrize(("text", "words"), CASES["wrong filters"])
def test_what_is_wrong_with_a_filter_is_said_in_words(text: str, words: str) -> None:
    every = [*COLUMNS.all] if not text.startswith("name") else [Column(("a", "name"), "text"), Column(("b", "name"), "text")]
    with pytest.raises(BadFilter) as caught:
        Filter(text, COLUMNS.first, every)
    assert words in str(caught.value)
    assert str(caught.value).isprintable()
