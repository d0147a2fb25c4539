"""Digits from outside, as a number."""

from __future__ import annotations

_MOST = 18  # such numbers fit into the integers of databases, clocks and floats


def whole(text: str) -> int | None:
    """The number in a text of digits; None for any other text, and for too many digits."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _MOST else None
