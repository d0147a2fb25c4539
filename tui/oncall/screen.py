"""The on-call dashboard: verdict and own duty at the top, then incidents, who is on call, the log and the services.

Side by side from 120 columns on, one below the other on narrow terminals, with large numbers from 180 columns on (a screen on
a wall). Clocks update each second without a request. The watch continues while the explorer or a dialog is in front.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, tzinfo

from textual import events, on, work
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.content import Content
from textual.widget import Widget

from registry.accounts.ending import soon
from registry.oncall.account import Account, AccountView
from registry.oncall.alarm_command import AlarmCommand, Ring
from registry.oncall.alarms import Alarm
from registry.oncall.clock_skew import SkewedClock
from registry.oncall.clocks import clock, when
from registry.oncall.evidence import stale
from registry.oncall.facts import PANELS, PanelName
from registry.oncall.fetch import Call
from registry.oncall.headline import headline
from registry.oncall.model import TOOLKIT
from registry.oncall.recorder import Recorder, recordings_folder
from registry.oncall.recording import Heading as RecordedBy
from registry.oncall.recording import Replay
from registry.oncall.words import Line, Piece, amount, freshness, many, service_states
from registry.text.safe_text import visible_line
from tui.keyboard.commands import BESIDE, bindings
from tui.keyboard.key_bar import KeyBar
from tui.oncall.accounts_bar import AccountsBar, OtherAccounts
from tui.oncall.feed_panel import FeedList
from tui.oncall.incidents_panel import IncidentDetail, IncidentList
from tui.oncall.memory import memory_file, store_settings, stored_settings
from tui.oncall.next_hour import HourList, in_short
from tui.oncall.panel import Heading
from tui.oncall.past import PastBar, freshness_or_past
from tui.oncall.past_actions import PastActions
from tui.oncall.pieces import PieceList
from tui.oncall.policy_panel import PolicyList
from tui.oncall.services_panel import ServiceList
from tui.oncall.verdict_bar import VerdictBar, VerdictLine
from tui.oncall.watching import Watching
from tui.session import Session
from tui.state.settings import key_of
from tui.terminal.desktop_notification import has_desktop, shown_by_desktop
from tui.terminal.drivers import OnTerminal
from tui.terminal.terminal_notification import notification
from tui.widgets.mode_labels import reach_of
from tui.widgets.text_line import Line as TypedLine

_WIDE, _WALL, _LOW = 120, 180, 34


class OncallScreen(PastActions):
    """The dashboard.

    Args:
        session: connections and catalogue, once they are ready.
        every: seconds between two refreshes.
        replay: a recording to show in place of an account; no calls are made then.
        on_alarm: run when the board rings, also while the bell is off.
        accounts: the names of all accounts, if there are several; the first one is in the panels.
    """

    BINDINGS = [*bindings("oncall"), *bindings(also=BESIDE["oncall"])]
    AUTO_FOCUS = "#incident-list"

    DEFAULT_CSS = """
    OncallScreen {
        layout: vertical;
        background: $background;
        #oncall { height: 1fr; layout: vertical; }
        #incidents { height: 1fr; }
        #policies { height: 6; }
        #hour { height: 4; }
        #feed { height: 3; }
        #services { height: 1; }
        &.-low IncidentDetail { height: 3; }
        &.-low #policies, &.-low #hour, &.-low #feed { height: 1; }
        #policies.-here, #hour.-here, #feed.-here, #services.-here { height: 10; }
        #oncall-filter { display: none; height: 1; padding: 0 1; background: $surface; }
        #oncall-filter.-open { display: block; }
        &.-wide #oncall { layout: grid; grid-size: 2 4; grid-columns: 1fr 1fr; grid-rows: 21fr 6fr 5fr 5fr; grid-gutter: 0 2; }
        &.-wide #policies, &.-wide #hour, &.-wide #feed, &.-wide #services { height: 100%; }
        &.-wide #incidents { column-span: 2; height: 100%; }
        &.-wide #policies { row-span: 3; }
        &.-wall #oncall { grid-size: 3 3; grid-columns: 13fr 4fr 4fr; grid-rows: 2fr 1fr 1fr; }
        &.-wall #incidents { column-span: 1; row-span: 2; }
        &.-wall #policies { row-span: 3; }
        &.-wall #services { row-span: 2; }
        &.-wall VerdictBar #big { display: block; }
        &.-zoomed #oncall { layout: vertical; }
        &.-zoomed .part { display: none; height: 1fr; }
        &.-zoomed .part.-here { display: block; }
    }
    """

    def __init__(
        self,
        session: Session,
        every: float = 15.0,
        replay: Replay | None = None,
        on_alarm: AlarmCommand | None = None,
        accounts: Sequence[str] = (),
    ) -> None:
        super().__init__()
        self.session = session
        self.alarm_on = False
        self._every = every
        self._connection = self._wanted = ""
        self._facts_changed = asyncio.Event()
        self._finished = False
        self._clock = SkewedClock(session.clock)
        self.file = replay
        self.calls: Call | None = None
        self._on_alarm = on_alarm
        self.others = OtherAccounts(self._other_account, accounts)
        self.recorder = Recorder(None, RecordedBy("", ""))
        self.watching = self.live = self._new_watching()

    def compose(self) -> ComposeResult:
        """All panels; empty until something is read."""
        yield PastBar()
        yield AccountsBar()
        yield VerdictBar()
        with Container(id="oncall"):
            with Vertical(id="incidents", classes="part -here"):
                yield Heading("Incidents")
                yield IncidentList(self.watching)
                yield IncidentDetail()
            with Vertical(id="policies", classes="part"):
                yield Heading("On call")
                yield PolicyList(self.watching)
            with Vertical(id="hour", classes="part"):
                yield Heading("Next hour")
                yield HourList(self.watching, id="hour-list")
            with Vertical(id="services", classes="part"):
                yield Heading("Services")
                yield ServiceList(self.watching)
            with Vertical(id="feed", classes="part"):
                yield Heading("Log")
                yield FeedList(self.watching)
        yield TypedLine(
            placeholder="Filter: words, service:checkout, assignee:kenji, created>-2h …", id="oncall-filter", compact=True
        )
        yield KeyBar()

    def on_mount(self) -> None:
        """Start to watch."""
        self.show()
        self._rebuild_when_changed()
        self.set_interval(1.0, self.tick)
        if self.file is not None:
            self.run_worker(self.show_past(self.file, 0), group="oncall past", exit_on_error=False)
        else:
            self._begin()

    def on_resize(self, event: events.Resize) -> None:
        """Lay out the panels side by side if there is room."""
        self.set_class(event.size.width >= _WIDE, "-wide")
        self.set_class(event.size.width >= _WALL, "-wall")
        self.set_class(event.size.width < _WIDE and event.size.height < _LOW, "-low")
        self.call_after_refresh(self.show)

    def on_screen_suspend(self) -> None:
        """Another screen opened in front."""
        self.query_one(KeyBar).refresh()

    def on_screen_resume(self) -> None:
        """The screen in front closed."""
        self.query_one(KeyBar).refresh()
        self.tick()

    # Watching

    def _new_watching(self) -> Watching:
        async def not_ready(*_: object) -> None:
            raise AssertionError("the session comes first")

        return Watching(not_ready, self._clock, lambda: None, self._every)  # type: ignore[arg-type]

    @work(group="oncall begin", exclusive=True, exit_on_error=False)
    async def _begin(self) -> None:
        """Watch the account in use for the toolkit."""
        await self.session.ready()
        connection = self.session.connection(TOOLKIT)
        self._wanted = connection.name
        kept = await asyncio.to_thread(stored_settings, memory_file(self.session.environment), connection.name)
        # No await from here on: the account and its watch must change together.
        again, self._connection = connection.name == self._connection, connection.name
        self._finished = False
        call = self.session.engine.refreshing(lambda: connection)
        scope = self.live.scope
        self._clock = self._clock if again else SkewedClock(self.session.clock)
        self.calls = call
        live = Watching(call, self._clock, self._facts_changed.set, self._every)
        mode = connection.endpoint(TOOLKIT).mode
        self.recorder = Recorder(recordings_folder(self.session.environment), RecordedBy(connection.name, mode))
        teams, zone = kept.get("teams"), kept.get("zone")
        if again:
            live.scope = scope
        elif isinstance(teams, list):
            live.narrow(teams=frozenset(str(one) for one in teams))
        if zone in ("profile", "here", "UTC"):
            live.zone_name = zone
        self.alarm_on = kept.get("alarm") is True
        self.live = live
        self.others.watch(connection.name, self._ring_other, self._command_failed)
        self.change_watch(live)
        self._refresh_facts()

    def change_watch(self, watching: Watching) -> None:
        """Show another watch in every panel."""
        self.watching = watching
        for part in self.walk_children(PieceList):
            part.watch_over(watching)  # type: ignore[attr-defined]
        self.show()

    def remember(self) -> None:
        """Save scope, zone and alarm for the next run."""
        teams = sorted(self.watching.scope.teams)
        self._write_down({"teams": teams, "zone": self.watching.zone_name, "alarm": self.alarm_on})

    @work(group="oncall memory", exit_on_error=False)
    async def _write_down(self, values: dict[str, object]) -> None:
        file = memory_file(self.session.environment)
        if not await asyncio.to_thread(store_settings, file, self._connection, values):
            self.say("This choice could not be saved. It lasts until you quit.")

    @work(group="oncall refresh", exclusive=True, exit_on_error=False)
    async def _refresh_facts(self) -> None:
        watching = self.live
        await watching.refresher.refresh()
        if watching is not self.live:
            return
        if self._clock.correct(watching.refresher.gap):
            self._begin()
        else:
            self._finished = True
            self._facts_changed.set()

    @work(group="oncall board", exclusive=True, exit_on_error=False)
    async def _rebuild_when_changed(self) -> None:
        """Build the board again whenever facts have changed; several changes at once make one board."""
        while True:
            await self._facts_changed.wait()
            self._facts_changed.clear()
            finished, self._finished = self._finished, False
            live = self.live
            self.ring(await live.rebuild(finished=finished))
            if finished:
                await asyncio.to_thread(self.recorder.record, live.refresher.facts, live.board.now, live.interval)
            self.show()

    def refresh_now(self) -> None:
        """Read again now, unless a refresh is running."""
        if self._connection and not self.live.refresher.under_way:
            self._refresh_facts()

    def tick(self) -> None:
        """Update the clocks each second, and start a refresh that is due."""
        if not self._connection:
            return
        if (name := self.session.connection(TOOLKIT).name) != self._connection:
            if name != self._wanted:
                self._begin()
            return
        if self.live.refresher.wait() <= 0:
            self.refresh_now()
        if self.live.refresher.facts is not self.live.board.facts:
            self._facts_changed.set()  # parts were read again, and say nothing new
        self.ring(self.live.stale_alarms())
        if self.is_current:
            self.show_clocks()
            if self.others.names:
                self._show_accounts()

    def ring(self, alarms: list[Alarm]) -> None:
        """Run the alarm command; bell and notification if the alarm is on."""
        if alarms and self._on_alarm is not None:
            self._on_alarm.tell = self._command_failed
            self._on_alarm.ring(Ring(self._connection, self._verdict_words(), self.live.clock(), tuple(alarms)))
        if not alarms or not self.alarm_on:
            return
        self.app.bell()
        words = alarms[0].words + (f" (and {len(alarms) - 1} more)" if len(alarms) > 1 else "")
        if has_desktop(self.session.environment):
            self._notify(words)
        else:
            self.write_to_terminal(notification(words, self.session.environment))
        self.app.notify(words, title="Alarm", severity="warning", markup=False)

    def _ring_other(self, ring: Ring) -> None:
        """Ring for an account that is not in the panels."""
        if self._on_alarm is not None:
            self._on_alarm.tell = self._command_failed
            self._on_alarm.ring(ring)
        if self.alarm_on:
            self.app.bell()
            words = f"{visible_line(ring.account)}: {ring.alarms[0].words}"
            self.app.notify(words, title="Alarm", severity="warning", markup=False)

    def _other_account(self, name: str) -> Account:
        connection = self.session.connections[name]
        mode = connection.endpoint(TOOLKIT).mode
        call = self.session.engine.refreshing(lambda: connection)
        folder = recordings_folder(self.session.environment)
        return Account(name, mode, call, self._every, folder, self.session.clock)

    @work(group="oncall accounts", exclusive=True, exit_on_error=False)
    async def _show_accounts(self) -> None:
        board, interval = self.live.board, self.live.interval
        connection = self.session.connections.get(self._connection)
        mode = connection.endpoint(TOOLKIT).mode if connection is not None else ""
        own = AccountView(self._connection, mode, replace(board, now=self.live.clock()), interval)
        views = [own, *await self.others.views()]
        self.query_one(AccountsBar).show(views, self._connection, key_of(self.app, "board_account"))

    def action_next_account(self) -> None:
        """Show the next account in the panels."""
        self.session.chosen[TOOLKIT] = self.others.next_to(self._connection)
        self.tick()

    def _verdict_words(self) -> str:
        return headline(self.live.board, self.live.clock(), self.live.interval, self.live.zone).words

    def _command_failed(self, words: str) -> None:
        self.app.notify(visible_line(words), title="Alarm command", severity="error", markup=False)

    async def on_unmount(self) -> None:
        """End the alarm command, and stop reading other accounts."""
        await self.others.aclose()
        if self._on_alarm is not None:
            await self._on_alarm.aclose()

    @work(group="oncall notice", exit_on_error=False)
    async def _notify(self, words: str) -> None:
        """Notify by the desktop, or by the terminal if that does not work."""
        if not await shown_by_desktop(words):
            self.write_to_terminal(notification(words, self.session.environment))

    def write_to_terminal(self, sequence: str) -> None:
        """Write an escape sequence to the terminal."""
        assert isinstance(self.app, OnTerminal)
        self.app.write_to_terminal(sequence)

    # Showing

    def show(self) -> None:
        """Show the present board."""
        if not self.is_mounted:
            return
        self.query_one(IncidentList).show()
        self.query_one(FeedList).show()
        self.query_one(ServiceList).show()
        self.query_one(HourList).show()
        self.show_clocks()

    def show_clocks(self) -> None:
        """Update clocks and ages."""
        self.query_one(PastBar).show(self.watching, self._clock(), self.past_keys, playing=self.playing)
        # That of the data on screen: another one may have been chosen, and a recording or an unread account has none.
        connection = self.session.connections.get(self._connection)
        reaches = reach_of(connection.name, connection.endpoint(TOOLKIT).mode) if connection is not None else ""
        ends = soon(self.session.engine.ending(connection, TOOLKIT), self._clock()) if connection is not None else ""
        ends = ends and f"{ends}: {key_of(self.app, 'connections')}, s"
        self.query_one(VerdictBar).show(self.watching, reaches, ends or self._clock.words)
        self._headings()
        self._dim()
        self.query_one(IncidentList).refresh_changed()
        self._follow_cursor()

    @on(IncidentList.Moved)
    def _follow_cursor(self) -> None:
        """Show the incident at the cursor, and who is on call for it."""
        incidents = self.query_one(IncidentList)
        row = incidents.row
        self.query_one(IncidentDetail).show(row, self.watching, dimmed=incidents.dimmed)
        self.query_one(PolicyList).show(row.incident.policy.id if row is not None else "")

    def _headings(self) -> None:
        watching, board = self.watching, self.watching.board
        now, zone = watching.clock(), watching.zone
        for name, id_ in _PARTS.items():
            read = board.facts.panel(name)
            left: Line = []
            match name:
                case "incidents":
                    left = [Piece(f" {amount(len(board.rows), read)}" if read.at else "", "strong"), *self.scope_words()]
                    left.append(Piece(" · read-only", "quiet"))
                    if read.since is not None:
                        left.append(Piece(f" · created since {_day(read.since, zone)}", "quiet"))
                    if watching.out_of_order and watching.grouping is None:
                        left.append(Piece(f" · {key_of(self.app, 'board_sort')} to sort", "warn"))
                case "on call":
                    gaps = sum(len(on_call.uncovered) for on_call in board.policies)
                    policies = "1 policy" if len(board.policies) == 1 else f"{len(board.policies)} policies"
                    left = [Piece(f" {policies}", "quiet")] if read.at else []
                    left += [Piece(f" · {many(gaps, 'level')} uncovered", "bad")] if gaps else []
                case "log":
                    left = [Piece(f" {clock(now, zone).partition(' ')[2]}", "quiet")]
                    if board.facts.log_since is not None:
                        left.append(Piece(f" · all since {when(board.facts.log_since, zone, now)}", "quiet"))
                case "services":
                    states = service_states(board.verdict.states)
                    left = [Piece(f" {amount(len(board.services), read)}  ", "quiet"), *states] if read.at else []
            if watching.refresher.under_way and read.at is None and read.trouble is None:
                right: Line = [Piece("loading…", "warn")]
            else:
                right = freshness_or_past(watching, freshness(read, now, watching.interval))
                if watching.slowed and name == "incidents":
                    right = [Piece(f"refresh every {watching.interval:.0f} s · ", "warn"), *right]
            if not read.complete and read.at is not None and name != "log":
                right = [Piece(f"first {read.items} only, more exist · ", "warn"), *right]
            self.query_one(f"#{id_} Heading", Heading).tell(left, right)
        hour: Line = [Piece(f" · {in_short(watching.forecast, board)}", "quiet")]
        self.query_one("#hour Heading", Heading).tell(hour, freshness_or_past(watching, []))

    def scope_words(self) -> Line:
        """The scope in words, and whether the alarm is on."""
        scope, board = self.watching.scope, self.watching.board
        names = {team.id: team.name for team in board.facts.teams}
        words = [visible_line(", ".join(names.get(id_, id_) for id_ in sorted(scope.teams))) if scope.teams else "all teams"]
        words += ["mine"] if scope.mine else []
        words += [f"{scope.urgency} urgency"] if scope.urgency else []
        if scope.service:
            services = {service.id: service.name for service in board.facts.services}
            words.append(visible_line(services.get(scope.service, scope.service)))
        words += [f"“{visible_line(scope.text)}”"] if scope.text else []
        tone = "quiet" if scope.everything else "mine"
        return [Piece(f" · {' · '.join(words)}", tone), *([] if not self.alarm_on else [Piece(" · alarm on", "quiet")])]  # type: ignore[arg-type]

    def _dim(self) -> None:
        """Dim the panels whose data is stale."""
        now, interval = self.watching.clock(), self.watching.interval
        for name, id_ in _PARTS.items():
            read = self.watching.board.facts.panel(name)
            part = self.query_one(f"#{id_}").query_one(PieceList)
            dimmed = read.at is not None and stale(read, now, interval)
            if part.dimmed != dimmed:
                part.dimmed = dimmed
                part.refresh()

    def say(self, words: str, colour: str = "$text-warning") -> None:
        """Show a short message in the key bar."""
        self.query_one(KeyBar).say(Content.styled(f" {words}", f"bold {colour}"))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable "next account" if there is only one."""
        return super().check_action(action, parameters) and (action != "next_account" or len(self.others.names) > 1)

    def action_leave(self) -> None:
        """Step back: from the past to the present, otherwise as in the present."""
        if not self.leave_past():
            super().action_leave()

    # Moving

    def on_key(self) -> None:
        """Keep the order of rows while keys are pressed."""
        self.watching.touched()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Mark the panel with the focus."""
        if isinstance(event.widget, VerdictLine):
            for heading in self.walk_children(Heading):
                heading.here = False
        for node in event.widget.ancestors_with_self:
            if isinstance(node, Widget) and node.has_class("part"):
                for part in self.query(".part"):
                    part.set_class(part is node, "-here")
                    part.query_one(Heading).here = part is node


_PARTS: dict[PanelName, str] = {"incidents": "incidents", "on call": "policies", "log": "feed", "services": "services"}
assert set(_PARTS) == set(PANELS)


def _day(moment: float, zone: object) -> str:
    assert isinstance(zone, tzinfo)
    at = datetime.fromtimestamp(moment, zone)
    return f"{at.day} {at:%b %Y}"
