"""Whole numbers in a command's options, within bounds that SQLite can store."""

from __future__ import annotations

import argparse

LARGEST = 2**63 - 1
"""The largest integer of SQLite."""


def count(text: str) -> int:
    """A number of 1 or more, from an option's text.

    Raises:
        argparse.ArgumentTypeError: it is not a number, below 1, or too large.
    """
    if (found := _whole(text)) is None or found < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1; got {_shown(text)}")
    return found


def number(text: str) -> int:
    """A number, from an option's text; the caller checks its bounds.

    Raises:
        argparse.ArgumentTypeError: it is not a number, or too large.
    """
    if (found := _whole(text)) is None:
        raise argparse.ArgumentTypeError(f"must be a whole number; got {_shown(text)}")
    return found


def _whole(text: str) -> int | None:
    digits = text.removeprefix("-")
    readable = digits.isascii() and digits.isdigit() and len(digits) < 20 and int(digits) <= LARGEST
    return int(text) if readable else None


def _shown(text: str) -> str:
    return repr(text if len(text) < 40 else f"{text[:40]}…")
