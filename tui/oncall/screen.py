"""The on-call dashboard as a screen: filters, pages and tools, links, reports, and the past, refresh by refresh."""

import asyncio
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial
from typing import Any, cast

from textual import on, work
from textual.binding import Binding
from textual.widgets import Input

from registry.accounts.links import BrowserNotOpened, open_in_browser
from registry.oncall.alarms import AlarmCommand
from registry.oncall.facts import own_link
from registry.oncall.forecast import coverage
from registry.oncall.model import NOWHERE, TOOLKIT, CallSource, Ref, stamp
from registry.oncall.recording import NoRecording, Replay
from registry.oncall.report import report
from registry.oncall.scope import problem
from registry.oncall.words import next_clock, next_words
from registry.pages.page import ObjectLink
from registry.text.shown import visible_line
from tui.dialogs.choose import MarkingDialog
from tui.keyboard.commands import BESIDE, bindings
from tui.oncall.dialogs import CoverageScreen, ReportDialog
from tui.oncall.display import Display
from tui.oncall.incidents_panel import IncidentList
from tui.oncall.panels import FeedList, HourList, PolicyList, ServiceList
from tui.oncall.verdict_bar import MomentDialog, VerdictLine, source_of
from tui.oncall.watching import PastWatching
from tui.session import Session
from tui.state.settings import downloads_folder
from tui.terminal.external_programs import copy

_ONLY_PAST = ("past_step", "export_recording")
_ONLY_LIVE = ("refresh_now", "open_call", "coverage", "report")
_GROUP = "oncall past"
_ZONES = {"profile": "here", "here": "UTC", "UTC": "profile"}
_ZONE_WORDS = {"profile": "your profile's time zone", "here": "this computer's time zone", "UTC": "UTC"}
_URGENCIES = {"": "high", "high": "low", "low": ""}


class OncallScreen(Display):
    """The dashboard; it shows a recording if `replay` is given, and makes no calls then. All else is as for `Display`."""

    toolkit_here = TOOLKIT
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
        self._note = ""  # for the report

    def on_mount(self) -> None:
        self.show()
        self.set_interval(1.0, self.tick)
        if self._file is not None:
            self.run_worker(self._show_past(self._file, 0), group=_GROUP)
        else:
            self.begin()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the keys of the past in the present, those of the present in the past, and "next account" without one."""
        hidden = action in (_ONLY_LIVE if self.in_past is not None else _ONLY_PAST)
        alone = action == "next_account" and len(self.others.names) < 2
        return super().check_action(action, parameters) and not hidden and not alone

    def text_about(self, type_: str, id_: str) -> str:
        """When an incident pages whom next: ``0:47 → L2 Dana Wu``; empty for anything but an open incident."""
        row = self.live.board.by_id.get(id_) if type_ == "incident" and self.reads else None
        if row is None:
            return ""
        return " ".join(filter(None, (next_clock(row, self.live.clock()), next_words(row, self.live.board.me))))

    def action_leave(self) -> None:
        """Step back: from the past to the present; then clear the filter, end the zoom, or go to the explorer."""
        line = self.query_one("#oncall-filter", Input)
        if self.in_past is not None and self._file is None:
            self.workers.cancel_group(self, _GROUP)
            self.change_watch(self.live)
            self.refresh_bindings()
            self.say("Live again.", "$text-success")
        elif line.has_class("-open") or self.watching.scope.text:
            line.value = ""
            self._close_filter()
        elif self.has_class("-zoomed"):
            self.action_zoom()
            if isinstance(self.focused, HourList):  # where the key for the next hour came from
                self.query_one(IncidentList).focus()
        elif self.is_active:
            self.app.pop_screen()

    def action_refresh_now(self) -> None:
        self.refresh_now()
        self.show()

    # Scope

    @work(group="oncall scope", exclusive=True)
    async def _narrow(self, **changes: object) -> None:
        self.watching.narrow(**changes)
        await self.watching.rebuild(finished=False)
        self.show()
        if "teams" in changes:
            self.remember()

    def action_mine(self) -> None:
        if not self.watching.board.me and not self.watching.scope.mine:
            self.say("Cannot show only your incidents: the token has no user profile.")
        else:
            self._narrow(mine=not self.watching.scope.mine)

    def action_urgency(self) -> None:
        self._narrow(urgency=_URGENCIES[self.watching.scope.urgency])

    def action_service(self) -> None:
        row, service = self.query_one(IncidentList).row, self.query_one(ServiceList).here
        here = service.id if self.query_one(ServiceList).has_focus and service else row.incident.service.id if row else ""
        self._narrow(service="" if self.watching.scope.service else here)

    def action_everything(self) -> None:
        self.query_one("#oncall-filter", Input).value = ""
        self._narrow(teams=frozenset(), mine=False, urgency="", service="", text="")

    @work(group="oncall teams", exclusive=True)
    async def action_teams(self) -> None:
        facts = self.watching.board.facts
        if not facts.teams:
            self.say("Teams are not loaded yet.")
            return
        mine = frozenset(team.id for team in facts.me.teams) if facts.me else frozenset()
        chosen = await self.app.push_screen_wait(TeamsDialog(facts.teams, self.watching.scope.teams, mine))
        if chosen is not None:
            self._narrow(teams=chosen)

    def action_filter(self) -> None:
        line = self.query_one("#oncall-filter", Input)
        line.add_class("-open")
        line.focus()

    @on(Input.Changed, "#oncall-filter")
    def _typed(self, event: Input.Changed) -> None:
        if event.value != self.watching.scope.text:
            self._narrow(text=event.value)

    @on(Input.Submitted, "#oncall-filter")
    def _typed_all(self, event: Input.Submitted) -> None:
        if wrong := problem(event.value, self.watching.clock()):
            self.say(wrong)
        else:
            self._close_filter()

    def _close_filter(self) -> None:
        self.query_one("#oncall-filter", Input).remove_class("-open")
        self.query_one(IncidentList).focus()

    def action_groups(self) -> None:
        self.watching.group()
        self.show()
        by = {"service": "by service", "title": "by similar title", None: "in lanes"}
        self.say(f"Incidents are shown {by[self.watching.grouping]}.", "$text-success")

    def action_zoom(self) -> None:
        self.toggle_class("-zoomed")

    # To pages and tools

    def action_open_call(self) -> None:
        source = self._at_cursor()[2]
        if source.tool:
            cast(Any, self.app).open_call(source.tool, source.arguments)
        else:
            self.say("This row has no source call.")

    def action_open_one(self) -> None:
        incidents = self.query_one(IncidentList)
        if isinstance(self.focused, VerdictLine):
            self.action_open_call()
        elif self.focused is incidents and incidents.on_head:
            incidents.action_toggle_fold()
        elif self._file is not None:  # it may be of another account
            self.say("Incidents of a recording cannot be opened.")
        else:
            type_, id_, _ = self._at_cursor()
            if id_:
                cast(Any, self.app).open_page(ObjectLink(TOOLKIT, type_, id_))
            else:
                self.say("Nothing to open here.")

    def _at_cursor(self) -> tuple[str, str, CallSource]:
        """The type and id of the object at the cursor, and the call that returned it."""
        focused = self.focused
        if isinstance(focused, VerdictLine):
            return "", "", source_of(focused, self.watching.board)
        if isinstance(focused, PolicyList) and focused.here is not None:
            on_call, level, _ = focused.here
            source = on_call.details.source if on_call.details is not None else NOWHERE
            return "escalation_policy", on_call.policy.id, level.duties[0].source if level and level.duties else source
        if isinstance(focused, ServiceList) and (service := focused.here) is not None:
            return "service", service.id, service.source
        if isinstance(focused, FeedList) and (event := focused.here) is not None:
            return "incident", event.incident.id, event.source
        if isinstance(focused, HourList):
            row = focused.page.row if focused.page is not None else None
        else:
            row = self.query_one(IncidentList).row
        return ("incident", row.incident.id, row.incident.source) if row is not None else ("", "", NOWHERE)

    # Links

    def _link(self) -> str:
        """The incident's address on the account's own host; empty, with a message, if there is none."""
        row = self.query_one(IncidentList).row
        link = own_link(row.incident.url, self.watching.board.facts) if row is not None else ""
        if not link:
            self.say("This incident has no link to your account.")
        return link

    @work(group="oncall link", exclusive=True)
    async def action_copy_link(self) -> None:
        if link := self._link():
            outcome = await copy(self.app, link)
            self.say(outcome.about(link), outcome.style)

    @work(group="oncall link", exclusive=True)
    async def action_open_link(self) -> None:
        if link := self._link():
            try:
                await open_in_browser(link, self.session.environment)
            except BrowserNotOpened as error:
                self.say(error.cause)
            else:
                self.say(f"Opened {link}", "$text-success")

    # Next hour, report, coverage, zone, alarm, help

    def action_next_hour(self) -> None:
        self.bring_forward(self.query_one("#hour"))  # before the others are hidden: what is hidden takes no focus
        self.add_class("-zoomed")
        self.query_one(HourList).focus()

    @work(group="oncall report", exclusive=True)
    async def action_report(self) -> None:
        watching = self.watching
        dialog = ReportDialog(
            partial(report, watching.board, watching.zone, watching.interval), watching.clock(), watching.zone, self._note
        )
        done = await self.app.push_screen_wait(dialog)
        self._note = dialog.note
        if done:
            self.say(done, "$text-success")

    def action_coverage(self) -> None:
        cover = coverage(self.watching.board, self.watching.zone)
        if cover:
            self.app.push_screen(CoverageScreen(self.watching, cover))
        else:
            self.say("Policies and shifts are not loaded yet." if cover is None else "No policies.")

    def action_zone(self) -> None:
        self.watching.zone_name = _ZONES[self.watching.zone_name]
        self.remember()
        self.show()
        self.say(f"Times are in {_ZONE_WORDS[self.watching.zone_name]}.", "$text-success")

    def action_alarm(self) -> None:
        self.alarm_on = not self.alarm_on
        self.remember()
        self.show()
        on = "on: bell and notification for new high-urgency incidents, escalations to you, nobody left to page, and stale data"
        self.say(f"Alarm {on if self.alarm_on else 'off'}.", "$text-success")

    # The past

    @work(group=_GROUP, exclusive=True)
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
            self.say(f"Nothing recorded to show: {visible_line(recorder.trouble or str(error))}.")
            return
        await self._show_past(replay, len(replay) - 1)

    async def _show_past(self, replay: Replay, number: int) -> None:
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

    @work(group=_GROUP, exclusive=True)
    async def action_past_step(self, step: int) -> None:
        if (shown := self.in_past) is None:
            return
        number = shown.wanted + step
        if 0 <= number < len(shown.replay):
            await self._show_frame(shown, number)
        else:
            self.say("This is the oldest refresh." if step < 0 else "This is the newest refresh.")

    @work(group=_GROUP, exclusive=True)
    async def action_export_recording(self) -> None:
        if (shown := self.in_past) is None:
            return
        if self._file is not None:
            self.say("This is already a recording from a file.")
            return
        name = f"oncall-{datetime.fromtimestamp(shown.replay.moments[-1], shown.zone):%Y-%m-%d-%H%M%S}.jsonl"
        try:
            file = await asyncio.to_thread(lambda: downloads_folder() / name)
            size = await asyncio.to_thread(self.live.account.recorder.export, file)
        except FileExistsError:
            self.say(f"{name} already exists. Nothing was saved.")
        except (OSError, NoRecording) as error:
            words = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            self.say(f"{name}: {visible_line(words)}", "$text-error")
        else:
            about = f"{max(size // 1000, 1)} kB, from {stamp(shown.replay.moments[0], shown.zone)}"
            self.say(f"Saved {visible_line(str(file))} ({about})", "$text-success")


class TeamsDialog(MarkingDialog):
    """Returns the ids of the chosen teams; an empty set means all teams.

    Args:
        teams: all teams.
        chosen: ids of the teams in scope now.
        mine: ids of my own teams.
    """

    BINDINGS = [Binding("o", "only", "Mine")]

    def __init__(self, teams: Iterable[Ref], chosen: frozenset[str], mine: frozenset[str]) -> None:
        self._mine = mine
        rows = {
            team.id: f"{visible_line(team.name)}{' (yours)' if team.id in mine else ''}"
            for team in sorted(teams, key=lambda team: team.name.casefold())
        }
        super().__init__(
            "Filter by team",
            rows,
            chosen,
            "Show",
            lambda _: "None marked: all incidents, including those without a team.",
        )
        self.keys = (("Space", "Mark"), ("o", "Only yours"), ("a", "All"), ("Enter", "Show"), ("Esc", "Cancel"))

    def action_all(self) -> None:
        """Mark none, which means all."""
        self.mark(set())

    def action_only(self) -> None:
        self.mark(set(self._mine))
