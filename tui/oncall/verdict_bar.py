"""What must never scroll away: the verdict, and my own duty. On a wall, the counts in letters to be read across the room."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Digits, Static

from registry.oncall.board import Board, IncidentRow
from registry.oncall.clocks import clock
from registry.oncall.model import NOWHERE, CallSource
from registry.oncall.words import (
    Line,
    Piece,
    Tone,
    amount,
    my_duty,
    next_clock,
    next_tone,
    next_words,
    stale,
    verdict,
    zone_of,
)
from tui.oncall.past import past_words
from tui.oncall.pieces import content_of, width_of
from tui.oncall.watching import Watching


class BigCount(Vertical):
    """A number in large letters with its word below."""

    DEFAULT_CSS = """
    BigCount { width: auto; height: 4; padding: 0 3 0 1; }
    BigCount Digits { width: auto; text-style: bold; }
    BigCount Static { width: auto; }
    BigCount.-bad { color: $text-error; }
    BigCount.-warn { color: $text-warning; }
    BigCount.-good { color: $text-success; }
    BigCount.-mine { color: $text-accent; }
    BigCount.-quiet { color: $foreground-muted; }
    """

    def compose(self) -> ComposeResult:
        """Number and word."""
        yield Digits("")
        yield Static()

    def show(self, number: str, word: str, tone: Tone) -> None:
        """Show a number."""
        self.query_one(Digits).update(number)
        self.query_one(Static).update(Content(word))
        self.set_classes(f"-{tone}")


class Told(Static, can_focus=True):
    """One of the two lines; it takes the keyboard, because a call stands behind it as behind everything else."""

    ALLOW_SELECT = False

    def on_click(self) -> None:
        """The mouse brings the keyboard here."""
        self.focus()


def source_of(line: Told, board: Board) -> CallSource:
    """The call that a line came with: the incidents that were counted, or who is on call; without a duty, who I am."""
    if line.id == "verdict":
        return next(iter(board.facts.panel("incidents").calls), NOWHERE)
    if board.mine.duties:
        return board.mine.duties[0].source
    return board.mine.me.source if board.mine.me is not None else NOWHERE


class VerdictBar(Vertical):
    """Two lines; above them, on a wall, large numbers."""

    DEFAULT_CSS = """
    VerdictBar { height: auto; background: $surface; padding: 0 1; }
    VerdictBar #big { height: 4; display: none; margin: 0 0 1 0; }
    VerdictBar .told { height: 1; text-wrap: nowrap; text-overflow: ellipsis; }
    VerdictBar .told:focus { background: $block-cursor-blurred-background; text-style: underline; }
    """

    def compose(self) -> ComposeResult:
        """Large numbers, the verdict, my duty."""
        with Horizontal(id="big"):
            for name in ("triggered", "acknowledged", "mine", "next", "critical", "time"):
                yield BigCount(id=f"big-{name}")
        yield Told(id="verdict", classes="told")
        yield Told(id="duty", classes="told")

    def show(self, watching: Watching, reaches: str, wrong: str) -> None:
        """Tell how things stand now; `reaches` says what the connection is, in a word, `wrong` what is with the clock."""
        board, now, zone = watching.board, watching.clock(), watching.zone
        width = max(self.size.width - 2, 40)
        read = board.facts.panel("services")
        critical = board.verdict.states.get("critical", 0)
        services: Line = []
        if read.at is not None:
            many = f"{critical or 'no'} {'services' if critical > 1 else 'service'} critical"
            told = Piece(many, "bad" if critical else "quiet")
            services = [Piece(f"{board.verdict.states.get('warning', 0)} warning  ", "quiet"), told]
        self.query_one("#verdict", Static).update(
            _apart([*past_words(watching), *verdict(board, now, watching.interval)], services, width, keep=0), layout=False
        )
        own = zone_of(board.mine.me.zone) if board.mine.me else None
        times = [Piece(f"{clock(now, zone)}  ", "strong"), Piece(reaches, "good" if reaches == "sandbox" else "warn")]
        if own is not None and clock(now, own) != clock(now, zone):
            times = [Piece(f"yours {clock(now, own)}  ", "quiet"), *times]
        if wrong:
            times.append(Piece(f"  {wrong}", "warn"))
        duty = past_words(watching) + my_duty(board.mine, board.facts, now, zone, short=width < 100)
        self.query_one("#duty", Static).update(_apart(duty, times, width, keep=2 if wrong else 1), layout=False)
        if self.screen.has_class("-wall"):
            self._show_big(watching, now)

    def _show_big(self, watching: Watching, now: float) -> None:
        counts, zone = watching.board.verdict, watching.zone
        read = watching.board.facts.panel("incidents")
        known = read.at is not None
        tone: Tone = "bad" if counts.high else "warn" if counts.triggered else "good" if known else "quiet"
        old = known and stale(read, now, watching.interval)

        def big(name: str, number: str, word: str, tone: Tone) -> None:
            # What is old is no colour across the room, but how old it is.
            self.query_one(f"#big-{name}", BigCount).show(number, word, "quiet" if old and name != "time" else tone)

        big("triggered", amount(counts.triggered, read) if known else "-", "TRIGGERED", tone)
        big("acknowledged", f"{counts.acknowledged}" if known else "-", "ACK", "warn" if counts.acknowledged else "quiet")
        big("mine", f"{counts.mine}" if watching.me else "-", "YOURS", "mine" if counts.mine else "quiet")
        coming = min((row for row in watching.board.rows if _wakes(row)), key=lambda row: row.next.at or now, default=None)
        if coming is not None:
            big(
                "next",
                "0:00" if next_clock(coming, now) == "due" else next_clock(coming, now),
                next_words(coming, watching.me),
                next_tone(coming, now),
            )
        else:
            big("next", "-", "no escalation ahead", "quiet")
        critical = counts.states.get("critical", 0)
        services_known = watching.board.facts.panel("services").at is not None
        big(
            "critical",
            f"{critical}" if services_known else "-",
            "SERVICE CRITICAL" if critical == 1 else "SERVICES CRITICAL",
            "bad" if critical else "quiet",
        )
        time, _, name = clock(now, zone).partition(" ")
        if watching.past is not None:
            big("time", time, f"PAST, {name}", "warn")
        elif old:
            minutes, seconds = divmod(int(now - (read.at or now)), 60)
            big("time", f"{minutes}:{seconds:02}", "STALE", "bad")
        else:
            big("time", time, name, "quiet")


def _wakes(row: IncidentRow) -> bool:
    """Whether a clock runs that will call somebody, or find that nobody is left to call."""
    return row.next.at is not None and row.next.kind in ("level", "again", "nobody")


def _apart(left: Line, right: Line, width: int, *, keep: int) -> Content:
    """Two lines in one, as far apart as there is room; of the right one so many of its last pieces stay in any case."""
    while len(right) > keep and width_of(left) + width_of(right) + 2 > width:
        right = right[1:]
    gap = max(width - width_of(left) - width_of(right), 2)
    room = max(width - width_of(right) - gap, 0)
    return Content.assemble(content_of(left).truncate(room, ellipsis=True), Content(" " * gap), content_of(right))
