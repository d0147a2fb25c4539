"""The scroll bar of a list: drawn again only when its thumb is seen to have moved, which in a long list few keys do."""

from __future__ import annotations

from math import ceil

from rich.console import RenderableType
from textual.reactive import Reactive
from textual.scrollbar import ScrollBar


class ListScrollBar(ScrollBar):
    """A vertical scroll bar. Textual's own draws all its lines whenever the list has scrolled."""

    position: Reactive[float] = Reactive(0, repaint=False)
    _drawn: tuple[float, int] | None = None

    def watch_position(self) -> None:
        """Draw it again where that is seen."""
        if self._thumb() != self._drawn:
            self.refresh()

    def render(self) -> RenderableType:
        """The bar, as Textual draws it."""
        self._drawn = self._thumb()
        return super().render()

    def _thumb(self) -> tuple[float, int]:
        """How long the thumb is, and where it begins, in eighths of a cell: that far Textual draws it."""
        size, whole, window = self.size.height, ceil(self.window_virtual_size), ceil(self.window_size)
        if not size or window >= whole:
            return 0, 0
        length = max(1, window / (whole / size))
        return length, int((size - length) * (self.position / (whole - window)) * 8)
