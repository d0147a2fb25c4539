"""The order of a table in words, and the room of its sign."""

from __future__ import annotations

import pytest

from registry.results.cells import ValueKind
from registry.results.column import Column
from tui.table.arranging import order_sign, order_words


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
    assert (order_sign(descending=False), order_sign(descending=True)) == ("↑", "↓")
    assert order_words(column, descending=True, currencies=1) == f"due, {last}"
