"""What all dialogs have in common: a box with a title, a body, buttons, and the keys that work; Escape leaves."""

from collections.abc import Iterable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Button, Input, Static

from registry.text.safe_text import visible_line
from tui.keyboard.commands import is_offered
from tui.keyboard.dismissed_once import DialogResult, DismissedOnce
from tui.widgets.option_row import Options
from tui.widgets.text_line import Line

Keys = Sequence[tuple[str, str]]
"""Keys as people write them, and what each does."""

BETWEEN_BUTTONS = [
    Binding("left", "app.focus_previous", show=False),
    Binding("right", "app.focus_next", show=False),
]
"""Keys for dialogs in which only buttons can be focused, or a line that has its own left and right."""


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
    def keys_line(cls, *keys: tuple[str, str], id: str | None = None) -> Static:  # noqa: A002
        """The line with these keys."""
        return Static(cls.keys_text(*keys), classes="keys-here", id=id)

    @staticmethod
    def keys_text(*keys: tuple[str, str]) -> Content:
        parts = [Content.assemble(Content.styled(key, "$text-accent"), Content(f" {does}")) for key, does in keys]
        return Content("   ").join(parts)

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
