"""The scroll bar of a list. It is redrawn only when its thumb visibly moves, which few keys do in a long list."""

from __future__ import annotations

from math import ceil

from rich.console import RenderableType
from textual.reactive import Reactive
from textual.scrollbar import ScrollBar


class ListScrollBar(ScrollBar):
    """A vertical scroll bar. Textual's own redraws all of its lines whenever the list scrolls."""

    position: Reactive[float] = Reactive(0, repaint=False)
    _drawn: tuple[float, int] | None = None

    def watch_position(self) -> None:
        """Redraw it if that is visible."""
        if self._thumb() != self._drawn:
            self.refresh()

    def render(self) -> RenderableType:
        """The bar, as Textual draws it."""
        self._drawn = self._thumb()
        return super().render()

    def _thumb(self) -> tuple[float, int]:
        """The length of the thumb, and its start in eighths of a cell, the precision with which Textual draws it."""
        size, whole, window = self.size.height, ceil(self.window_virtual_size), ceil(self.window_size)
        if not size or window >= whole:
            return 0, 0
        length = max(1, window / (whole / size))
        return length, int((size - length) * (self.position / (whole - window)) * 8)
