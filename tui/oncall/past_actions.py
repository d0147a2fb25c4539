"""The actions of the past mode: stepping by refresh, playing, going to a time, and exporting the recording."""

from __future__ import annotations

import asyncio
from asyncio import sleep
from datetime import datetime, tzinfo
from pathlib import Path

from textual import work
from textual.worker import Worker

from registry.oncall.clocks import MINUTE
from registry.oncall.fetch import Call
from registry.oncall.past_words import past
from registry.oncall.recorder import Recorder
from registry.oncall.recording import NoRecording, Replay
from registry.oncall.words import next_clock, next_words
from registry.text.safe_text import visible_line
from tui.oncall.actions import Actions
from tui.oncall.past import MomentDialog, PastWatching
from tui.oncall.watching import Watching
from tui.state.downloads import usual_folder
from tui.state.settings import key_of

_STEPS = ("board_back", "board_forward", "board_far_back", "board_far_forward")
_ONLY_PAST = ("past_step", "past_play", "past_far", "export_recording")
_ONLY_LIVE = ("refresh_now", "sort", "open_call", "next_hour", "coverage", "report")
_GROUP = "oncall past"
PLAY_EVERY = 1.0
"""Seconds between two refreshes while playing."""


class PastActions(Actions):
    """A dashboard that can show the past.

    Attributes:
        live: the watch of the present; it continues, and rings, while the past is shown.
        recorder: records each refresh.
        file: the recording that is shown in place of an account; None with an account.
        calls: runs tools in the account; None until the account is known.
    """

    live: Watching
    recorder: Recorder
    file: Replay | None
    calls: Call | None
    _player: Worker[None] | None = None

    def change_watch(self, watching: Watching) -> None:
        """Show another watch in every panel."""
        raise NotImplementedError

    def show_clocks(self) -> None:
        """Update everything that changes with time."""
        raise NotImplementedError

    @property
    def in_past(self) -> PastWatching | None:
        """The watch of the past; None in the present."""
        return self.watching if isinstance(self.watching, PastWatching) else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the keys of the past in the present, and those of the present in the past."""
        shown = _ONLY_LIVE if self.in_past is not None else _ONLY_PAST
        return super().check_action(action, parameters) and action not in shown

    @property
    def past_keys(self) -> tuple[str, str]:
        """The keys of the past for its title, in long and short form."""
        back, forward, play, leave = (key_of(self.app, name) for name in (*_STEPS[:2], "board_play", "board_leave"))
        short = f"{play} {'pause' if self.playing else 'play'} · {leave} {'ends' if self.file is not None else 'live'}"
        return f"{back} {forward} step · {short}", short

    @work(group=_GROUP, exclusive=True, exit_on_error=False)
    async def action_past(self) -> None:
        """Show the last recorded refresh; in the past, ask for a time to go to."""
        if (shown := self.in_past) is not None:
            moment = await self.app.push_screen_wait(MomentDialog(shown))
            if moment is not None:
                await self._show_frame(shown, shown.replay.before(moment))
            return
        try:
            replay = await asyncio.to_thread(self.recorder.replay)
        except NoRecording as error:
            why = self.recorder.trouble or (str(error) if self.recorder.records else "nothing recorded here")
            self.say(f"Nothing recorded to show: {visible_line(why)}.")
            return
        await self.show_past(replay, len(replay) - 1)

    async def show_past(self, replay: Replay, number: int) -> None:
        """Show a frame of a recording in place of the present."""
        watching = PastWatching(replay, self.live)
        if await self._show_frame(watching, number):
            self.change_watch(watching)

    async def _show_frame(self, watching: PastWatching, number: int) -> bool:
        try:
            await watching.show_frame(number)
        except NoRecording as error:
            watching.wanted = watching.number
            self.say(f"Cannot show this time: {visible_line(str(error))[:200]}.")
            return False
        self.show()
        self.refresh_bindings()
        return True

    @work(group=_GROUP, exclusive=True, exit_on_error=False)
    async def action_past_step(self, step: int) -> None:
        """Go forward or back by so many refreshes."""
        if (shown := self.in_past) is None:
            return
        number = shown.wanted + step
        if not 0 <= number < len(shown.replay):
            self.say("This is the oldest refresh." if step < 0 else "This is the newest refresh.")
            return
        await self._show_frame(shown, number)

    @property
    def playing(self) -> bool:
        """Whether the recording is playing."""
        return self._player is not None and not self._player.is_cancelled and not self._player.is_finished

    def action_past_play(self) -> None:
        """Play the refreshes up to the newest; while playing, pause. Any other step pauses too."""
        if (shown := self.in_past) is None:
            return
        if self.playing:
            self.workers.cancel_group(self, _GROUP)
        elif shown.wanted + 1 < len(shown.replay):
            self._player = self._play(shown)
        else:
            self.say("This is the newest refresh.")
        self.show_clocks()

    @work(group=_GROUP, exclusive=True, exit_on_error=False)
    async def _play(self, shown: PastWatching) -> None:
        try:
            while shown.wanted + 1 < len(shown.replay):
                await sleep(PLAY_EVERY)
                if self.in_past is not shown or not await self._show_frame(shown, shown.wanted + 1):
                    return
        finally:
            self.call_later(self.show_clocks)

    @work(group=_GROUP, exclusive=True, exit_on_error=False)
    async def action_past_far(self, direction: int) -> None:
        """Go forward or back by ten minutes, and by at least one refresh."""
        if (shown := self.in_past) is None or shown.past is None:
            return
        number = shown.replay.before(shown.past + direction * 10 * MINUTE)
        await self._show_frame(shown, number if number != shown.number else number + direction)

    @property
    def zone(self) -> tzinfo:
        """The zone in which times are shown, also on pages opened from here."""
        return self.watching.zone

    def text_about(self, type_: str, id_: str) -> str:
        """When an incident pages whom next: ``0:47 → L2 Dana Wu``; empty for anything but an open incident."""
        row = self.live.board.row(id_) if type_ == "incident" else None
        if row is None:
            return ""
        return " ".join(filter(None, (next_clock(row, self.live.clock()), next_words(row, self.live.me))))

    def open_page_of(self, type_: str, id_: str) -> None:
        """Open the page of an object, unless the recording is a file: its incidents may be from another account."""
        if self.file is None:
            super().open_page_of(type_, id_)
        else:
            self.say("Incidents of a recording cannot be opened.")

    def leave_past(self) -> bool:
        """Go back to the present; returns False if it is already shown, or the recording is a file."""
        if self.in_past is None or self.file is not None:
            return False
        self.workers.cancel_group(self, _GROUP)
        self.change_watch(self.live)
        self.refresh_bindings()
        self.say("Live again.", "$text-success")
        return True

    @work(group=_GROUP, exclusive=True, exit_on_error=False)
    async def action_export_recording(self) -> None:
        """Export the recording of this account into a file for `callboard oncall --replay`."""
        if (shown := self.in_past) is None:
            return
        if self.file is not None:
            self.say("This is already a recording from a file.")
            return
        at = datetime.fromtimestamp(shown.replay.moments[-1], shown.zone)
        name = Path(f"oncall-{at:%Y-%m-%d-%H%M%S}.jsonl.gz")
        try:
            file = await asyncio.to_thread(lambda: usual_folder() / name)
            size = await asyncio.to_thread(self.recorder.export, file)
        except FileExistsError:
            self.say(f"{name} already exists. Nothing was saved.")
        except (OSError, NoRecording) as error:
            words = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            self.say(f"{name}: {visible_line(words)}", "$text-error")
        else:
            first = past(shown.replay.moments[0], shown.zone).removeprefix("PAST ")
            self.say(f"Saved {visible_line(str(file))} ({max(size // 1000, 1)} kB, from {first})", "$text-success")
