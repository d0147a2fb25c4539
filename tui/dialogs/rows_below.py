"""Dialogs with a line to type into and rows below it: the focus moves between them, or stays on the line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, TypeVar

from textual import events
from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, OptionList, Static

from registry.text.safe_text import visible_line
from tui.dialogs.dialog import Dialog
from tui.keyboard.dismissed_once import DialogResult
from tui.widgets.scrolling import Rows

Item = TypeVar("Item")

BESIDE, BESIDE_LIST = 8, 13
"""Columns and lines taken by everything but the rows, the box included."""


class RowsBelow(Rows):
    """Rows that can be focused, and the keys that work on the one at the cursor."""

    class ActionRequested(Message):
        """An action on the row at the cursor, or on all; ``type`` focuses the line above."""

        def __init__(self, what: str) -> None:
            super().__init__()
            self.what = what

    def action_wanted(self, what: str) -> None:
        """Post an action."""
        self.post_message(self.ActionRequested(what))

    def action_cursor_up(self) -> None:
        """Move one row up; from the first one, to the line above."""
        if not self.highlighted:
            self.action_wanted("type")
        else:
            super().action_cursor_up()


class RowsDialog(Dialog[DialogResult]):
    """A title, a line, rows, a text about the row at the cursor, and the keys.

    Attributes:
        widest: the width of the box in columns, if the terminal is wide enough.
        line_keys: the keys that work while the focus is on the line, and what they do; letters are text there.
        list_keys: the keys that work on the rows.
    """

    DEFAULT_CSS = """
    RowsDialog {
        #title { height: 1; margin: 0 0 1 0; }
        RowsBelow { scrollbar-size-vertical: 1; }
        RowsBelow > .option-list--option-highlighted { background: $block-cursor-background; }
        #about { height: 2; margin: 1 0 0 0; color: $foreground-muted; }
        .keys-here { margin: 0; text-wrap: nowrap; }
    }
    """

    BINDINGS = [
        Binding("down", "enter_list", show=False),
        Binding("pagedown", "enter_list", show=False),
    ]

    widest: ClassVar[int]
    line_keys: ClassVar[Sequence[tuple[str, str]]] = ()
    list_keys: ClassVar[Sequence[tuple[str, str]]] = ()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Show only the keys that work now."""
        keys = self.list_keys if event.widget is self._list else self.line_keys
        if not keys:
            return
        self.query_one(".keys-here", Static).update(self.keys_line(*keys).content)

    @property
    def _list(self) -> RowsBelow:
        """The rows."""
        return self.query_one(RowsBelow)

    @property
    def _room(self) -> int:
        """Columns for a row."""
        return min(self.widest, self.app.size.width * 96 // 100) - BESIDE

    def _at_cursor(self, items: Sequence[Item]) -> Item | None:
        """The value of the row at the cursor."""
        place = self._list.highlighted
        return items[place] if place is not None and place < len(items) else None

    def _say(self, words: str, style: str = "") -> None:
        """Show a message below the rows, in its fixed number of lines."""
        words = "\n".join(visible_line(line) for line in words.split("\n"))
        self.query_one("#about", Static).update(Content.styled(words, style) if style else Content(words), layout=False)


class LineDialog(Dialog[DialogResult]):
    """The focus stays on the line; the arrows move through the rows below it, and Enter chooses the one at the cursor."""

    BINDINGS = [
        Binding("up", "move(-1)", show=False),
        Binding("down", "move(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
    ]

    @property
    def _list(self) -> OptionList:
        """The rows."""
        return self.query_one(OptionList)

    def action_move(self, step: int) -> None:
        """Move in the list while the focus is on the line."""
        (self._list.action_cursor_down if step > 0 else self._list.action_cursor_up)()

    def action_page(self, step: int) -> None:
        """Move by a screenful while the focus is on the line."""
        place, last = self._list.highlighted, self._list.option_count - 1
        if place is not None:
            self._list.highlighted = max(0, min(place + step * self._list.size.height, last))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Choose the row at the cursor."""
        event.stop()
        if self._list.highlighted is not None:
            self._list.action_select()


def lines_left(lines: int, beside: int = BESIDE_LIST) -> int:
    """The lines left for rows in a box, on a terminal of `lines` lines, with `beside` lines for everything else."""
    return max(lines * 92 // 100 - beside, 3)
