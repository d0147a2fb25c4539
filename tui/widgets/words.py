"""Text that is drawn only when it changes, and causes a layout of the screen only when its size may change."""

from __future__ import annotations

from textual.content import Content
from textual.visual import VisualType
from textual.widget import Widget
from textual.widgets import Static


class Words(Static):
    """A text that is often set again: Textual's own would lay out the whole screen each time, also for an equal text."""

    def update(self, content: VisualType = "", *, layout: bool = True) -> None:
        """Show a content."""
        shown = self.content
        if isinstance(content, Content) and isinstance(shown, Content):
            if shown.is_same(content):
                return
        elif isinstance(content, str) and isinstance(shown, str) and shown == content:
            return
        super().update(content, layout=False)
        if layout:
            fits = not self.display or self._fits  # a hidden one is laid out when it is shown
            self._forget_sizes()
            if not fits:
                self.refresh(layout=True)

    @property
    def _fits(self) -> bool:
        """Whether the present content needs exactly the space that the previous one has."""
        width, height = self.content_size
        if not width or any(node.styles.is_auto_width for node in [self, *self._dependent]):
            return False
        return not self.styles.is_auto_height or self.get_content_height(self.size, self.size, width) == height

    @property
    def _dependent(self) -> list[Widget]:
        """The widgets around this one whose layouts may depend on its size."""
        dependent = []
        for one in self.ancestors:
            if not isinstance(one, Widget):
                break
            dependent.append(one)
            if not one.styles.auto_dimensions:
                break
        return dependent

    def _forget_sizes(self) -> None:
        """Drop what Textual keeps for other widths, at which the previous content may have had another height."""
        self._layout_updates += 1
        for one in self._dependent:
            one._clear_arrangement_cache()
            one._layout_updates += 1
