"""Asks how many items a page should have."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from registry.catalog.model import Parameter
from registry.text.digits import whole
from tui.dialogs.dialog import Dialog
from tui.widgets.text_line import Line


class PageSize(Dialog[int]):
    """Asks for a whole number within the tool's bounds."""

    DEFAULT_CSS = """
    PageSize {
        #box { width: 52; }
        Line { margin: 1 0 0 0; padding: 0 1; background: $panel; }
        #wrong { color: $text-error; }
    }
    """

    def __init__(self, limit: Parameter, now: object) -> None:
        super().__init__()
        self._limit = limit
        self._now = now

    def compose(self) -> ComposeResult:
        """The bounds, the number, what is wrong with it."""
        low, high = self._bounds
        with VerticalScroll(id="box", can_focus=False):
            yield Static(Content.styled("Items per page", "bold"))
            yield Static(Content(f"From {low} to {high}. The first item stays the same."), classes="quiet")
            yield Line(str(self._now or ""), type="integer", compact=True, select_on_focus=True)
            yield Static(id="wrong")
            yield self.keys_line(("Enter", "Apply"), ("Esc", "Cancel"))

    def on_mount(self) -> None:
        """Focus the number."""
        self.query_one(Line).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Return the number if it is within the bounds."""
        event.stop()
        low, high = self._bounds
        number = whole(event.value)
        if number is not None and low <= number <= high:
            self.dismiss(number)
        else:
            self.query_one("#wrong", Static).update(Content(f"Enter a whole number from {low} to {high}."))

    @property
    def _bounds(self) -> tuple[int, int]:
        return int(self._limit.minimum or 1), int(self._limit.maximum or 1_000)
