"""The panels beside the incidents: who is on call, the next hour, the services, the log; and the heading of every panel.

The next hour is an axis of 60 minutes, a line for each person paged if nobody acts, and a line for each page.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, tzinfo

from textual import events
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from registry.oncall.board import Board
from registry.oncall.escalation import OnCallLevel, OnCallPolicy
from registry.oncall.evidence import evidence
from registry.oncall.fetch import LOUD
from registry.oncall.forecast import Forecast, Paged, PendingPage
from registry.oncall.model import ACKNOWLEDGED, DUE, MOST_EVERY, Event, Service, clock, countdown, second
from registry.oncall.words import (
    ONE_OF,
    Line,
    Piece,
    Tone,
    level_line,
    many,
    name_of,
    names,
    nothing,
    policy_title,
    short_names,
    some_of,
    zone_of,
)
from registry.text.shown import visible_line
from tui.oncall.pieces import PieceList, cell, content_of, width_of, wrapped
from tui.oncall.watching import Watching

_TONES: dict[str, Tone] = {"critical": "bad", "warning": "warn", "active": "quiet", "disabled": "quiet", "maintenance": "plain"}
_SIGNS = {"critical": "✗", "warning": "!", "active": "✓", "disabled": "–", "maintenance": "⚒"}
_KINDS = {
    "trigger": "TRIGGER",
    "acknowledge": "ack",
    "unacknowledge": "UNACK",
    "escalate": "ESCALATE",
    "repeat_escalation_path": "AGAIN",
    "exhaust_escalation_path": "EXHAUST",
    "notify": "page",
    "annotate": "note",
    "custom_field_value_change": "field",
    "field_value_change": "change",
    "urgency_change": "urgency",
    "reach_trigger_limit": "limit",
    "reach_ack_limit": "limit",
}
_ASSIGNING = ("assign", "delegate", "escalate")
_NIGHT = (22, 7)
_WHY = {
    "escalation": "escalation",
    "repeat": "the policy starts over",
    "ack timeout": "ack times out",
    "snooze ends": "snooze ends",
    "high urgency": "becomes high urgency",
    "nobody": "no level is left",
    "unknown": "unknown who",
}


class Heading(Widget):
    """One line: the panel's name and scope on the left, how old it is on the right, a rule between them."""

    DEFAULT_CSS = """
    Heading { height: 1; width: 100%; color: $border-blurred; }
    """

    ALLOW_SELECT = False

    here: reactive[bool] = reactive(False)
    sides: reactive[tuple[tuple[Piece, ...], tuple[Piece, ...]]] = reactive(((), ()))

    def __init__(self, name: str) -> None:
        super().__init__()
        self._title = name

    def tell(self, left: Line, right: Line) -> None:
        self.sides = tuple(left), tuple(right)

    def render(self) -> Content:
        """The line; if it is too narrow, parts at the left are left out, never the age of the data."""
        left: Line = [Piece(f"▌{self._title}", "mine") if self.here else Piece(f" {self._title}", "strong"), *self.sides[0]]
        right = [Piece(" "), *self.sides[1], Piece(" ")] if self.sides[1] else []
        room = self.size.width - width_of(right)
        while len(left) > 1 and width_of(left) > room - 3:
            left.pop()
        rule = Content(" " + "─" * max(room - width_of(left) - 1, 0))
        return Content.assemble(content_of(left), rule, content_of(right))

    def on_click(self, event: events.Click) -> None:
        event.stop()
        if isinstance(self.parent, Widget):
            next(child for child in self.parent.children if child.can_focus).focus()


class PolicyList(PieceList[tuple[OnCallPolicy, OnCallLevel | None, Line]]):
    """Every policy with its levels, scrolled to the policy of the incident at the cursor."""

    def __init__(self, watching: Watching) -> None:
        super().__init__(watching, id="policy-list")
        self._at = ("", -1)  # the policy that was scrolled to, and its line

    def watch_over(self, watching: Watching) -> None:
        super().watch_over(watching)
        self._at = ("", -1)

    def show_for(self, policy: str) -> None:
        """Show changed levels or clocks; scroll to an incident's policy while the focus is elsewhere."""
        watching, width = self.watching, max(self.scrollable_content_region.width, 20)
        now = watching.clock()
        before = [_place(line) for line in self.rows]
        here = self.here and _place(self.here)
        rows: list[tuple[OnCallPolicy, OnCallLevel | None, Line]] = []
        for on_call in watching.board.policies:
            rows.append((on_call, None, [Piece("▸" if on_call.policy.id == policy else " ", "mine"), *policy_title(on_call)]))
            for one in on_call.levels:
                pieces = [Piece("   "), *level_line(one, now, watching.zone, watching.board.me, watching.board.zones)]
                rows += [(on_call, one, line) for line in wrapped(pieces, width, 6)]
        self.rows, places = rows, [_place(line) for line in rows]
        if places == before:
            self.refresh_changed()
        else:
            self.lines_changed(cursor=places.index(here) if here in places else None)
        top = places.index((policy, 0)) if (policy, 0) in places else 0
        if (policy, top) != self._at and not self.has_focus:
            self._at = policy, top
            self.cursor = top
            # After the scrolling that follows the cursor, so that the policy's name is the first line.
            self.call_later(self.scroll_to, y=top, animate=False, force=True)

    def on_resize(self) -> None:
        (policy, _), self._at = self._at, ("", -1)
        super().on_resize()
        self.show_for(policy)

    def drawn(self, row: tuple[OnCallPolicy, OnCallLevel | None, Line], width: int) -> Line:
        return row[2]

    def without_rows(self) -> Piece:
        return nothing(self.watching.board, "on call", len(self.watching.board.facts.policies), "escalation policies")


def _place(line: tuple[OnCallPolicy, OnCallLevel | None, Line]) -> tuple[str, int]:
    return line[0].policy.id, line[1].number if line[1] else 0


class ServiceList(PieceList[Service]):
    """The services by state, worst first, with the number of open incidents on each."""

    def __init__(self, watching: Watching) -> None:
        super().__init__(watching, id="service-list")
        self._open: Counter[tuple[str, bool]] = Counter()

    def show(self) -> None:
        board = self.watching.board
        self._open = Counter((one.service.id, one.status == ACKNOWLEDGED) for one in board.facts.incidents)
        self.rows = board.services
        self.lines_changed()

    def without_rows(self) -> Piece:
        return nothing(self.watching.board, "services", len(self.watching.board.facts.services), "services")

    def drawn(self, row: Service, width: int) -> Line:
        tone = _TONES.get(row.state, "warn")
        states = 12 if width >= 44 else 9
        counts = ((self._open[row.id, False], "TRIG"), (self._open[row.id, True], "ACK"))
        words = " ".join(f"{count} {word}" for count, word in counts if count)
        # The name gets the width that the counts of its line leave.
        name = max(width - 3 - states - max(len(words) + 1, 2), 10)
        return [
            Piece(f" {_SIGNS.get(row.state, '?')} ", tone),
            cell("ok" if row.state == "active" else visible_line(row.state), states, tone),
            cell(visible_line(row.name), name, "quiet" if row.state == "active" else "plain"),
            Piece(f" {words}"),
        ]


class FeedList(PieceList[Event]):
    """The log of all incidents, newest first."""

    def __init__(self, watching: Watching) -> None:
        super().__init__(watching, id="feed-list")
        self._at = ""
        self._levels: dict[str, str] = {}  # at the entry that assigned an open incident to its present level

    def show(self) -> None:
        board = self.watching.board
        self.rows = board.events
        last = {one.incident.id: one.id for one in reversed(board.events) if one.kind in _ASSIGNING}
        self._levels = {last[row.incident.id]: f"{row.level} " for row in board.rows if row.incident.id in last and row.levels}
        ids = [event.id for event in self.rows] if self.has_focus else []
        self.lines_changed(cursor=ids.index(self._at) if self._at in ids else self.cursor if self.has_focus else 0)
        if not self.has_focus:
            self.scroll_to(y=0, animate=False, force=True)

    def cursor_moved(self) -> None:
        self._at = self.here.id if self.here is not None else ""

    def without_rows(self) -> Piece:
        return nothing(self.watching.board, "log", len(self.watching.board.facts.events), "log entries")

    def drawn(self, row: Event, width: int) -> Line:
        tone: Tone = "warn" if row.kind in LOUD else "good" if row.kind == "resolve" else "quiet"
        said = self._levels.get(row.id, "") + visible_line(row.summary) + (" FAILED" if row.failed else "")
        service = 15 if width > 60 else 12
        return [
            Piece(f" {second(row.at, self.watching.zone)} ", "quiet"),
            cell(_KINDS.get(row.kind, visible_line(row.kind.replace("_", " "))), 9, tone),
            cell(visible_line(row.service.name), service),
            Piece(" "),
            cell(f"{said} · {visible_line(row.incident.name)}" if width > 80 else said, max(width - 20 - service, 10)),
        ]


def in_short(made: Forecast, board: Board, now: float) -> Line:
    """How many people are paged, and who first: ``13 people paged if nobody acts``, ``, first Hana Kim in 0:14``."""
    if board.facts.panel("incidents").at is None:
        return [Piece(" · not loaded yet", "quiet")]
    people = len({ref.id for one in made.paged for ref in one.people[:1]})
    more = "+" if board.verdict.more else ""
    sure = "" if evidence(board, board.now, MOST_EVERY).trusted else ", not certain"
    some = "" if board.scope.everything else " on those shown"
    said = Piece(f" · {people}{more} {'person' if people == 1 else 'people'} paged if nobody acts{some}{sure}", "quiet")
    if (first := next((page for page in made.pages if page.people), None)) is None:
        return [said]
    left = countdown(first.at, now)
    return [said, Piece(f", first {_who(first, board.me)} {'now' if left == DUE else f'in {left}'}", "quiet")]


def axis(made: Forecast, zone: tzinfo, width: int) -> str:
    """The times of the quarters of the hour, above their positions."""
    line = ""
    for quarter in range(4 if width >= 4 * 8 else 1):
        blanks = " " * (quarter * (width - 5) // 4 - len(line))
        line += blanks + clock(made.start + quarter * 900, zone).partition(" ")[0]
    return (line + " " * width)[: width - 5] + clock(made.end, zone).partition(" ")[0]


def marks(pages: Sequence[PendingPage], made: Forecast, width: int) -> str:
    """A mark for each page at its time: ``▪``, or ``■`` for several in one cell."""
    counts = [0] * width
    for page in pages:
        counts[min(int((page.at - made.start) * width / (made.end - made.start)), width - 1)] += 1
    return "".join(" " if not count else "▪" if count == 1 else "■" for count in counts)


def _who(page: PendingPage, me: str) -> str:
    if page.one_of is False:
        return names(page.people, me)
    people = ("you" if one.id == me else name_of(one.name).partition(" ")[0] for one in page.people)
    return f"{ONE_OF[page.one_of]}{', '.join(people)}"


class HourList(PieceList[tuple[Line, PendingPage | None]]):
    """A line for each person, the soonest first; then a line for each page."""

    @property
    def page(self) -> PendingPage | None:
        """The page at the cursor; on a person, the first page."""
        return self.here[1] if self.here is not None else None

    def show(self) -> None:
        width = max(self.scrollable_content_region.width, 30)
        made, zone = self.watching.forecast, self.watching.zone
        lines: list[tuple[Line, PendingPage | None]] = []
        if made.pages:
            head, tail = self._columns(width)
            room = max(width - head - tail, 10)
            lines.append(([Piece(" " * head), Piece(axis(made, zone, room), "quiet")], None))
            lines += [(self._person(one, made, width), one.pages[0]) for one in made.paged]
            others: tuple[tuple[str, Tone, tuple[PendingPage, ...]], ...] = (
                ("nobody left", "bad", made.nobody),
                ("unknown who", "warn", made.unknown),
            )
            for name, tone, pages in others:
                if pages:
                    line = [
                        cell(f" {name}", head, tone),
                        cell(marks(pages, made, room), room, tone),
                        Piece(f" {len(pages)}", tone),
                    ]
                    lines.append((line, pages[0]))
            lines.append(([Piece("── Every page ".ljust(width, "─"), "quiet")], None))
            lines += [(self._page(page, width), page) for page in made.pages]
        elif self.watching.board.facts.panel("incidents").at is not None:
            unsure = f" Unknown for {many(made.unsure, 'incident')}." if made.unsure else ""
            lines.append(([Piece(" If nobody acts, nobody is paged in the next hour."), Piece(unsure, "warn")], None))
        self.rows = lines
        first = next((place for place, (_, page) in enumerate(lines) if page is not None), 0)
        self.lines_changed(cursor=None if self.has_focus and self.page is not None else first)
        if not self.has_focus:
            self.scroll_to(y=0, animate=False, force=True)

    def show_cursor(self) -> None:
        """Keep the cursor visible, with the axis above the first person."""
        if self.cursor <= 1:
            self.scroll_to(y=0, animate=False, force=True)
        else:
            super().show_cursor()

    def on_blur(self) -> None:
        """Start at now again."""
        self.show()

    def _columns(self, width: int) -> tuple[int, int]:
        return (30, 20) if width >= 90 else (28, 14) if width >= 70 else (16, 8)

    def _person(self, one: Paged, made: Forecast, width: int) -> Line:
        head, tail = self._columns(width)
        room = max(width - head - tail, 10)
        me = self.watching.board.me
        single = len(one.people) == 1
        name = 14 if head > 16 else head - 1
        who = short_names(one.people, me, name) if single else some_of(one.people, one.pages[0].one_of)
        line = [Piece(" "), cell(who, name, "mine" if single and one.people[0].id == me else "plain")]
        if head > 16:  # the time of day in the person's zone; as a warning at night
            zone = zone_of(self.watching.board.zones.get(one.people[0].id, "")) if single else None
            hour = datetime.fromtimestamp(made.start, zone).hour
            tone: Tone = "warn" if hour >= _NIGHT[0] or hour < _NIGHT[1] else "quiet"
            line.append(cell(clock(made.start, zone) if zone is not None else "", head - name - 1, tone))
        line.append(cell(marks(one.pages, made, room), room, "warn"))
        holds = f" holds {one.holds}" if one.holds and tail >= 20 else ""
        return [*line, cell(f" {len(one.pages)}{holds}", tail)]

    def _page(self, page: PendingPage, width: int) -> Line:
        one, me = page.row.incident, self.watching.board.me
        who = _who(page, me) if page.people else f"L{page.level} NOBODY" if page.uncovered else _WHY[page.why]
        at = f" {second(page.at, self.watching.zone)}  "
        people = 26 if width >= 90 else 18
        line = [
            Piece(at, "quiet"),
            cell(who, people, "plain" if page.people else "bad"),
            Piece(" "),
            cell(f"L{page.level}" if page.level else "—", 4),
        ]
        reason = cell(_WHY[page.why], 24, "quiet") if width >= 90 else Piece("")
        room = max(width - len(at) - people - 5 - (24 if width >= 90 else 0), 10)
        return [*line, reason, cell(f"{visible_line(one.service.name)}: {visible_line(one.title)}", room)]

    def drawn(self, row: tuple[Line, PendingPage | None], width: int) -> Line:
        return row[0]

    def on_resize(self) -> None:
        super().on_resize()
        self.show()
