"""What the lines of a table are drawn from: the cells of items that are in sight, and how wide columns would like to be."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from rich.cells import cell_len

from registry.display.safe_text import exact_json, exact_text, visible, visible_json
from tui.table.layout import widths

if TYPE_CHECKING:
    from registry.tables.cells import Cell
    from registry.tables.columns import Column
    from tui.table.arranging import Found

_KEPT, _MEASURED = 400, 200
_SIGN = 2  # room for the sign of the order behind a title


_ID = re.compile(rb'"id"\s*:\s*"([^"\\]*)"')


def sign(item: bytes, gone: Collection[str], *, marked: bool) -> str:
    """What stands before a row: whether its item was deleted, or the row is marked."""
    if gone and (found := _ID.search(item)) is not None and found[1].decode(errors="replace") in gone:
        return "✗ "
    return "● " if marked else "  "


class RowText:
    """The cells of a list's items under some columns. Those that were looked at last are kept."""

    def __init__(self, items: Sequence[bytes], found: Found | None, columns: Sequence[Column]) -> None:
        from registry.tables.table import CellReader

        self.items = items
        self.columns = columns
        self._sample = found.sample if found is not None else []
        self._reader = CellReader(columns)
        self._cells: dict[int, list[Cell]] = {}
        self._natural: list[int] | None = None

    @property
    def uncut(self) -> list[int]:
        """The columns that would mislead when they are cut."""
        return [place for place, column in enumerate(self.columns) if column.look in ("number", "money", "time")]

    def row(self, place: int) -> list[Cell]:
        """The cells of the item at a place in the list."""
        if (cells := self._cells.get(place)) is None:
            if len(self._cells) >= _KEPT:
                self._cells.clear()
            cells = self._cells[place] = self._reader.cells(self.items[place])
        return cells

    def widths(self, room: int) -> list[int]:
        """How wide the columns are in so much room."""
        if self._natural is None:
            rows = [self._reader.cells(item) for item in self._sample]
            self._natural = [
                max([cell_len(column.title) + _SIGN, *(cell_len(row[place].text[:_MEASURED]) for row in rows)])
                for place, column in enumerate(self.columns)
            ]
        return widths(self._natural, room)

    def raw(self, place: int, column: Column) -> bytes | None:
        """The JSON text of a value; None when there is none."""
        from registry.tables.picking import Picker

        return Picker([column.path]).pick(self.items[place])[0]

    def as_csv(self, place: int) -> str:
        """The values of an item as a line of CSV; what opens doors is masked."""
        from registry.export.csv_text import line
        from registry.tables.table import plain, raw_rows

        (values,) = raw_rows(self.items, self.columns, [place])
        return line((exact_text(plain(column, value)) for column, value in zip(self.columns, values, strict=True)), end="")


def is_masked(column: Column, raw: bytes) -> bool:
    """Whether a value opens doors and is not shown."""
    from registry.calling.sensitive import is_sensitive

    return is_sensitive(column.key, raw.decode("utf-8", errors="replace"))


def whole(raw: bytes, *, exact: bool = False) -> str:
    """A value as text for eyes, or exact: a string without its quotes, the rest as JSON."""
    from registry.calling.json_layout import pretty
    from registry.calling.json_text import InvalidJson
    from registry.tables.picking import string

    if (said := string(raw)) is not None:
        return exact_text(said) if exact else visible(said)
    text = raw.decode("utf-8", errors="replace")
    if raw[:1] in b"{[":
        with suppress(InvalidJson):  # what cannot be laid out is shown as it came
            text = pretty(text, masked=True)
    return exact_json(text) if exact else visible_json(text)
