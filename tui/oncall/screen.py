"""The on-call dashboard as a screen: its keys, and the past, one recorded refresh after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from textual import work

from registry.oncall.alarms import AlarmCommand
from registry.oncall.clocks import stamp
from registry.oncall.recording import NoRecording, Replay
from registry.oncall.words import next_clock, next_words
from registry.text.safe_text import visible_line
from tui.keyboard.commands import BESIDE, bindings
from tui.oncall.actions import Actions
from tui.oncall.past import MomentDialog
from tui.oncall.watching import PastWatching
from tui.session import Session
from tui.state.downloads import usual_folder

_ONLY_PAST = ("past_step", "export_recording")
_ONLY_LIVE = ("refresh_now", "open_call", "next_hour", "coverage", "report")
_GROUP = "oncall past"


class OncallScreen(Actions):
    """The dashboard.

    Args:
        session: accounts and catalogue, once they are ready.
        every: seconds between two refreshes.
        replay: a recording to show in place of an account; no calls are made then.
        on_alarm: run when the board rings, also while the bell is off.
        accounts: the names of all accounts, if there are several; the first one is in the panels.
    """

    BINDINGS = [*bindings("oncall"), *bindings(also=BESIDE["oncall"])]

    def __init__(
        self,
        session: Session,
        every: float = 15.0,
        replay: Replay | None = None,
        on_alarm: AlarmCommand | None = None,
        accounts: Sequence[str] = (),
    ) -> None:
        super().__init__(session, every, on_alarm, accounts)
        self._file = replay

    def on_mount(self) -> None:
        """Start to watch."""
        self.show()
        self.rebuild_when_changed()
        self.set_interval(1.0, self.tick)
        if self._file is not None:
            self.run_worker(self._show_past(self._file, 0), group=_GROUP, exit_on_error=False)
        else:
            self.begin()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the keys of the past in the present, those of the present in the past, and "next account" without one."""
        hidden = action in (_ONLY_LIVE if self.in_past is not None else _ONLY_PAST)
        alone = action == "next_account" and len(self.others.names) < 2
        return super().check_action(action, parameters) and not hidden and not alone

    def text_about(self, type_: str, id_: str) -> str:
        """When an incident pages whom next: ``0:47 → L2 Dana Wu``; empty for anything but an open incident."""
        row = self.live.board.row(id_) if type_ == "incident" else None
        if row is None:
            return ""
        return " ".join(filter(None, (next_clock(row, self.live.clock()), next_words(row, self.live.me))))

    def open_page_of(self, type_: str, id_: str) -> None:
        """Open the page of an object, unless the recording is a file: its incidents may be from another account."""
        if self._file is None:
            super().open_page_of(type_, id_)
        else:
            self.say("Incidents of a recording cannot be opened.")

    def action_leave(self) -> None:
        """Step back: from the past to the present, otherwise as in the present."""
        if self.in_past is None or self._file is not None:
            super().action_leave()
            return
        self.workers.cancel_group(self, _GROUP)
        self.change_watch(self.live)
        self.refresh_bindings()
        self.say("Live again.", "$text-success")

    # The past

    @work(group=_GROUP, exclusive=True, exit_on_error=False)
    async def action_past(self) -> None:
        """Show the last recorded refresh; in the past, ask for a time to go to."""
        if (shown := self.in_past) is not None:
            moment = await self.app.push_screen_wait(MomentDialog(shown))
            if moment is not None:
                await self._show_frame(shown, shown.replay.before(moment))
            return
        recorder = self.live.account.recorder
        try:
            replay = await asyncio.to_thread(recorder.replay)
        except NoRecording as error:
            why = recorder.trouble or (str(error) if recorder.records else "nothing recorded here")
            self.say(f"Nothing recorded to show: {visible_line(why)}.")
            return
        await self._show_past(replay, len(replay) - 1)

    async def _show_past(self, replay: Replay, number: int) -> None:
        """Show a frame of a recording in place of the present."""
        watching = PastWatching(replay, self.live)
        if await self._show_frame(watching, number):
            self.change_watch(watching)
            self.refresh_bindings()

    async def _show_frame(self, watching: PastWatching, number: int) -> bool:
        try:
            await watching.show_frame(number)
        except NoRecording as error:
            watching.wanted = watching.number
            self.say(f"Cannot show this time: {visible_line(str(error))[:200]}.")
            return False
        self.show()
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

    @work(group=_GROUP, exclusive=True, exit_on_error=False)
    async def action_export_recording(self) -> None:
        """Export the recording of this account into a file for `callboard oncall --replay`."""
        if (shown := self.in_past) is None:
            return
        if self._file is not None:
            self.say("This is already a recording from a file.")
            return
        at = datetime.fromtimestamp(shown.replay.moments[-1], shown.zone)
        name = Path(f"oncall-{at:%Y-%m-%d-%H%M%S}.jsonl")
        try:
            file = await asyncio.to_thread(lambda: usual_folder() / name)
            size = await asyncio.to_thread(self.live.account.recorder.export, file)
        except FileExistsError:
            self.say(f"{name} already exists. Nothing was saved.")
        except (OSError, NoRecording) as error:
            words = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            self.say(f"{name}: {visible_line(words)}", "$text-error")
        else:
            first = stamp(shown.replay.moments[0], shown.zone)
            self.say(f"Saved {visible_line(str(file))} ({max(size // 1000, 1)} kB, from {first})", "$text-success")
