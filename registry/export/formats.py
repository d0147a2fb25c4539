"""The formats of an export, its options, and its outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from registry.tables.picking import Path as Column

ExportFormat = Literal["json", "ndjson", "csv", "parquet"]

ExportSource = bytes | Sequence[bytes]
"""One JSON text as it came, or the items of a list, one JSON text each; they may lie on disk and be many."""

TITLES: Mapping[ExportFormat, str] = {"json": "JSON", "ndjson": "NDJSON", "csv": "CSV", "parquet": "Parquet"}

Concern = Literal["path", "taken", "format", "columns", "items"]


class NotExported(Exception):
    """Nothing was saved.

    Attributes:
        cause: what stands against it, in words.
        next_step: what to do next.
        concern: what has to be changed: the path, the file that is there already, the format, the columns or which items.
    """

    def __init__(self, cause: str, next_step: str, concern: Concern) -> None:
        super().__init__(f"{cause} {next_step}")
        self.cause = cause
        self.next_step = next_step
        self.concern = concern


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """How something is to be saved.

    Attributes:
        format: the format.
        laid_out: JSON a member a line; otherwise exactly as it came.
        masked: redact secrets.
        columns: which members, as the names that lead to them, for CSV and Parquet; all of them when not given.
        items_at: where the list is in one JSON text (`Result.items_at`), for formats that are written item by item.
    """

    format: ExportFormat = "json"
    laid_out: bool = True
    masked: bool = True
    columns: Sequence[Column] | None = None
    items_at: str | None = None


@dataclass(frozen=True, slots=True)
class Saved:
    """What was saved: where, how many bytes, how many items (None for one whole answer), and how many values were redacted."""

    path: Path
    size: int
    items: int | None
    masked: int
