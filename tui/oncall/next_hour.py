"""The next hour: an axis of 60 minutes, a line for each person paged if nobody acts, and, on its own screen, every page."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo

from textual.app import ComposeResult
from textual.containers import Vertical

from registry.oncall.board import Board
from registry.oncall.clocks import MOST_EVERY, clock, countdown, second
from registry.oncall.evidence import evidence
from registry.oncall.forecast import Forecast, Paged, PendingPage
from registry.oncall.model import Ref
from registry.oncall.words import Line, Piece, Tone, many, name_of, names, short_names, zone_of
from registry.text.safe_text import visible_line
from tui.dialogs.dialog import Dialog
from tui.oncall.pieces import PieceList, cell, content_of
from tui.oncall.watching import Watching
from tui.widgets.words import Words

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


def summary(made: Forecast, board: Board, me: str, now: float, *, short: bool = False) -> Line:
    """How many people are paged, and who first: ``If nobody acts, 5 people are paged; the first is Dana Wu in 0:48``."""
    if not made.pages:
        return [Piece("If nobody acts, nobody is paged in the next hour."), *_unsure(made, board)]
    first = next((page for page in made.pages if page.people), None)
    who = f"{_people(made)} {'person is' if _people(made) == 1 else 'people are'}"
    said = f"If nobody acts, {who} paged{'' if short else ' in the next hour'}"
    if first is not None:
        said += f"; {'first' if short else 'the first is'} {_who(first, me)} in {countdown(first.at, now)}"
    return [Piece(f"{said}.", "strong"), *_unsure(made, board)]


def _people(made: Forecast) -> int:
    return len({ref.id for one in made.paged for ref in one.people[:1]})


def in_short(made: Forecast, board: Board) -> str:
    """The summary in a few words."""
    if board.facts.panel("incidents").at is None:
        return "not loaded yet"
    people = _people(made)
    more = "+" if board.verdict.more else ""
    sure = "" if evidence(board, board.now, MOST_EVERY).trusted else ", not certain"
    some = "" if board.scope.everything else " on those shown"
    return f"{people}{more} {'person' if people == 1 else 'people'} paged if nobody acts{some}{sure}"


def _unsure(made: Forecast, board: Board) -> Line:
    count = len(made.unknown) + made.unsure
    if board.verdict.more:
        return [Piece(" More may exist: not all incidents were loaded.", "warn")]
    if not evidence(board, board.now, MOST_EVERY).trusted:
        return [Piece(" Incidents are not certain.", "warn")]
    return [Piece(f" Unknown for {many(count, 'incident')}.", "warn")] if count else []


def axis(made: Forecast, zone: tzinfo, width: int) -> str:
    """The times of the quarters of the hour, above their positions."""
    line = ""
    for quarter in range(4 if width >= 4 * 8 else 1):
        place = quarter * (width - 5) // 4
        line += " " * (place - len(line)) + clock(made.start + quarter * 900, zone).partition(" ")[0]
    return (line + " " * width)[: width - 5] + clock(made.end, zone).partition(" ")[0]


def marks(pages: Sequence[PendingPage], made: Forecast, width: int) -> str:
    """A mark for each page at its time: ``▪``, or ``■`` for several in one cell."""
    counts = [0] * width
    for page in pages:
        counts[min(int((page.at - made.start) * width / (made.end - made.start)), width - 1)] += 1
    return "".join(" " if not count else "▪" if count == 1 else "■" for count in counts)


def _who(page: PendingPage, me: str) -> str:
    if not page.one_of:
        return names(page.people, me)
    return f"one of {', '.join('you' if one.id == me else name_of(one.name).partition(' ')[0] for one in page.people)}"


class HourList(PieceList):
    """A line for each person, the soonest first; with `whole`, also a line for each page."""

    def __init__(self, watching: Watching, *, whole: bool = False, id: str) -> None:  # noqa: A002
        super().__init__(watching, id=id)
        self._whole = whole
        self._shown: list[tuple[Line, PendingPage | None]] = []

    @property
    def line_count(self) -> int:
        """How many lines there are; 1 while there are none, for a message."""
        return max(len(self._shown), 1)

    @property
    def page(self) -> PendingPage | None:
        """The page at the cursor; on a person, the first page."""
        return self._shown[self.cursor][1] if self.cursor < len(self._shown) else None

    def show(self) -> None:
        """Show a new forecast."""
        width = max(self.scrollable_content_region.width, 30)
        made, board, me, zone = self.watching.forecast, self.watching.board, self.watching.me, self.watching.zone
        lines: list[tuple[Line, PendingPage | None]] = []
        if not made.pages:
            if board.facts.panel("incidents").at is not None:
                pieces = (piece._replace(words=piece.words.strip()) for piece in summary(made, board, me, board.now))
                lines += [([Piece(" "), piece], None) for piece in pieces]
        else:
            head, tail = self._columns(width)
            room = max(width - head - tail, 10)
            lines.append(([Piece(" " * head), Piece(axis(made, zone, room), "quiet")], None))
            for one in made.paged:
                lines.append((self._person(one, made, width), one.pages[0]))
            others: tuple[tuple[str, Tone, tuple[PendingPage, ...]], ...] = (
                ("nobody left", "bad", made.nobody),
                ("unknown who", "warn", made.unknown),
            )
            for name, tone, pages in others:
                if pages:
                    bar = cell(marks(pages, made, room), room, tone)
                    lines.append(([cell(f" {name}", head, tone), bar, Piece(f" {len(pages)}", tone)], pages[0]))
            if self._whole:
                lines.append(([Piece("─" * width, "quiet")], None))
                lines += [(self._page(page, width), page) for page in made.pages]
        self._shown = lines
        first = next((place for place, (_, page) in enumerate(lines) if page is not None), 0)
        self.lines_changed(cursor=first if self.page is None else None)

    def _columns(self, width: int) -> tuple[int, int]:
        return (30, 20) if width >= 90 else (28, 14) if width >= 70 else (16, 8)

    def _person(self, one: Paged, made: Forecast, width: int) -> Line:
        head, tail = self._columns(width)
        room = max(width - head - tail, 10)
        me = self.watching.me
        single = len(one.people) == 1
        name = 14 if head > 16 else head - 1
        who = short_names(one.people, me, name) if single else f"one of {len(one.people)}"
        line = [Piece(" "), cell(who, name, "mine" if single and one.people[0].id == me else "plain")]
        if head > 16:
            line.append(self._there(one.people[0] if single else None, made.start, head - name - 1))
        line.append(cell(marks(one.pages, made, room), room, "warn"))
        holds = f" holds {one.holds}" if one.holds and tail >= 20 else ""
        return [*line, cell(f" {len(one.pages)}{holds}", tail)]

    def _there(self, person: Ref | None, now: float, width: int) -> Piece:
        """The time of day in a person's zone; as a warning at night."""
        zone = zone_of(self.watching.board.zones.get(person.id, "")) if person is not None else None
        if zone is None:
            return cell("", width)
        hour = datetime.fromtimestamp(now, zone).hour
        return cell(clock(now, zone), width, "warn" if hour >= _NIGHT[0] or hour < _NIGHT[1] else "quiet")

    def _page(self, page: PendingPage, width: int) -> Line:
        one, me = page.row.incident, self.watching.me
        who = _who(page, me) if page.people else f"L{page.level} NOBODY" if page.uncovered else _WHY[page.why]
        at = f" {second(page.at, self.watching.zone)}  "
        people = 26 if width >= 90 else 18
        why = f"L{page.level}" if page.level else "—"
        line = [Piece(at, "quiet"), cell(who, people, "plain" if page.people else "bad"), Piece(" "), cell(why, 4)]
        reason = cell(_WHY[page.why], 24, "quiet") if width >= 90 else Piece("")
        room = max(width - len(at) - people - 5 - (24 if width >= 90 else 0), 10)
        return [*line, reason, cell(f"{visible_line(one.service.name)}: {visible_line(one.title)}", room)]

    def line(self, number: int, width: int) -> Sequence[Piece]:
        """A line."""
        return self._shown[number][0] if number < len(self._shown) else [Piece(" Not loaded yet.", "warn")]

    def on_resize(self) -> None:
        """Draw the axis again for the new width."""
        super().on_resize()
        self.show()


class NextHourScreen(Dialog[str]):
    """Everybody paged in the next hour, and every page. Returns the id of the incident to open, if one was chosen."""

    DEFAULT_CSS = """
    NextHourScreen {
        background: $background;
        #box { width: 100%; max-width: 100%; height: 100%; max-height: 100%; border: none; padding: 0; }
        .line { height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
        #title { background: $surface; }
    }
    """
    BINDINGS = [("enter", "open", "Open")]

    def __init__(self, watching: Watching) -> None:
        super().__init__()
        self._watching = watching
        self._made: Forecast | None = None

    def compose(self) -> ComposeResult:
        """The summary, what it is based on, people and pages, keys."""
        with Vertical(id="box"):
            yield Words(id="title", classes="line")
            yield Words(id="basis", classes="line")
            yield HourList(self._watching, whole=True, id="hour-whole")
            yield self.keys_line(("▪", "one page"), ("■", "more"), ("↑ ↓", "Move"), ("Enter", "Open incident"), ("Esc", "Back"))

    def on_mount(self) -> None:
        """Focus the list of pages, and keep everything as the dashboard knows it."""
        self.tick()
        self.query_one(HourList).focus()
        self.set_interval(1.0, self.tick)

    def tick(self) -> None:
        """Count down, and show the present forecast if there is another one."""
        watching, short = self._watching, self.app.size.width < 100
        made, zone = watching.forecast, watching.zone
        said = summary(made, watching.board, watching.me, watching.clock(), short=short)
        self.query_one("#title", Words).update(content_of(said))
        if made is self._made:
            return
        self._made = made
        words = f"Based on open incidents at {second(made.start, zone)} {clock(made.start, zone).partition(' ')[2]}"
        words += "" if short else ", and each policy's delays"
        words += ". Repeats, snoozes and handoffs are included."
        self.query_one("#basis", Words).update(content_of([Piece(words, "quiet")]))
        self.query_one(HourList).show()

    def action_open(self) -> None:
        """Open the incident of the page at the cursor."""
        page = self.query_one(HourList).page
        if page is not None:
            self.dismiss(page.row.incident.id)
