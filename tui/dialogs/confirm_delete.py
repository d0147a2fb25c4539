"""Asking before something is deleted: what, by which rule, and the exact request. Cancel has the keyboard."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Static

from registry.calling.request import Preview
from registry.catalog.model import Tool
from registry.connections.profiles import Mode
from registry.text import visible_line
from tui.dialogs.dialog import Dialog
from tui.request_line import request_line
from tui.targets import COLOURS, MODES


class ConfirmDelete(Dialog[bool]):
    """Answers True when the deletion is wanted."""

    BINDINGS = [
        Binding("left", "app.focus_previous", show=False),
        Binding("right", "app.focus_next", show=False),
    ]

    def __init__(self, tool: Tool, raw: dict[str, object], preview: Preview, target: str, mode: Mode) -> None:
        super().__init__(classes="-danger")
        self._tool = tool
        self._raw = raw
        self._preview = preview
        self._target = target
        self._mode = mode

    def compose(self) -> ComposeResult:
        """What will be deleted, where, and the two buttons."""
        subject = ", ".join(
            visible_line(str(self._raw[parameter.name]))
            for parameter in self._tool.parameters
            if parameter.place == "path" and parameter.name in self._raw
        )
        with VerticalScroll(id="box", can_focus=False):
            yield Static(Content.styled(f"{self._tool.summary.rstrip('.')}?", "bold $text-error"))
            where = [Content(f"   in {self._target}")]
            if self._mode != "sandbox":
                where.append(Content.styled(f"  {MODES[self._mode]}", f"{COLOURS[self._mode]} reverse"))
            yield Static(Content.assemble(Content.styled(f"\n{subject}", "bold"), *where))
            if self._tool.rule:
                yield Static(Content(f"\n{self._tool.rule}"))
            yield Static(Content.assemble(Content("\n"), request_line(self._preview)))
            with Horizontal(id="buttons"):
                yield Button("Cancel", id="cancel", compact=True)
                yield Button("Delete", id="delete", variant="error", compact=True)
            yield self.keys_line(("← →", "choose"), ("⏎", "do it"), ("Esc", "cancel"))

    def on_mount(self) -> None:
        """A reflex must not delete: Cancel has the keyboard."""
        self.query_one("#cancel", Button).focus()

    @on(Button.Pressed)
    def _answer(self, event: Button.Pressed) -> None:
        event.stop()
        self.dismiss(event.button.id == "delete")
