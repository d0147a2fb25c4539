"""The dashboard's past mode on screen: a title that says which moment is shown, and a question for another one."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from registry.oncall.clocks import clock, moment_of, past, second, span, stamp
from registry.text.safe_text import visible_line
from tui.dialogs.dialog import Dialog
from tui.oncall.watching import PastWatching
from tui.widgets.text_line import Line as TypedLine
from tui.widgets.words import Words


class PastBar(Words):
    """The title of the past: which moment, which frame, and the keys to go back and forward. Hidden in the present."""

    DEFAULT_CSS = """
    PastBar { display: none; height: 1; padding: 0 1; background: $warning; color: $background; text-style: bold; }
    PastBar { text-wrap: nowrap; text-overflow: ellipsis; }
    PastBar.-past { display: block; }
    """

    def show(self, watching: PastWatching | None, now: float, keys: str) -> None:
        """Show the moment on screen, as seen from the present `now`; `keys` explains the keys. None: the present."""
        self.set_class(watching is not None, "-past")
        if watching is None or watching.past is None:
            return
        at, ago = watching.past, span(now - watching.past)
        place = f"{watching.number + 1} of {len(watching.replay)}"
        for shown in (
            f"PAST {stamp(at, watching.zone)}, {ago} ago · {place} · {watching.whose} · not live · {keys}",
            f"PAST {stamp(at, watching.zone)}, {ago} ago · {place} · {keys}",
            f"{past(at, watching.zone)}, {ago} ago · {place} · {keys}",
        ):
            if len(shown) <= self.app.size.width - 2:
                break
        self.update(Content(shown))


class MomentDialog(Dialog[float]):
    """Asks which moment to go to; returns it in Unix seconds.

    Args:
        watching: the watch of the past.
    """

    BINDINGS = [Binding("enter", "submit", "Go", show=False)]

    def __init__(self, watching: PastWatching) -> None:
        super().__init__()
        self._watching = watching

    def compose(self) -> ComposeResult:
        """The recorded times, and the line."""
        moments, zone = self._watching.replay.moments, self._watching.zone
        with Vertical(id="box"):
            yield Static(Content.styled("Go to which time?", "bold"))
            recorded = f"{second(moments[0], zone)} to {second(moments[-1], zone)} {clock(moments[-1], zone).partition(' ')[2]}"
            yield Static(Content(f"Recorded: {recorded}, {len(moments)} refreshes."), classes="quiet")
            yield TypedLine(placeholder="03:14, 03:14:30, 2026-11-22 03:14 or -20m", id="moment", compact=True)
            yield Words("", id="problem")
            yield self.keys_line(("Enter", "Go"), ("Esc", "Close"))

    def on_mount(self) -> None:
        """Focus the line."""
        self.query_one("#moment").focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go to the moment, or show what is wrong."""
        event.stop()
        found = moment_of(event.value, self._watching.zone, self._watching.replay.moments[-1])
        if found is None:
            words = f"Not a time: “{visible_line(event.value)[:40]}”. Type 03:14, 2026-11-22 03:14 or -20m."
            self.query_one("#problem", Words).update(Content.styled(words, "$text-error"))
        else:
            self.dismiss(found)
