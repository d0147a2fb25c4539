"""The dashboard's past mode: a recorded moment instead of the present, and a title that says so.

A moment of the past is a watch like the live one, so every panel shows it in the same way as the present; but it makes no
calls, its clocks are stopped, and every verdict starts with the word PAST.
"""

from __future__ import annotations

import asyncio

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from registry.calling.result import Result
from registry.oncall.alarms import Alarm
from registry.oncall.board import Board, board
from registry.oncall.clocks import full, span
from registry.oncall.past_words import moment_of, past, past_title
from registry.oncall.recording import Frame, Replay
from registry.oncall.words import Line, Piece
from registry.text.safe_text import visible_line
from tui.dialogs.dialog import Dialog
from tui.oncall.watching import Watching
from tui.widgets.text_line import Line as TypedLine
from tui.widgets.words import Words

MARK = "PAST"


class PastWatching(Watching):
    """A watch that shows recorded moments.

    Attributes:
        replay: the recording.
        number: the frame that is shown, from 0.
        wanted: the last frame that the user went to: keys may be faster than reading frames.

    Args:
        replay: what was recorded.
        live: the watch whose scope and zone it takes over.
    """

    def __init__(self, replay: Replay, live: Watching) -> None:
        self.replay = replay
        self.number = self.wanted = -1
        self.past = replay.moments[-1]
        self._before: Board | None = None
        super().__init__(_no_call, self._moment, lambda: None, live.interval)
        self._nothing = self.board
        self._frame: Frame | None = None
        self.scope, self.zone_name = live.scope, live.zone_name

    def _moment(self) -> float:
        assert self.past is not None
        return self.past

    @property
    def interval(self) -> float:
        """Seconds between two refreshes at that time."""
        return self._frame.interval if self._frame is not None else super().interval

    @property
    def account(self) -> str:
        """The account of the recording, safe to show."""
        heading = self._frame.heading if self._frame is not None else None
        return f"{visible_line(heading.account)[:40]} ({visible_line(heading.mode)[:10]})" if heading else ""

    async def show_frame(self, number: int) -> None:
        """Show a frame; a number out of range means the first or last one.

        Raises:
            NoRecording: it is damaged; the frame on screen stays.
        """
        number = self.wanted = max(0, min(number, len(self.replay) - 1))
        frame = await asyncio.to_thread(self.replay.frame, number)
        before = await asyncio.to_thread(self.replay.frame, number - 1) if number else None
        self.number, self._frame, self.past = number, frame, frame.at
        self.refresher.facts = frame.facts
        self._before = await asyncio.to_thread(board, before.facts, before.at, self.scope) if before is not None else None
        await self.rebuild(finished=True)

    async def rebuild(self, *, finished: bool) -> list[Alarm]:
        """Build the frame's board again, for instance for another scope. Returns no alarms: the past does not ring."""
        self._settled = self._before if self._before is not None else self._nothing
        self.rows, self.lanes = [], {}
        await super().rebuild(finished=True)
        self.marks = {**{row.incident.id: MARK for row in self.board.rows}, **self.marks}
        self.rows += list(self._over)
        return []

    def stale_alarms(self) -> list[Alarm]:
        """No alarms: the past does not ring."""
        return []


async def _no_call(*_: object) -> Result:
    raise AssertionError("no requests are sent for a recording")


def past_mark(watching: Watching) -> Line:
    """Only the word PAST, for lines with the time of day elsewhere; empty for the present."""
    return [Piece(f"{MARK} ", "warn")] if watching.past is not None else []


def past_words(watching: Watching) -> Line:
    """The words before a verdict in the past; empty for the present."""
    return [Piece(past(watching.past, watching.zone), "warn"), Piece("  ")] if watching.past is not None else []


def freshness_or_past(watching: Watching, line: Line) -> Line:
    """The age of a panel's data; in the past, its moment."""
    return line if watching.past is None else [Piece(past(watching.past, watching.zone), "warn")]


class PastBar(Words):
    """The title of the past: which moment, which frame, and the keys to go back and forward. Hidden in the present."""

    DEFAULT_CSS = """
    PastBar { display: none; height: 1; padding: 0 1; background: $warning; color: $background; text-style: bold; }
    PastBar { text-wrap: nowrap; text-overflow: ellipsis; }
    PastBar.-past { display: block; }
    """

    def show(self, watching: Watching, now: float, keys: tuple[str, str], *, playing: bool) -> None:
        """Show the moment on screen, as seen from the present `now`; `keys` explains the keys, in long and short form."""
        self.set_class(isinstance(watching, PastWatching), "-past")
        if not isinstance(watching, PastWatching) or watching.past is None:
            return
        zone = watching.zone
        place, ago = f"{watching.number + 1} of {len(watching.replay)}", span(now - watching.past)
        titles = [past_title(watching.past, now, zone)]
        if full(watching.past, zone)[:-10] == full(now, zone)[:-10]:
            titles.append(f"{past(watching.past, zone)}, {ago} ago")  # today: the date may be left out
        room = self.app.size.width - 2
        for title in titles:
            state = "playing · not live" if playing else "not live"
            for rest in (
                f"{place} · {watching.account} · {state} · {keys[0]}",
                f"{place} · {state} · {keys[0]}",
                *(f"{place} · {'playing · ' if playing else ''}{some}" for some in keys),
            ):
                shown = f"{title} · {rest}"
                if len(shown) <= room:
                    self.update(Content(shown))
                    return
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
            first, last = past(moments[0], zone).removeprefix("PAST "), past(moments[-1], zone).removeprefix("PAST ")
            yield Static(Content(f"Recorded: {first} to {last}, {len(moments)} refreshes."), classes="quiet")
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
