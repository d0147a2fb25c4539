"""CSV as RFC 4180 has it, safe to open: no cell is a formula to a spreadsheet, and none holds what a terminal would obey."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence

from registry.display.safe_text import exact_text
from registry.tables.picking import string

_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
# The wide forms count as the narrow ones where such text is written.
_BEGINS_A_FORMULA = tuple("=+-@\t\r\n＝＋－＠")


def escape_formula(text: str) -> str:
    """A text that a spreadsheet takes for text: what would begin a formula stands behind an apostrophe."""
    return f"'{text}" if text.startswith(_BEGINS_A_FORMULA) and not _NUMBER.fullmatch(text) else text


def line(cells: Iterable[str], *, end: str = "\r\n") -> str:
    """One line of CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator=end).writerow([escape_formula(cell) for cell in cells])
    return text.getvalue()


def csv_lines(titles: Sequence[str], rows: Iterable[Sequence[bytes | None]]) -> Iterator[bytes]:
    """A line of names, and a line for each row of JSON texts. Null and nothing are empty cells; control characters escapes."""
    yield line(titles).encode()
    for row in rows:
        yield line(_plain(value) for value in row).encode()


def _plain(value: bytes | None) -> str:
    if value is None or value == b"null":
        return ""
    said = string(value)
    return exact_text(said if said is not None else value.decode("utf-8", errors="replace"))
