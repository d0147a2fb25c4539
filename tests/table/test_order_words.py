"""The order of a table in words, and the room of its sign."""

from __future__ import annotations

import json

import pytest

from registry.results.cells import ValueKind
from registry.results.columns import Column
from tui.table.arranging import Found, find
from tui.table.order_words import order_sign, order_words
from tui.table.row_text import RowText


@pytest.mark.parametrize(
    ("kind", "first", "last"),
    [
        ("time", "oldest first", "newest first"),
        ("money", "lowest first", "highest first"),
        ("number", "lowest first", "highest first"),
        ("text", "A to Z", "Z to A"),
    ],
)
def test_an_order_in_words(kind: ValueKind, first: str, last: str) -> None:
    column = Column(("due",), kind)
    assert order_words(column, descending=False) == f"due, {first}"
    assert order_words(column, descending=True) == f"due, {last}"
    assert (order_sign(column, descending=False), order_sign(column, descending=True)) == ("↑", "↓")
    assert order_words(column, descending=True, currencies=1) == f"due, {last}"


def test_ages_grow_as_times_go_back() -> None:
    created = Column(("created",), "time")
    assert created.heading == "age"
    assert (order_sign(created, descending=False), order_sign(created, descending=True)) == ("↓", "↑")


def test_amounts_in_several_currencies_are_said_to_be_compared_as_numbers() -> None:
    items = [json.dumps({"id": f"in_{one}", "amount": 100, "currency": one}).encode() for one in ("usd", "eur", "eur")]
    found: Found = find(items)
    (amount,) = (one for one in found.columns.all if one.path == ("amount",))
    drawn = RowText(items, found, [amount])
    assert drawn.currencies(amount) == 2
    assert order_words(amount, descending=True, currencies=2) == "amount, highest first, by number: 2 currencies"
    assert drawn.widths(80, amount)[0] >= len("amount") + 1
    short = Column(("n",), "number")
    narrow = RowText([b'{"n": 1}'], Found(found.columns, [b'{"n": 1}']), [short])
    assert (narrow.widths(80), narrow.widths(80, short)) == ([1], [2])
