"""The dialog for watching a result: the interval, and the condition of the alarm."""

from __future__ import annotations

import re
from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from registry.display.safe_text import visible_line
from registry.watching.watch import LONGEST, SHORTEST, USUAL
from tui.dialogs.dialog import Dialog
from tui.widgets.text_line import Line

_INTERVAL = re.compile(r"(\d{1,5}(?:\.\d{1,3})?)\s*(s|m|h)?", re.IGNORECASE)
_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3_600.0}


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
        seconds = seconds_of(every.value)
        if seconds is None:
            self._refuse(every, f"Enter an interval from {SHORTEST:.0f} s to {LONGEST / 60:.0f} m, such as 15 or 2m.")
            return
        if problem := problem_of(condition.value):
            self._refuse(condition, f"The condition is not valid JMESPath: {problem}")
            return
        self.dismiss(WatchWish(seconds, condition.value.strip()))

    def _refuse(self, line: Line, words: str) -> None:
        line.focus()
        self.query_one("#wrong", Static).update(Content(f"✗ {visible_line(words)}"))


def seconds_of(text: str) -> float | None:
    """An interval in seconds; None if it is invalid, too short or too long."""
    found = _INTERVAL.fullmatch(text.strip())
    seconds = float(found[1]) * _UNITS[(found[2] or "").lower()] if found is not None else 0.0
    return seconds if SHORTEST <= seconds <= LONGEST else None


def problem_of(condition: str) -> str:
    """What is wrong with a condition; empty if it is valid or empty."""
    from registry.jmespath_query.parser import parse
    from registry.jmespath_query.query_error import QueryError

    try:
        if condition.strip():
            parse(condition.strip())
    except QueryError as error:
        return str(error)
    return ""
