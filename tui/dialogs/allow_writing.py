"""Asks before changes to live data are allowed. Cancel has the focus."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Static

from tui.dialogs.dialog import BETWEEN_BUTTONS, Dialog


class AllowWriting(Dialog[bool]):
    """Returns True to allow changes."""

    BINDINGS = [*BETWEEN_BUTTONS]

    def __init__(self, target: str, address: str, minutes: int) -> None:
        super().__init__(classes="-danger")
        self._target = target
        self._address = address
        self._minutes = minutes

    def compose(self) -> ComposeResult:
        """What will be allowed, for how long, and the two buttons."""
        with VerticalScroll(id="box", can_focus=False):
            yield Static(Content.styled(f"Allow changes in {self._target}?", "bold $text-error"))
            yield Static(
                Content.assemble(Content.styled("\n LIVE data ", "bold $text-error reverse"), Content(f" {self._address}"))
            )
            words = f"\nFor {self._minutes} minutes, tools can change and delete live data. Callboard asks before each change."
            yield Static(Content(words))
            with Horizontal(id="buttons"):
                yield Button("Cancel", id="cancel", compact=True)
                yield Button(f"Allow for {self._minutes} minutes", id="delete", variant="error", compact=True)
            yield self.keys_line(("← →", "Switch"), ("Enter", "Press"), ("Esc", "Cancel"))

    def on_mount(self) -> None:
        """Focus Cancel."""
        self.query_one("#cancel", Button).focus()

    @on(Button.Pressed)
    def _answer(self, event: Button.Pressed) -> None:
        event.stop()
        self.dismiss(event.button.id == "delete")
