"""What all dialogs have in common: a box in the middle, Escape to leave."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.keyboard.dismissed_once import DialogResult, DismissedOnce

BETWEEN_BUTTONS = [
    Binding("left", "app.focus_previous", show=False),
    Binding("right", "app.focus_next", show=False),
]
"""Keys for dialogs in which only buttons can be focused, or a line that has its own left and right."""


class Dialog(DismissedOnce[DialogResult], ModalScreen[DialogResult]):
    """A box in the middle of the screen. Escape closes it without a result."""

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

    @classmethod
    def keys_line(cls, *keys: tuple[str, str], id: str | None = None) -> Static:  # noqa: A002
        """The dialog's keys, as (key, what it does)."""
        return Static(cls.keys_text(*keys), classes="keys-here", id=id)

    @staticmethod
    def keys_text(*keys: tuple[str, str]) -> Content:
        """The text of such a line, for one that changes."""
        parts = [Content.assemble(Content.styled(key, "$text-accent"), Content(f" {does}")) for key, does in keys]
        return Content("   ").join(parts)

    def action_leave(self) -> None:
        """Close without a result."""
        self.dismiss(None)
