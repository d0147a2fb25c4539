"""Digits that somebody else wrote, as a number."""

from __future__ import annotations

_MOST = 18  # all of them fit into the integers of databases, and into what clocks and floats can hold


def whole(text: str) -> int | None:
    """The number that a text of digits says; None for any other text, and for more digits than anything can reckon with."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _MOST else None
