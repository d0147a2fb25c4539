"""Asks before an address from a result is opened in the browser: shows the host first, then the whole address."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Static

from registry.accounts.links import Link
from registry.text.safe_text import visible_line
from tui.dialogs.dialog import BETWEEN_BUTTONS, Dialog


class OpenLink(Dialog[bool]):
    """Returns True to open the address."""

    BINDINGS = [*BETWEEN_BUTTONS]

    def __init__(self, link: Link) -> None:
        super().__init__()
        self._link = link

    def compose(self) -> ComposeResult:
        """The host, the address, and the two buttons."""
        with VerticalScroll(id="box", can_focus=False):
            yield Static(Content.styled("Open in the browser?", "bold"))
            yield Static(Content.styled(f"\n{visible_line(self._link.host)}", "bold $text-accent"))
            yield Static(Content(visible_line(self._link.url)), classes="quiet")
            with Horizontal(id="buttons"):
                yield Button("Cancel", id="cancel", compact=True)
                yield Button("Open", id="open", compact=True)
            yield self.keys_line(("← →", "Switch"), ("Enter", "Press"), ("Esc", "Cancel"))

    def on_mount(self) -> None:
        """Focus Open: the user has just read the host."""
        self.query_one("#open", Button).focus()

    @on(Button.Pressed)
    def _answer(self, event: Button.Pressed) -> None:
        event.stop()
        self.dismiss(event.button.id == "open")
