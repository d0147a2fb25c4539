"""Writes CSV (RFC 4180) that is safe to open: formula injection and control characters are escaped."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence

from registry.results.picking import string
from registry.text.safe_text import exact_text

_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
# Full-width signs start a formula, too, where such text is written.
_BEGINS_A_FORMULA = tuple("=+-@\t\r\n＝＋－＠")


def escape_formula(text: str) -> str:
    """A text with formula injection escaped: an apostrophe is added before a text that would be a formula."""
    return f"'{text}" if text.startswith(_BEGINS_A_FORMULA) and not _NUMBER.fullmatch(text) else text


def line(cells: Iterable[str], *, end: str = "\r\n") -> str:
    """One line of CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator=end).writerow([escape_formula(cell) for cell in cells])
    return text.getvalue()


def csv_lines(titles: Sequence[str], rows: Iterable[Sequence[bytes | None]]) -> Iterator[bytes]:
    """A line of column names, and a line for each row of JSON texts.

    Null and missing values are empty cells; control characters are escaped.
    """
    yield line(titles).encode()
    for row in rows:
        yield line(_plain(value) for value in row).encode()


def _plain(value: bytes | None) -> str:
    if value is None or value == b"null":
        return ""
    said = string(value)
    return exact_text(said if said is not None else value.decode("utf-8", errors="replace"))
