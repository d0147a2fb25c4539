"""The dashboard's screen without its keys: verdict and own duty at the top, then incidents, who is on call, the log, services.

It reads its account again and again, rings, records, and remembers its settings. Clocks update each second without a request.
Behind a page or a dialog it goes on; once it is closed it reads only for its alarm. The panels are side by side from 120
columns on.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, tzinfo
from typing import Any

from textual import events, on, work
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.screen import Screen
from textual.widget import Widget

from registry.accounts.memory import soon
from registry.calling.result import Result
from registry.oncall.account import Account, AccountView
from registry.oncall.alarms import Alarm, AlarmCommand, Ring
from registry.oncall.evidence import stale
from registry.oncall.facts import PanelName
from registry.oncall.headline import headline
from registry.oncall.model import TOOLKIT, clock, when
from registry.oncall.recording import recordings_folder, state_folder
from registry.oncall.words import Line, Piece, amount, freshness, many, service_states
from registry.text.shown import visible_line
from tui.keyboard.key_bar import KeyBar, WithKeyBar
from tui.oncall.incidents_panel import IncidentDetail, IncidentList
from tui.oncall.panels import FeedList, Heading, HourList, PolicyList, ServiceList, in_short
from tui.oncall.pieces import PieceList
from tui.oncall.verdict_bar import AccountsBar, OtherAccounts, PastBar, VerdictBar, VerdictLine
from tui.oncall.watching import PastWatching, Watching, freshness_or_past
from tui.session import Session
from tui.state.json_store import JsonStore
from tui.state.settings import key_of
from tui.terminal.drivers import OnTerminal
from tui.terminal.external_programs import has_desktop, notification, shown_by_desktop
from tui.widgets.texts import Line as TypedLine
from tui.widgets.texts import reach_of

_WIDE, _LOW = 120, 34
_BOARD, _REFRESH = "oncall board", "oncall refresh"
_PARTS: dict[PanelName, str] = {"incidents": "incidents", "on call": "policies", "log": "feed", "services": "services"}


class Display(WithKeyBar, Screen[None]):
    """The panels, and the watch that they show, which is kept up to date.

    Attributes:
        watching: the watch in the panels: the live one, or a moment of the past.
        live: the watch of the present; it continues, and rings, while the past is shown.
        alarm_on: whether bell and notifications are on.

    Args:
        session: accounts and catalogue, once they are ready.
        every: seconds between two refreshes.
        on_alarm: run when the board rings, also while the bell is off.
        accounts: the names of all accounts, if there are several; the first one is in the panels.
    """

    AUTO_FOCUS = "#incident-list"
    help_scope = "oncall"

    DEFAULT_CSS = """
    Display {
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
        &.-zoomed #oncall { layout: vertical; }
        &.-zoomed .part { display: none; }
        &.-zoomed #oncall .part.-here { display: block; height: 1fr; }
    }
    """

    def __init__(
        self, session: Session, every: float = 15.0, on_alarm: AlarmCommand | None = None, accounts: Sequence[str] = ()
    ) -> None:
        super().__init__()
        self.session = session
        self.alarm_on = False
        self.watching = self.live = Watching(Account("", "", _no_call, every, machine=session.clock))
        self.others = OtherAccounts(self._account, accounts)
        self._every = every
        self._wanted = ""
        self._left = False
        self._on_alarm = on_alarm
        if on_alarm is not None:
            on_alarm.tell = self._command_failed
        folder = state_folder(session.environment)
        self._kept = JsonStore[dict[str, Any]](folder / "oncall.json", {}, "Settings of the dashboard") if folder else None

    def compose(self) -> ComposeResult:
        yield PastBar()
        yield AccountsBar()
        yield VerdictBar()
        watching = self.watching
        with Container(id="oncall"):
            yield Vertical(Heading("Incidents"), IncidentList(watching), IncidentDetail(), id="incidents", classes="part -here")
            yield Vertical(Heading("On call"), PolicyList(watching), id="policies", classes="part")
            yield Vertical(Heading("Next hour"), HourList(watching, id="hour-list"), id="hour", classes="part")
            yield Vertical(Heading("Services"), ServiceList(watching), id="services", classes="part")
            yield Vertical(Heading("Log"), FeedList(watching), id="feed", classes="part")
        yield TypedLine(
            placeholder="Filter: words, service:checkout, assignee:kenji, created>-2h …", id="oncall-filter", compact=True
        )
        yield KeyBar()

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.width >= _WIDE, "-wide")
        self.set_class(event.size.width < _WIDE and event.size.height < _LOW, "-low")
        self.call_after_refresh(self.show)

    def zone_about(self, type_: str) -> tzinfo | None:
        """The zone of an object's page: an incident's is that of the dashboard; None for this computer's."""
        return self.watching.zone if type_ == "incident" else None

    @property
    def in_past(self) -> PastWatching | None:
        """The watch of the past; None in the present."""
        return self.watching if isinstance(self.watching, PastWatching) else None

    def change_watch(self, watching: Watching) -> None:
        self.watching = watching
        for part in self.walk_children(PieceList):
            part.watch_over(watching)
        self.show()

    def show(self) -> None:
        if not self.is_mounted:
            return
        for part in self.walk_children(PieceList):
            part.show()
        self.show_clocks()

    def show_clocks(self) -> None:
        """Update everything that changes with time."""
        back, forward, leave = (key_of(self.app, f"board_{name}") for name in ("back", "forward", "leave"))
        keys = f"{back} {forward} step · {leave} {'live' if self.live.account.name else 'ends'}"
        now = self.live.clock()
        self.query_one(PastBar).show(self.in_past, now, keys)
        # That of the data on screen: another one may have been chosen, and a recording or an unread account has none.
        account = self.session.connections.get(self.live.account.name)
        reaches = reach_of(account.name, account.endpoint(TOOLKIT).mode) if account is not None else ""
        ends = soon(self.session.engine.ending(account, TOOLKIT), now) if account is not None else ""
        ends = ends and f"{ends}: {key_of(self.app, 'connections')}, s"
        self.query_one(VerdictBar).show(self.watching, reaches, ends or self.live.account.clock_words)
        self.query_one(IncidentList).refresh_changed()
        self._follow_cursor()

    @on(IncidentList.Moved)
    def _follow_cursor(self) -> None:
        """Say what each panel contains and how old that is, dim what is stale, and show what belongs to the incident."""
        watching = self.watching
        now, interval = watching.clock(), watching.interval
        for name, id_ in _PARTS.items():
            read = watching.board.facts.panel(name)
            right = freshness_or_past(watching, freshness(read, now, interval))
            if watching.refresher.under_way and read.at is None and read.trouble is None:
                right = [Piece("loading…", "warn")]
            elif watching.past is None and interval > watching.refresher.every and name == "incidents":
                right = [Piece(f"refresh every {interval:.0f} s · ", "warn"), *right]
            if not read.complete and read.at is not None and name != "log":
                right = [Piece(f"first {read.items} only, more exist · ", "warn"), *right]
            self.query_one(f"#{id_} Heading", Heading).tell(self._about(name), right)
            part = self.query_one(f"#{id_}").query_one(PieceList)
            dimmed = read.at is not None and stale(read, now, interval)
            if part.dimmed != dimmed:
                part.dimmed = dimmed
                part.refresh()
        self.query_one("#hour Heading", Heading).tell(
            in_short(watching.forecast, watching.board, now), freshness_or_past(watching, [])
        )
        incidents = self.query_one(IncidentList)
        row = incidents.row
        self.query_one(IncidentDetail).show(row, watching, dimmed=incidents.dimmed)
        self.query_one(PolicyList).show_for(row.incident.policy.id if row is not None else "")

    def _about(self, name: PanelName) -> Line:
        board, now, zone = self.watching.board, self.watching.clock(), self.watching.zone
        read = board.facts.panel(name)
        if name == "log":
            since = board.facts.log_since
            reach = f" · all since {when(since, zone, now)}" if since is not None else ""
            return [Piece(f" {clock(now, zone).partition(' ')[2]}{reach}", "quiet")]
        if name == "on call":
            gaps = sum(len(on_call.uncovered) for on_call in board.policies)
            count = len(board.policies)
            left = [Piece(f" {count} {'policy' if count == 1 else 'policies'}", "quiet")] if read.at else []
            return [*left, *([Piece(f" · {many(gaps, 'level')} uncovered", "bad")] if gaps else [])]
        if name == "services":
            number = Piece(f" {amount(len(board.services), read)}  ", "quiet")
            return [number, *service_states(board.verdict.states)] if read.at else []
        left = [Piece(f" {amount(len(board.rows), read)}" if read.at else "", "strong")]
        if above := self.query_one(IncidentList).mine_above:
            left.append(Piece(f" · {above} of yours above ▲", "mine"))
        scope = self.watching.scope
        called = {one.id: one.name for one in board.facts.teams} | {one.id: one.name for one in board.facts.services}
        words = [", ".join(called.get(id_, id_) for id_ in sorted(scope.teams)) or "all teams"]
        words += ["mine"] if scope.mine else []
        words += [f"{scope.urgency} urgency"] if scope.urgency else []
        words += [called.get(scope.service, scope.service)] if scope.service else []
        words += [f"“{scope.text}”"] if scope.text else []
        left += [
            Piece(f" · {visible_line(' · '.join(words))}", "quiet" if scope.everything else "mine"),
            Piece(" · alarm on" if self.alarm_on else "", "quiet"),
            Piece(" · read-only", "quiet"),
        ]
        if read.since is not None:
            day = datetime.fromtimestamp(read.since, zone)
            left.append(Piece(f" · created since {day.day} {day:%b %Y}", "quiet"))
        return left

    @property
    def is_open(self) -> bool:
        """Whether it is on the screen, or behind a page or a dialog."""
        return self in self.app.screen_stack

    @property
    def reads(self) -> bool:
        """Whether it goes on reading: while it is open, and for its alarm."""
        return self.is_open or self.alarm_on or self._on_alarm is not None

    def on_screen_suspend(self) -> None:
        """Another screen opened in front, or this one closed: then end reading, or say why it goes on."""
        self._left, front = not self.is_open, self.app.screen
        if self._left and not self.reads:
            self.workers.cancel_group(self, _REFRESH)
            self.run_worker(self.others.aclose(), group="oncall others")
        elif self._left and isinstance(front, WithKeyBar):
            front.say(f"The dashboard is closed and reads on for its alarm; {key_of(self.app, 'oncall')} opens it.")

    def on_screen_resume(self) -> None:
        """The screen in front closed, or this one opened again."""
        self.tick()
        if self._left:
            self._left = False
            self.query_one(IncidentList).opened_again()
            self.show()
            self.refresh_now()
            self._watch_others()

    def _watch_others(self) -> None:
        if name := self.live.account.name:
            self.others.watch(name, self._ring_other, self._command_failed)

    async def on_unmount(self) -> None:
        await self.others.aclose()
        if self._on_alarm is not None:
            await self._on_alarm.aclose()

    def _account(self, name: str) -> Account:
        connection = self.session.connections[name]
        mode = connection.endpoint(TOOLKIT).mode
        board, alarm = (self.session.engine.reading(lambda _: connection, whose) for whose in ("dashboard", "alarm"))
        return Account(
            name,
            mode,
            lambda *asked: (board if self.is_open else alarm)(*asked),
            self._every,
            recordings_folder(self.session.environment),
            self.session.clock,
        )

    @work(group="oncall begin", exclusive=True)
    async def begin(self) -> None:
        await self.session.ready()
        name = self._wanted = self.session.connection(TOOLKIT).name
        if self._kept is not None:
            await asyncio.to_thread(self._kept.load)
        # No await from here on: the account and its watch must change together.
        self.live = Watching(self._account(name))
        kept = self._kept.now.get(name) if self._kept is not None else None
        kept = kept if isinstance(kept, dict) else {}
        teams, zone = kept.get("teams"), kept.get("zone")
        if isinstance(teams, list):
            self.live.narrow(teams=frozenset(str(one) for one in teams))
        if zone in ("profile", "here", "UTC"):
            self.live.zone_name = zone
        self.alarm_on = kept.get("alarm") is True
        self._watch_others()
        self.change_watch(self.live)
        self._refresh_facts()

    @work(group="oncall memory")
    async def remember(self) -> None:
        if (kept := self._kept) is not None:
            watching, name = self.watching, self.live.account.name
            values = {"teams": sorted(watching.scope.teams), "zone": watching.zone_name, "alarm": self.alarm_on}
            kept.change(lambda now: {**now, name: values})
            await asyncio.to_thread(kept.save)
            if notice := kept.notices():
                self.say(notice)

    @work(group=_REFRESH, exclusive=True)
    async def _refresh_facts(self) -> None:
        live = self.live
        await live.account.refresh()
        if live is self.live:
            self._rebuild(finished=True)

    @work(group=_BOARD, exclusive=True)
    async def _rebuild(self, *, finished: bool) -> None:
        """Build the board again, during a refresh from what was read so far."""
        live = self.live
        await live.rebuild(finished=finished)
        self.ring(live.alarms())
        if finished:
            await live.account.record()
        self.show()

    def refresh_now(self) -> None:
        """Read again now, unless a refresh is running."""
        if self.live.account.name and not self.live.refresher.under_way:
            self._refresh_facts()

    def tick(self) -> None:
        """Update the clocks each second, and start a refresh that is due."""
        shown = self.live.account.name
        if not shown or not self.reads:
            return
        if (name := self.session.connection(TOOLKIT).name) != shown:
            if name != self._wanted:
                self.begin()
            return
        if self.live.refresher.wait() <= 0:
            self.refresh_now()
        building = any(worker.group == _BOARD and worker.is_running for worker in self.workers)
        if self.live.refresher.under_way and self.live.facts is not self.live.board.facts and not building:
            self._rebuild(finished=False)
        self.ring(self.live.alarms())
        if self.is_current:
            self.show_clocks()
            if self.others.names:
                self._show_accounts()

    def ring(self, alarms: list[Alarm]) -> None:
        """Run the alarm command; bell and notification if the alarm is on."""
        if not alarms:
            return
        live = self.live
        said = headline(live.board, live.clock(), live.interval, live.zone)
        self._command(Ring(live.account.name, said.words, live.clock(), tuple(alarms)))
        if self.alarm_on:
            words = alarms[0].words + (f" (and {len(alarms) - 1} more)" if len(alarms) > 1 else "")
            self._tell(words)
            self._notify(words)

    @work(group="oncall notice")
    async def _notify(self, words: str) -> None:
        """Notify by the desktop, or by the terminal if there is none, or that does not work."""
        environment = self.session.environment
        if not (has_desktop(environment) and await shown_by_desktop(words)):
            assert isinstance(self.app, OnTerminal)
            self.app.write_to_terminal(notification(words, environment))

    def _ring_other(self, ring: Ring) -> None:
        """Ring for an account that is not in the panels."""
        self._command(ring)
        if self.alarm_on:
            self._tell(f"{visible_line(ring.account)}: {ring.alarms[0].words}")

    def _command(self, ring: Ring) -> None:
        if self._on_alarm is not None:
            self._on_alarm.ring(ring)

    def _tell(self, words: str) -> None:
        self.app.bell()
        self.app.notify(words, title="Alarm", severity="warning")

    def _command_failed(self, words: str) -> None:
        self.app.notify(visible_line(words), title="Alarm command", severity="error")

    @work(group="oncall accounts", exclusive=True)
    async def _show_accounts(self) -> None:
        live = self.live
        own = AccountView(live.account.name, live.account.mode, replace(live.board, now=live.clock()), live.interval)
        self.query_one(AccountsBar).show([own, *await self.others.views()], own.name, key_of(self.app, "board_account"))

    def action_next_account(self) -> None:
        names, shown = self.others.names, self.live.account.name
        self.session.chosen[TOOLKIT] = names[(names.index(shown) + 1) % len(names)] if shown in names else names[0]
        self.tick()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        ancestors: Sequence[object] = event.widget.ancestors_with_self
        here = next((node for node in ancestors if isinstance(node, Widget) and node.has_class("part")), None)
        if here is not None or isinstance(event.widget, VerdictLine):
            self.bring_forward(here)

    def bring_forward(self, panel: Widget | None) -> None:
        """Mark the panel that has the focus, which has more room; without one, the last one keeps its room."""
        for part in self.query(".part"):
            part.query_one(Heading).here = part is panel
            part.set_class(part is panel if panel is not None else part.has_class("-here"), "-here")


async def _no_call(*_: object) -> Result:
    raise AssertionError("the session comes first; for a recording no requests are sent")
