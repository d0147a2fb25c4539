"""Asks once before a saved call that changes something runs for several rows. Each change is still checked right before it."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Static

from registry.engine import Consent
from registry.saved.results import shown_inputs
from registry.saved.running import SavedRun
from registry.text.safe_text import shortened, visible_line
from tui.dialogs.deliberate import DeliberateButton, DeliberateDialog
from tui.dialogs.typed_line import TypedLine
from tui.widgets.mode_labels import COLOURS, MODES
from tui.widgets.text_line import Line

_AROUND = 10
_MOST, _LONGEST = 100, 74


class ConfirmRun(DeliberateDialog["Consent | None"]):
    """Returns the user's consent to all changes of a run; None if it was cancelled."""

    DEFAULT_CSS = """
    ConfirmRun { #summary { margin: 1 0; } }
    """

    verb = "Run"

    def __init__(self, run: SavedRun) -> None:
        self._current = run
        changing = [tool for tool in run.tools if tool.effect != "read"]
        modes = [run.connections[tool.toolkit].endpoint(tool.toolkit).mode for tool in changing]
        self._mode = next((mode for mode in ("live", "test", "sandbox") if mode in modes), modes[0])
        self._changing = changing
        self._typed = any(one.decision.kind == "type" for one in run.ahead)
        self._phrase = f"run {len(run.rows)}"
        super().__init__(self._mode, typed=self._typed)

    def compose(self) -> ComposeResult:
        """What changes, for which rows, a line to type into, and the buttons."""
        count = len(self._current.rows)
        with Vertical(id="box"):
            title = f"Run “{shortened(self._current.call.name, 40)}” for {count} rows?"
            yield Static(Content.styled(title, "bold $text-error"))
            yield Static(Content.styled(f" {MODES[self._mode]} ", f"{COLOURS[self._mode]} reverse"))
            with VerticalScroll(id="summary", can_focus=False):
                yield Static(Content("\n").join(Content(line) for line in self._lines()))
            yield Static(id="state")
            yield TypedLine(self._phrase)
            with Horizontal(id="buttons"):
                yield Button("Cancel", id="cancel", compact=True)
                yield DeliberateButton("Run", id="delete")
            yield self.keys_line(("↑ ↓", "Scroll"), ("← →", "Choose"), ("Enter", "Press"), ("Esc", "Cancel"))

    def _lines(self) -> Sequence[str]:
        words = {"delete": "× deletes", "write": "+ changes"}
        lines = [f"{words[tool.effect]}: {tool.name}. {tool.rule or tool.summary}" for tool in self._changing]
        rows = []
        for row in self._current.rows[:_MOST]:
            given = " · ".join(f"{name} {value}" for name, value in shown_inputs(self._current.call, row).items())
            rows.append(shortened(visible_line(f"{row.number}  {given}"), _LONGEST))
        more = len(self._current.rows) - _MOST
        return [*lines, "", *rows, *([f"and {more} more rows"] if more > 0 else [])]

    def on_mount(self) -> None:
        """Focus Cancel."""
        self._fit()
        self._offer()
        self.query_one("#cancel", Button).focus()

    @property
    def around(self) -> int:
        """Lines that do not scroll."""
        return _AROUND

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        if event.button.id == "cancel":
            self.dismiss(None)
        elif self._is_typed:
            self.dismiss(Consent.TYPED if self._typed else Consent.CONFIRMED)

    def _offer(self) -> None:
        self.query_one(DeliberateButton).offer("Run", ready=self._is_typed)
        if self._is_typed:
            self._say(
                "Each change is checked before it is made; the run stops at the first that is not made.", "$foreground-muted"
            )
        else:
            self._ask_for(f"“{self._phrase}”")

    @property
    def _is_typed(self) -> bool:
        return not self._typed or self.query_one(Line).value.strip() == self._phrase
