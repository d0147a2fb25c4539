"""The formats of an export, its options, and its outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from registry.results.picking import Path as Column

ExportFormat = Literal["json", "ndjson", "csv", "parquet"]

ExportSource = bytes | Sequence[bytes]
"""One JSON text as received, or the items of a list, one JSON text each; they may be on disk and many."""

TITLES: Mapping[ExportFormat, str] = {"json": "JSON", "ndjson": "NDJSON", "csv": "CSV", "parquet": "Parquet"}

Concern = Literal["path", "taken", "format", "columns", "items"]


class NotExported(Exception):
    """Nothing was saved.

    Attributes:
        cause: why, in words.
        next_step: what to do next.
        concern: what must be changed: the path, the existing file, the format, the columns or the items.
    """

    def __init__(self, cause: str, next_step: str, concern: Concern) -> None:
        super().__init__(f"{cause} {next_step}")
        self.cause = cause
        self.next_step = next_step
        self.concern = concern


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """How to save a result.

    Attributes:
        format: the format.
        laid_out: JSON with one property per line; otherwise exactly as received.
        masked: redact secrets.
        columns: the properties for CSV and Parquet, as paths of names; None for all.
        items_at: where the list is in one JSON text (`Result.items_at`), for formats that are written item by item.
    """

    format: ExportFormat = "json"
    laid_out: bool = True
    masked: bool = True
    columns: Sequence[Column] | None = None
    items_at: str | None = None


@dataclass(frozen=True, slots=True)
class Saved:
    """What was saved: path, size in bytes, number of items (None for one whole response), number of redacted values."""

    path: Path
    size: int
    items: int | None
    masked: int
