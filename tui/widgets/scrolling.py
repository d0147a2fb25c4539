"""Rows and long texts with the same keys as the tree, the table and the JSON view.

The keys are those of the commands for moving in lists, so that users change them everywhere at once.
"""

from textual import events
from textual.containers import VerticalScroll
from textual.widgets import OptionList

from tui.keyboard.commands import bindings

_BOTH_WAYS = ("up", "down", "page_up", "page_down", "first", "last")


class PlainRows(OptionList):
    """Rows of which one is chosen, with Textual's keys.

    They may be replaced between a click and its handling, and may have no room on screen: Textual's would fail then.
    """

    def on_click(self, event: events.Click) -> None:
        """Forget a click on a row that was painted before the rows were replaced by fewer."""
        if event.style.meta.get("option", 0) >= self.option_count:
            event.prevent_default()

    def action_page_up(self) -> None:
        self.action_move_page(-1)

    def action_page_down(self) -> None:
        self.action_move_page(1)

    def action_move_page(self, direction: int) -> None:
        if self.scrollable_content_region.area:  # without room a page has no lines to count
            (super().action_page_down if direction > 0 else super().action_page_up)()  # type: ignore[no-untyped-call]


class Rows(PlainRows):
    """Rows of which one is chosen."""

    BINDINGS = bindings(also=_BOTH_WAYS)

    def action_move(self, step: int) -> None:
        (self.action_cursor_down if step > 0 else self.action_cursor_up)()

    def action_move_to_end(self, direction: int) -> None:
        (self.action_last if direction > 0 else self.action_first)()


class Scroll(VerticalScroll):
    """A long text that scrolls."""

    BINDINGS = bindings(also=_BOTH_WAYS)

    def action_move(self, step: int) -> None:
        self.scroll_relative(y=step, animate=False)

    def action_move_page(self, direction: int) -> None:
        self.scroll_relative(y=direction * max(self.scrollable_content_region.height - 1, 1), animate=False)

    def action_move_to_end(self, direction: int) -> None:
        (self.scroll_end if direction > 0 else self.scroll_home)(animate=False)
