"""The formats of an export, its options, and its outcome; and CSV (RFC 4180) that is safe to open.

In CSV the beginnings of formulas and control characters are escaped.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from registry.results.picking import Path as Column
from registry.results.picking import string
from registry.text.safe_text import exact_text

_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
# Full-width signs start a formula, too, where such text is written.
_BEGINS_A_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
ExportFormat = Literal["json", "ndjson", "csv", "parquet"]

# One JSON text as received, or the items of a list, one JSON text each; they may be on disk and many.
ExportSource = bytes | Sequence[bytes]

TITLES: Mapping[ExportFormat, str] = {"json": "JSON", "ndjson": "NDJSON", "csv": "CSV", "parquet": "Parquet"}

Concern = Literal["path", "taken", "format", "columns", "items"]


class NotExported(Exception):
    """Nothing was saved: why, in words, what to do next, and what must be changed."""

    def __init__(self, cause: str, next_step: str, concern: Concern) -> None:
        super().__init__(f"{cause} {next_step}")
        self.cause = cause
        self.next_step = next_step
        self.concern = concern


class ExportOptions(Struct, frozen=True):
    """How to save a result.

    Attributes:
        laid_out: JSON with one property per line; otherwise exactly as received.
        columns: the properties for CSV and Parquet, as paths of names; None for all.
        items_at: where the list is in one JSON text (`Result.items_at`), for formats that are written item by item.
    """

    format: ExportFormat = "json"
    laid_out: bool = True
    masked: bool = True
    columns: Sequence[Column] | None = None
    items_at: str | None = None


class Saved(Struct, frozen=True):
    """What was saved: path, size in bytes, number of items (None for one whole response), number of redacted values."""

    path: Path
    size: int
    items: int | None
    masked: int


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
