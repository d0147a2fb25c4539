"""What all dialogs have in common: a box with a title, a body, buttons, and the keys that work; Escape leaves.

Many have a row for each field, or a line to type into and rows below it: the focus moves between them, or stays on the line.
"""

from collections.abc import Iterable, Sequence
from typing import ClassVar, TypeVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Button, Input, OptionList, Static
from textual.widgets.option_list import Option

from registry.text.shown import visible_line
from tui.keyboard.commands import is_offered
from tui.keyboard.key_order import DialogResult, DismissedOnce
from tui.widgets.line_list import PlainRows, Rows
from tui.widgets.texts import Line, Options

Keys = Sequence[tuple[str, str]]
"""Keys as people write them, and what each does."""

BETWEEN_BUTTONS = [
    Binding("left", "app.focus_previous", show=False),
    Binding("right", "app.focus_next", show=False),
]
"""Keys for dialogs in which only buttons can be focused, or a line that has its own left and right."""
Item = TypeVar("Item")

_BESIDE, BESIDE_LIST = 8, 13
"""Columns and lines taken by everything but the rows, the box included."""


class Box(VerticalScroll, can_focus=False):
    """The box of a dialog. It scrolls if the terminal is too small for it."""


class Dialog(DismissedOnce[DialogResult], ModalScreen[DialogResult]):
    """A box in the middle of the screen. Escape closes it without a result.

    Attributes:
        heading: the title.
        box: the class of the box.
        keys: the keys that work.
    """

    DEFAULT_CSS = """
    Dialog {
        align: center middle;
        background: $background 60%;
        #box {
            width: 84;
            max-width: 96%;
            height: auto;
            max-height: 92%;
            padding: 1 2;
            background: $surface;
            border: round $border;
        }
        &.-danger #box { border: round $error; }
        #title { height: auto; margin: 0 0 1 0; }
        #buttons { height: 1; margin: 1 0 0 0; align-horizontal: right; }
        Button { margin: 0 0 0 2; }
        Button { background: $surface; color: $text; }
        Button:focus { background: $text-primary; color: $fill-text; text-style: bold; }
        Button.-style-default:focus { background-tint: $background 0%; }
        #delete { background: $surface; color: $text-error; }
        #delete:focus { background: $text-error; color: $fill-text; }
        OptionList { background: $surface; border: none; padding: 0; }
        .quiet { color: $foreground-muted; }
        .keys-here { color: $foreground-muted; margin: 1 0 0 0; }
    }
    """

    BINDINGS = [
        Binding("escape", "leave", "Close", key_display="Esc"),
        # The first key of this command works everywhere anyway; a sign works only where no text is typed.
        Binding("question_mark", "app.help", show=False, id="help.2"),
    ]

    LEADS_OUT: ClassVar[bool] = False
    """Whether it leads to accounts, or to servers outside the sandbox."""

    heading: str | Content = ""
    box: ClassVar[type[Widget]] = Box
    keys: Keys = (("Esc", "Close"),)

    def compose(self) -> ComposeResult:
        bound = [one for one in self.BINDINGS if isinstance(one, Binding)]
        actions = {key: one.action.partition("(")[0] for one in bound for key in one.key.split(",")}
        self.keys = tuple(one for one in self.keys if self._is_offered(actions.get(one[0], "")))
        with self.box(id="box"):
            yield Static(titled(self.heading) if isinstance(self.heading, str) else self.heading, id="title")
            yield from self._body()
            if buttons := self._buttons():
                with Horizontal(id="buttons"):
                    yield from buttons
            yield self.keys_line(*self.keys)

    def _body(self) -> ComposeResult:
        """The widgets between title and buttons; one of them with the id ``said``, if the dialog says something."""
        yield from ()

    def _buttons(self) -> Sequence[Button]:
        return ()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether an action works: not one that a tab in a browser does not offer."""
        return self._is_offered(action) and super().check_action(action, parameters)

    def _is_offered(self, action: str) -> bool:
        return is_offered(f"{type(self).__name__}.{action}")

    @classmethod
    def keys_line(cls, *keys: tuple[str, str]) -> Static:
        """The line with these keys."""
        return Static(cls.keys_text(*keys), classes="keys-here")

    @staticmethod
    def keys_text(*keys: tuple[str, str], room: int = 0) -> Content:
        """Keys with what they do; with `room`, in lines of so many cells, no key apart from its words."""
        lines = [Content()]
        for key, does in keys:
            part = Content.assemble(Content.styled(key, "$text-accent"), Content(f" {does}"))
            if room and lines[-1].cell_length + part.cell_length + 3 > room:
                lines.append(part)
            else:
                lines[-1] = Content("   ").join([lines[-1], part]) if lines[-1] else part
        return Content("\n").join(lines)

    def show_keys(self, *keys: tuple[str, str]) -> None:
        self.query_one(".keys-here", Static).update(self.keys_text(*keys))

    def say(self, words: str | Content, style: str = "") -> None:
        """Show a message; a text is made safe to show."""
        if isinstance(words, str):
            words = Content.styled("\n".join(map(visible_line, words.split("\n"))), style)
        self.query_one("#said", Static).update(words)

    def action_leave(self) -> None:
        self.dismiss(None)


def titled(title: str, note: str = "") -> Content:
    """A title in bold, and a note in grey after it."""
    return Content.assemble(Content.styled(title, "bold"), Content.styled(note, "$foreground-muted"))


class FieldsDialog(Dialog[DialogResult]):
    """A dialog with a row for each field: its label, then a choice or a line to type into. Enter takes all of them."""

    DEFAULT_CSS = """
    FieldsDialog {
        #box { padding: 0 2; }
        .row { height: auto; }
        .label { width: 14; color: $foreground-muted; }
        Options { width: 1fr; height: auto; }
        Options:focus { background: $panel; }
        Line { width: 1fr; padding: 0 1; background: $background; }
        Line:focus { background: $panel; }
        .keys-here { margin: 0; }
    }
    """

    BINDINGS = [Binding("enter", "take", "Take")]

    @on(Input.Submitted)
    def _entered(self) -> None:
        self.action_take()

    def action_take(self) -> None:
        """Use the values of all fields."""
        raise NotImplementedError

    @staticmethod
    def row(label: str, field: Options | Line) -> Horizontal:
        return Horizontal(Static(label, classes="label"), field, classes="row")

    def show_rows(self, shown: Iterable[tuple[str, bool]]) -> None:
        """Show or hide the rows of fields, by the fields' ids."""
        for id_, is_shown in shown:
            row = self.query_one(f"#{id_}").parent
            assert isinstance(row, Horizontal)
            row.display = is_shown

    def options(self, id_: str) -> Options:
        return self.query_one(f"#{id_}", Options)

    def value(self, id_: str) -> str:
        return self.query_one(f"#{id_}", Line).value.strip()


class RowsBelow(Rows):
    """Rows below a line, to which the cursor goes up from the first row."""

    def action_cursor_up(self) -> None:
        if self.highlighted:
            super().action_cursor_up()
        else:
            self.call_later(self.run_action, "screen.type")


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

    def _tell(self) -> None:
        """Say something about the row at the cursor, to which it was moved."""

    def _typed(self, text: str) -> None:
        """Called when the text in the line has changed."""

    def _take(self) -> None:
        """Called for Enter on a row."""

    def _submit(self, line: Input) -> None:
        """Called for Enter in a line; as on a row, unless a dialog does something else."""
        self._take()

    def on_option_list_option_highlighted(self) -> None:
        self._tell()

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


def lines_left(lines: int, beside: int) -> int:
    """The lines left for rows in a box, on a terminal of `lines` lines, with `beside` lines for everything else."""
    return max(lines * 92 // 100 - beside, 3)
