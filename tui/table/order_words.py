"""The order of a table in words: by which column, and what comes first, as people say it for times, amounts and names."""

from __future__ import annotations

from registry.results.columns import Column

_FIRST = {
    "time": ("oldest first", "newest first"),
    "number": ("lowest first", "highest first"),
    "money": ("lowest first", "highest first"),
}
_OTHERS = ("A to Z", "Z to A")


def order_words(column: Column, *, descending: bool, currencies: int = 0) -> str:
    """``created, oldest first``; for amounts in several currencies also that they are compared as numbers."""
    words = f"{column.title}, {_FIRST.get(column.kind, _OTHERS)[descending]}"
    return f"{words}, by number: {currencies} currencies" if currencies > 1 else words


def order_sign(column: Column, *, descending: bool) -> str:
    """An arrow for the order of the values shown: an age goes up as its time goes down."""
    return "↓" if descending != (column.heading == "age") else "↑"
