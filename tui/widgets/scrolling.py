"""Rows and long texts that move by the same keys as the tree, the table and the viewer.

The keys are those of the commands for moving in lists, so whoever changes them changes them everywhere.
"""

from __future__ import annotations

from typing import Literal

from textual.containers import VerticalScroll
from textual.widgets import OptionList

from tui.keyboard.commands import bindings

_BOTH_WAYS = ("up", "down", "page_up", "page_down", "first", "last")


class PlainRows(OptionList):
    """Rows of which one is chosen, with Textual's keys; they may be without room."""

    def _move_page(self, direction: Literal[-1, 1]) -> None:
        if self.scrollable_content_region.area:  # without room there are no lines to count a page in
            super()._move_page(direction)


class Rows(PlainRows):
    """Rows of which one is chosen."""

    BINDINGS = bindings(also=_BOTH_WAYS)

    def action_move(self, step: int) -> None:
        """Move by lines."""
        (self.action_cursor_down if step > 0 else self.action_cursor_up)()

    def action_move_page(self, direction: int) -> None:
        """Move by a screenful."""
        if direction > 0:
            self.action_page_down()  # type: ignore[no-untyped-call]  # Textual has left its type out
        else:
            self.action_page_up()  # type: ignore[no-untyped-call]

    def action_move_to_end(self, direction: int) -> None:
        """Move to the first or the last row."""
        (self.action_last if direction > 0 else self.action_first)()


class Scroll(VerticalScroll):
    """Something long to read."""

    BINDINGS = bindings(also=_BOTH_WAYS)

    def action_move(self, step: int) -> None:
        """Scroll by lines."""
        self.scroll_relative(y=step, animate=False)

    def action_move_page(self, direction: int) -> None:
        """Scroll by a screenful, with a line of the last one in sight."""
        self.scroll_relative(y=direction * max(self.scrollable_content_region.height - 1, 1), animate=False)

    def action_move_to_end(self, direction: int) -> None:
        """Scroll to the beginning or the end."""
        (self.scroll_end if direction > 0 else self.scroll_home)(animate=False)
