"""Rows of text in columns, drawn by one widget: a widget for each cell would take a second to open."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

_LEAST = 10


class Columns(Widget):
    """Rows whose first cells have given widths and whose last one takes the rest; long text wraps inside its cell.

    Args:
        rows: the cells of each row, one more than `widths`.
        widths: the widths of all cells but the last, in terminal cells.
    """

    DEFAULT_CSS = """
    Columns { height: auto; padding: 0 0 0 2; }
    """

    def __init__(self, rows: Sequence[Sequence[Content]], widths: Sequence[int]) -> None:
        super().__init__()
        self.rows = rows
        self._widths = widths

    def render(self) -> Content:
        """All rows, for the present width."""
        return self._drawn(self.content_size.width)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The number of lines at a width."""
        return len(self._drawn(width).plain.splitlines())

    def _drawn(self, width: int) -> Content:
        widths = [*self._widths, max(width - sum(self._widths), _LEAST)]
        lines = []
        for row in self.rows:
            cells = [cell.wrap(max(room - 1, 1)) for cell, room in zip(row, widths, strict=True)]
            for parts in zip_longest(*cells, fillvalue=Content()):
                padded = [part.pad_right(room - part.cell_length) for part, room in zip(parts, widths, strict=True)]
                lines.append(Content().join(padded))
        return Content("\n").join(lines)
