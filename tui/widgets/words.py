"""Text that is drawn only when it changes, and causes a layout of the screen only when its size may change."""

from textual import events
from textual.content import Content
from textual.visual import VisualType
from textual.widget import Widget
from textual.widgets import Static


class Words(Static):
    """A text that is often set again: Textual's own would lay out the whole screen each time, also for an equal text."""

    _other_widths_known = True
    """Whether the heights that Textual remembers for other widths are those of the present content."""

    def update(self, content: VisualType = "", *, layout: bool = True) -> None:
        shown = self.content
        if isinstance(content, Content) and isinstance(shown, Content):
            if shown.is_same(content):
                return
        elif isinstance(content, str) and content == shown:
            return
        super().update(content, layout=False)
        if layout and self.display and not self._fits:
            self.refresh(layout=True)
        else:  # a hidden one is laid out when it is shown
            self._other_widths_known = False

    @property
    def _fits(self) -> bool:
        """Whether the present content needs exactly the space that the previous one has."""
        width, height = self.content_size
        if not width or any(node.styles.is_auto_width for node in self.ancestors_with_self if isinstance(node, Widget)):
            return False
        return not self.styles.is_auto_height or self.get_content_height(self.size, self.size, width) == height

    def on_resize(self, event: events.Resize) -> None:
        """Lay out again at another width, if the height there may be that of an earlier content."""
        if not self._other_widths_known:
            self._other_widths_known = True
            self.refresh(layout=True)
