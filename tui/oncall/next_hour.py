"""The next hour: an axis of 60 minutes, a line for each person paged if nobody acts, and a line for each page."""

from collections.abc import Sequence
from datetime import datetime, tzinfo

from registry.oncall.board import Board
from registry.oncall.clocks import MOST_EVERY, clock, countdown, second
from registry.oncall.evidence import evidence
from registry.oncall.forecast import Forecast, Paged, PendingPage
from registry.oncall.model import Ref
from registry.oncall.words import ONE_OF, Line, Piece, Tone, many, name_of, names, short_names, some_of, zone_of
from registry.text.safe_text import visible_line
from tui.oncall.pieces import PieceList, cell

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


def in_short(made: Forecast, board: Board, now: float) -> Line:
    """How many people are paged, and who first: ``13 people paged if nobody acts``, ``, first Hana Kim in 0:14``."""
    if board.facts.panel("incidents").at is None:
        return [Piece(" · not loaded yet", "quiet")]
    people = len({ref.id for one in made.paged for ref in one.people[:1]})
    more = "+" if board.verdict.more else ""
    sure = "" if evidence(board, board.now, MOST_EVERY).trusted else ", not certain"
    some = "" if board.scope.everything else " on those shown"
    said = Piece(f" · {people}{more} {'person' if people == 1 else 'people'} paged if nobody acts{some}{sure}", "quiet")
    first = next((page for page in made.pages if page.people), None)
    return [said, *([Piece(f", first {_who(first, board.me)} in {countdown(first.at, now)}", "quiet")] if first else [])]


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
                    bar = cell(marks(pages, made, room), room, tone)
                    lines.append(([cell(f" {name}", head, tone), bar, Piece(f" {len(pages)}", tone)], pages[0]))
            lines.append(([Piece("── Every page ".ljust(width, "─"), "quiet")], None))
            lines += [(self._page(page, width), page) for page in made.pages]
        elif self.watching.board.facts.panel("incidents").at is not None:
            unsure = f" Unknown for {many(made.unsure, 'incident')}." if made.unsure else ""
            lines.append(([Piece(" If nobody acts, nobody is paged in the next hour."), Piece(unsure, "warn")], None))
        self.rows = lines
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
        who = short_names(one.people, me, name) if single else some_of(one.people, one.pages[0].one_of)
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

    def drawn(self, row: tuple[Line, PendingPage | None], width: int) -> Line:
        return row[0]

    def on_resize(self) -> None:
        super().on_resize()
        self.show()
