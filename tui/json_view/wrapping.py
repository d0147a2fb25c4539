"""A list whose lines may take several rows of the screen each.

Scrolling goes from line to line, as in vi: the list's height counts lines, and the one at the top decides what is on screen.
How many rows a line takes is computed only for lines on screen and the last screenful, so that ten million lines need no index
of heights, nothing is out of date when the width changes or a branch is folded, and the cursor is where it was put.
Lines of more than a screen are cut; the reader dialog shows them whole.
"""

from __future__ import annotations

from typing import Self

from rich.segment import Segment
from textual.geometry import Region, Size
from textual.strip import Strip

from tui.widgets.line_list import LineList


class WrappingList(LineList):
    """Lines that are cut at the edge of the list, or wrapped. Subclasses implement `draw_wrapped` too."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._wraps = False
        self._screenful: list[tuple[int, list[Segment]]] | None = None
        self._screenful_from = (-1, -1)

    @property
    def wraps(self) -> bool:
        """Whether long lines are wrapped."""
        return self._wraps

    def draw_wrapped(self, line: int, width: int, most: int) -> list[list[Segment]]:
        """A line over as many rows as it takes: at least one, at most `most`."""
        raise NotImplementedError

    def action_wrap(self) -> None:
        """Wrap long lines, or cut them again."""
        self._wraps = not self._wraps
        self._fit()
        self.refresh()
        self.show_cursor()
        self.cursor_moved()

    def refresh(self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:
        """Forget the cached screen: what is drawn again may take other rows."""
        self._screenful = None
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def show_cursor(self) -> None:
        """Scroll so that the whole line at the cursor is visible."""
        if not self._wraps or not self.line_count:
            super().show_cursor()
            return
        top = self.scroll_offset.y
        wanted = min(max(top, self._top_for(self.cursor)), self.cursor)
        if wanted != top:
            self.scroll_to(y=wanted, animate=False, force=True)

    def watch_cursor(self, old: int, new: int) -> None:
        """Follow the cursor; a wrapped line is several rows, so everything is drawn again."""
        if self._wraps:
            self.refresh()
        super().watch_cursor(old, new)

    def render_line(self, y: int) -> Strip:
        """One row of what is on screen."""
        if not self._wraps:
            return super().render_line(y)
        screenful = self._on_screen()
        if y >= len(screenful):
            ground, width = self.paper
            return Strip.blank(width, ground)
        line, parts = screenful[y]
        return self.strip_of(parts, line)

    def line_at(self, y: int) -> int:
        """The line in a row of the screen."""
        if not self._wraps:
            return super().line_at(y)
        screenful = self._on_screen()
        return screenful[y][0] if 0 <= y < len(screenful) else self.line_count

    def action_move_page(self, direction: int) -> None:
        """Move the cursor by as many lines as are on screen."""
        if self._wraps:
            lines = {line for line, _ in self._on_screen()}
            self.cursor += direction * max(len(lines) - 1, 1)
        else:
            super().action_move_page(direction)

    @property
    def scrolling_area(self) -> Size:
        """The size of all lines together."""
        if not self._wraps or not self.line_count:
            return super().scrolling_area
        # Scrolling ends when the whole last line is at the bottom.
        last_top = self._top_for(self.line_count - 1)
        region = self.scrollable_content_region
        return Size(region.width, last_top + region.height if last_top else min(self.line_count, region.height))

    def _top_for(self, line: int) -> int:
        """The first line that can be at the top while this one is whole on screen."""
        region = self.scrollable_content_region
        room = region.height - len(self.draw_wrapped(line, region.width, region.height))
        while line and (rows := len(self.draw_wrapped(line - 1, region.width, region.height))) <= room:
            line, room = line - 1, room - rows
        return line

    def _on_screen(self) -> list[tuple[int, list[Segment]]]:
        """The rows of the screen from its top: the line and the parts of each."""
        region, top = self.scrollable_content_region, self.scroll_offset.y
        if self._screenful is None or self._screenful_from != (top, region.width):
            screenful: list[tuple[int, list[Segment]]] = []
            line = top
            while line < self.line_count and len(screenful) < region.height:
                screenful += [(line, parts) for parts in self.draw_wrapped(line, region.width, region.height)]
                line += 1
            self._screenful, self._screenful_from = screenful[: region.height], (top, region.width)
        return self._screenful
