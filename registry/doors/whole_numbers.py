"""Whole numbers among a command's options, within bounds that everything behind them can hold."""

from __future__ import annotations

import argparse

LARGEST = 2**63 - 1
"""What a database can hold."""


def count(text: str) -> int:
    """A number from 1 on, from an option's text.

    Raises:
        argparse.ArgumentTypeError: it is none, or too large.
    """
    if not (text.isascii() and text.isdigit() and len(text) < 20 and 1 <= int(text) <= LARGEST):
        shown = text if len(text) < 40 else f"{text[:40]}…"
        raise argparse.ArgumentTypeError(f"must be a whole number from 1; got {shown!r}")
    return int(text)
