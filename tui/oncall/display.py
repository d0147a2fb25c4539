"""What the dashboard shows: verdict and own duty at the top, then incidents, who is on call, the log and the services.

Side by side from 120 columns on, one below the other on narrow terminals.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget

from registry.accounts.ending import soon
from registry.calling.result import Result
from registry.oncall.account import Account
from registry.oncall.clocks import clock, when
from registry.oncall.evidence import stale
from registry.oncall.facts import PanelName
from registry.oncall.model import TOOLKIT
from registry.oncall.words import Line, Piece, amount, freshness, many, service_states
from registry.text.safe_text import visible_line
from tui.keyboard.key_bar import KeyBar
from tui.oncall.accounts_bar import AccountsBar
from tui.oncall.incidents_panel import IncidentDetail, IncidentList
from tui.oncall.next_hour import HourList, in_short
from tui.oncall.panels import FeedList, Heading, PolicyList, ServiceList
from tui.oncall.past import PastBar
from tui.oncall.pieces import PieceList
from tui.oncall.verdict_bar import VerdictBar, VerdictLine
from tui.oncall.watching import PastWatching, Watching, freshness_or_past
from tui.session import Session
from tui.state.settings import key_of
from tui.widgets.mode_labels import reach_of
from tui.widgets.text_line import Line as TypedLine

_WIDE, _LOW = 120, 34
_PARTS: dict[PanelName, str] = {"incidents": "incidents", "on call": "policies", "log": "feed", "services": "services"}


class Display(Screen[None]):
    """The panels, and a watch that they show.

    Attributes:
        session: accounts and catalogue, once they are ready.
        watching: the watch in the panels: the live one, or a moment of the past.
        live: the watch of the present; it continues, and rings, while the past is shown.
        alarm_on: whether bell and notifications are on.
    """

    AUTO_FOCUS = "#incident-list"

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
        &.-zoomed .part { display: none; height: 1fr; }
        &.-zoomed .part.-here { display: block; }
    }
    """

    def __init__(self, session: Session, every: float) -> None:
        super().__init__()
        self.session = session
        self.alarm_on = False
        self.watching = self.live = Watching(Account("", "", _no_call, every, machine=session.clock))

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

    def on_resize(self, event: events.Resize) -> None:
        """Lay out the panels side by side if there is room."""
        self.set_class(event.size.width >= _WIDE, "-wide")
        self.set_class(event.size.width < _WIDE and event.size.height < _LOW, "-low")
        self.call_after_refresh(self.show)

    @property
    def zone(self) -> tzinfo:
        """The zone in which times are shown, also on pages opened from here."""
        return self.watching.zone

    @property
    def in_past(self) -> PastWatching | None:
        """The watch of the past; None in the present."""
        return self.watching if isinstance(self.watching, PastWatching) else None

    def change_watch(self, watching: Watching) -> None:
        """Show another watch in every panel."""
        self.watching = watching
        for part in self.walk_children(PieceList):
            part.watch_over(watching)
        self.show()

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
        self.query_one(VerdictBar).show(self.watching, reaches, ends or self.live.account.clock.words)
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
        self.query_one(PolicyList).show_for(row.incident.policy.id if row is not None else "")

    def _headings(self) -> None:
        watching = self.watching
        for name, id_ in _PARTS.items():
            read = watching.board.facts.panel(name)
            right = freshness_or_past(watching, freshness(read, watching.clock(), watching.interval))
            if watching.refresher.under_way and read.at is None and read.trouble is None:
                right = [Piece("loading…", "warn")]
            elif watching.past is None and watching.refresher.slowed and name == "incidents":
                right = [Piece(f"refresh every {watching.interval:.0f} s · ", "warn"), *right]
            if not read.complete and read.at is not None and name != "log":
                right = [Piece(f"first {read.items} only, more exist · ", "warn"), *right]
            self.query_one(f"#{id_} Heading", Heading).tell(self._about(name), right)
        hour: Line = [Piece(f" · {in_short(watching.forecast, watching.board)}", "quiet")]
        self.query_one("#hour Heading", Heading).tell(hour, freshness_or_past(watching, []))

    def _about(self, name: PanelName) -> Line:
        """What a panel contains."""
        board, now, zone = self.watching.board, self.watching.clock(), self.watching.zone
        read = board.facts.panel(name)
        if name == "log":
            since = board.facts.log_since
            reach = f" · all since {when(since, zone, now)}" if since is not None else ""
            return [Piece(f" {clock(now, zone).partition(' ')[2]}{reach}", "quiet")]
        if name == "on call":
            gaps = sum(len(on_call.uncovered) for on_call in board.policies)
            policies = "1 policy" if len(board.policies) == 1 else f"{len(board.policies)} policies"
            left = [Piece(f" {policies}", "quiet")] if read.at else []
            return [*left, *([Piece(f" · {many(gaps, 'level')} uncovered", "bad")] if gaps else [])]
        if name == "services":
            states = service_states(board.verdict.states)
            return [Piece(f" {amount(len(board.services), read)}  ", "quiet"), *states] if read.at else []
        left = [Piece(f" {amount(len(board.rows), read)}" if read.at else "", "strong"), *self._scope_words()]
        left.append(Piece(" · read-only", "quiet"))
        if read.since is not None:
            day = datetime.fromtimestamp(read.since, zone)
            left.append(Piece(f" · created since {day.day} {day:%b %Y}", "quiet"))
        return left

    def _scope_words(self) -> Line:
        """The scope in words, and whether the alarm is on."""
        scope, facts = self.watching.scope, self.watching.board.facts
        names = dict([(one.id, one.name) for one in facts.teams] + [(one.id, one.name) for one in facts.services])
        words = [", ".join(names.get(id_, id_) for id_ in sorted(scope.teams)) or "all teams"]
        words += ["mine"] if scope.mine else []
        words += [f"{scope.urgency} urgency"] if scope.urgency else []
        words += [names.get(scope.service, scope.service)] if scope.service else []
        words += [f"“{scope.text}”"] if scope.text else []
        line = [Piece(f" · {visible_line(' · '.join(words))}", "quiet" if scope.everything else "mine")]
        return [*line, Piece(" · alarm on" if self.alarm_on else "", "quiet")]

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

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Mark the panel with the focus."""
        ancestors: Sequence[object] = event.widget.ancestors_with_self
        here = next((node for node in ancestors if isinstance(node, Widget) and node.has_class("part")), None)
        if here is not None or isinstance(event.widget, VerdictLine):
            for part in self.query(".part"):
                part.query_one(Heading).here = part is here
                part.set_class(part is here if here is not None else part.has_class("-here"), "-here")


async def _no_call(*_: object) -> Result:
    raise AssertionError("the session comes first; for a recording no requests are sent")
