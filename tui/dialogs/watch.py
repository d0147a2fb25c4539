"""The dialog for watching a result: the interval, and the condition of the alarm."""

from __future__ import annotations

from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from registry.calling.intervals import interval_seconds
from registry.calling.invalid_value import InvalidValue
from registry.results.jmespath_query.parser import parse
from registry.results.jmespath_query.query_error import QueryError
from registry.results.watching.watch import LONGEST, SHORTEST, USUAL
from registry.text.safe_text import visible_line
from tui.dialogs.dialog import Dialog
from tui.widgets.text_line import Line


@dataclass(frozen=True, slots=True)
class WatchWish:
    """How to watch: seconds between two calls, and a JMESPath condition or an empty text."""

    every: float = USUAL
    condition: str = ""


class WatchDialog(Dialog[WatchWish]):
    """Asks for an interval and a condition."""

    DEFAULT_CSS = """
    WatchDialog {
        #box { width: 70; }
        .label { margin: 1 0 0 0; }
        Line { padding: 0 1; background: $panel; }
        #wrong { color: $text-error; height: auto; }
    }
    """

    def __init__(self, title: str, wish: WatchWish) -> None:
        super().__init__()
        self._title = title
        self._wish = wish

    def compose(self) -> ComposeResult:
        """What is watched, the interval, the condition for ringing, what is wrong."""
        with VerticalScroll(id="box", can_focus=False):
            yield Static(Content.styled(f"Watch {visible_line(self._title)}?", "bold"))
            yield Static(Content("Repeats the call at an interval and shows what changed."), classes="quiet")
            yield Static(Content(f"Interval in seconds, or as 2m {SHORTEST:.0f} s to {LONGEST / 60:.0f} m"), classes="label")
            yield Line(f"{self._wish.every:g}", id="every", compact=True, select_on_focus=True)
            yield Static(Content("Ring when this becomes true"), classes="label")
            yield Line(
                self._wish.condition, placeholder="optional JMESPath: data[?status=='failed']", id="condition", compact=True
            )
            yield Static(id="wrong")
            yield self.keys_line(("Enter", "Watch"), ("Tab", "Next field"), ("Esc", "Cancel"))

    def on_mount(self) -> None:
        """Focus the interval."""
        self.query_one("#every", Line).focus()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        every, condition = (self.query_one(one, Line) for one in ("#every", "#condition"))
        try:
            seconds = interval_seconds(every.value, SHORTEST, LONGEST)
        except InvalidValue as refusal:
            self._refuse(every, f"The interval {refusal}.")
            return
        if problem := problem_of(condition.value):
            self._refuse(condition, f"The condition is not valid JMESPath: {problem}")
            return
        self.dismiss(WatchWish(seconds, condition.value.strip()))

    def _refuse(self, line: Line, words: str) -> None:
        line.focus()
        self.query_one("#wrong", Static).update(Content(f"✗ {visible_line(words)}"))


def problem_of(condition: str) -> str:
    """What is wrong with a condition; empty if it is valid or empty."""
    try:
        if condition.strip():
            parse(condition.strip())
    except QueryError as error:
        return str(error)
    return ""
