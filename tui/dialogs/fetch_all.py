"""Asks how many items of a list to fetch."""

from __future__ import annotations

from dataclasses import dataclass

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from tui.dialogs.dialog import Dialog
from tui.widgets.text_line import Line

_STEP = 10_000


@dataclass(frozen=True, slots=True)
class Cap:
    """Where to stop: after `most` items; None only at the end of the list."""

    most: int | None


class FetchAll(Dialog[Cap]):
    """Asks for a maximum number of items; an empty line means no limit.

    Args:
        tool: name of the tool that lists.
        cap: the proposed maximum.
        there: how many items are fetched already, to continue a fetch; 0 for a new one.
    """

    DEFAULT_CSS = """
    FetchAll {
        #box { width: 60; }
        Line { margin: 1 0 0 0; padding: 0 1; background: $panel; }
        #wrong { color: $text-error; }
    }
    """

    def __init__(self, tool: str, cap: int | None, there: int) -> None:
        super().__init__()
        self._tool = tool
        self._cap = cap
        self._there = there

    def compose(self) -> ComposeResult:
        """The title, the number, what is wrong with it."""
        title = f"Continue after item {self._there:,}" if self._there else "Fetch all pages"
        proposed = self._there + (self._cap or _STEP) if self._there else self._cap
        with VerticalScroll(id="box", can_focus=False):
            yield Static(
                Content.assemble(Content.styled(title, "bold"), Content.styled(f" · {self._tool}", "$foreground-muted"))
            )
            yield Static(Content("Maximum number of items. Leave empty for no limit."), classes="quiet")
            yield Line(f"{proposed:,}" if proposed else "", placeholder="no limit", compact=True, select_on_focus=True)
            yield Static(id="wrong")
            yield self.keys_line(("Enter", "Fetch"), ("Esc", "Cancel"))

    def on_mount(self) -> None:
        """Focus the number."""
        self.query_one(Line).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Return the number if it is valid."""
        event.stop()
        text = "".join(letter for letter in event.value if letter not in " ,._'")
        if not text:
            self.dismiss(Cap(None))
        elif text.isascii() and text.isdecimal() and self._there < int(text[:18]):
            self.dismiss(Cap(int(text[:18])))
        else:
            above = f"greater than {self._there:,}, the number already fetched" if self._there else "from 1 on"
            self.query_one("#wrong", Static).update(Content(f"Enter a whole number {above}, or leave it empty."))
