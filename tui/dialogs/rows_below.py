"""Dialogs with a line to type into and rows below it: the focus moves between them, or stays on the line."""

from collections.abc import Iterable, Sequence
from typing import ClassVar, TypeVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from tui.dialogs.dialog import Dialog, Keys
from tui.keyboard.dismissed_once import DialogResult
from tui.widgets.scrolling import PlainRows, Rows
from tui.widgets.text_line import Line

Item = TypeVar("Item")

_BESIDE, BESIDE_LIST = 8, 13
"""Columns and lines taken by everything but the rows, the box included."""


class RowsBelow(Rows):
    """Rows below a line."""

    class Left(Message):
        """The cursor was moved up from the first row."""

    def action_cursor_up(self) -> None:
        """Move one row up; from the first one, to the line above."""
        if self.highlighted:
            super().action_cursor_up()
        else:
            self.post_message(self.Left())


class RowsDialog(Dialog[DialogResult]):
    """A title, a line, rows, a message about the row at the cursor, and the keys.

    Letters are keys for the row at the cursor, bound by the dialog: a line that has the focus takes them as text.

    Attributes:
        list_type: the class of the list.
        widest: the width of the box in columns, if the terminal is wide enough.
        line_keys: the keys that work while the focus is on the line; `keys` are those for the rows. Empty for one line of both.
        hint: what the line says while it is empty; without it there is no line.
        beside: lines taken by everything but the rows.
        fixed: whether the list has its full height also with few rows, so that typing does not move the box.
    """

    DEFAULT_CSS = """
    RowsDialog {
        #title { text-wrap: nowrap; text-overflow: ellipsis; }
        Line { width: 1fr; margin: 0 0 1 0; padding: 0 1; background: $background; }
        Line:focus { background: $panel; }
        OptionList { height: auto; min-height: 1; scrollbar-size-vertical: 1; }
        OptionList > .option-list--option-highlighted { background: $block-cursor-background; }
        #said { height: 2; margin: 1 0 0 0; color: $foreground-muted; }
        .keys-here { margin: 0; text-wrap: nowrap; }
    }
    """

    BINDINGS = [
        Binding("down", "enter_list", show=False),
        Binding("pagedown", "enter_list", show=False),
    ]

    box: ClassVar[type[Widget]] = Vertical
    list_type: ClassVar[type[PlainRows]] = RowsBelow
    widest: ClassVar[int]
    line_keys: Keys = ()
    hint = ""
    beside: ClassVar[int] = BESIDE_LIST
    fixed: ClassVar[bool] = False

    def _body(self) -> ComposeResult:
        if self.hint:
            yield Line(placeholder=self.hint, compact=True)
        yield self.list_type(compact=True)
        yield Static(id="said")

    def fill(self, rows: Iterable[Option | Content], at: int | None = None) -> None:
        """Replace the rows; the cursor goes to the row `at`, or stays where it is."""
        wanted = at if at is not None else self.rows.highlighted or 0
        with self.rows.prevent(OptionList.OptionHighlighted):  # it would replace the message about the last action
            self.rows.set_options(row if isinstance(row, Option) else Option(row) for row in rows)
            self.rows.highlighted = min(wanted, self.rows.option_count - 1) if self.rows.option_count else None

    def _refill(self) -> None:
        """Show the same rows for another width."""

    def on_resize(self) -> None:
        self.query_one("#box").styles.width = self.widest
        height = lines_left(self.app.size.height, self.beside)
        self.rows.styles.max_height = height
        if self.fixed:
            self.rows.styles.height = height
        self._refill()

    def _moved(self) -> None:
        """Called when the cursor was moved to another row."""

    def _typed(self, text: str) -> None:
        """Called when the text in the line has changed."""

    def _take(self) -> None:
        """Called for Enter on a row."""

    def _submit(self, line: Input) -> None:
        """Called for Enter in a line; as on a row, unless a dialog does something else."""
        self._take()

    def on_option_list_option_highlighted(self) -> None:
        self._moved()

    def on_option_list_option_selected(self) -> None:
        self._take()

    def on_input_changed(self, event: Input.Changed) -> None:
        self._typed(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self._submit(event.input)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Show only the keys that work now."""
        if self.line_keys:
            self.show_keys(*(self.keys if event.widget is self.rows else self.line_keys))

    def on_rows_below_left(self) -> None:
        self.action_type()

    def action_enter_list(self) -> None:
        self.rows.focus()

    def action_type(self) -> None:
        for line in self.query(Line).results():
            line.focus()

    @property
    def rows(self) -> PlainRows:
        return self.query_one(PlainRows)

    @property
    def room(self) -> int:
        """Columns for a row."""
        return min(self.widest, self.app.size.width * 96 // 100) - _BESIDE

    def at_cursor(self, items: Sequence[Item]) -> Item | None:
        """The value of the row at the cursor."""
        place = self.rows.highlighted
        return items[place] if place is not None and place < len(items) else None


class LineDialog(RowsDialog[DialogResult]):
    """The focus stays on the line; the arrows move through the rows below it, and Enter chooses the one at the cursor."""

    BINDINGS = [
        Binding(key, f"move('{name}')", show=False)
        for key, name in (("up", "cursor_up"), ("down", "cursor_down"), ("pageup", "page_up"), ("pagedown", "page_down"))
    ]

    list_type = Rows

    async def action_move(self, name: str) -> None:
        """Move in the list while the focus is on the line; `name` is an action of the list."""
        await self.app.run_action(name, self.rows)

    def _submit(self, line: Input) -> None:
        self.rows.action_select()


def lines_left(lines: int, beside: int = BESIDE_LIST) -> int:
    """The lines left for rows in a box, on a terminal of `lines` lines, with `beside` lines for everything else."""
    return max(lines * 92 // 100 - beside, 3)
