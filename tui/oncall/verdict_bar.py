"""The lines that never scroll: the verdict with the next escalation, the counts, and my own shift.

The verdict has a filled background, visible from a distance, for unacknowledged incidents of mine and for incomplete data. On
a screen on a wall (180 columns), the counts are above it in large letters.
"""

from __future__ import annotations

from datetime import tzinfo

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Digits

from registry.oncall.board import Board
from registry.oncall.clocks import clock, second
from registry.oncall.evidence import stale
from registry.oncall.headline import Headline, counts_line, headline, mine_more, trust_line
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
    zone_of,
)
from tui.oncall.past import past_mark
from tui.oncall.pieces import content_of, width_of
from tui.oncall.watching import Watching
from tui.widgets.mode_labels import LIVE, MODES
from tui.widgets.words import Words

_FILLED = ("mine", "doubt")


class BigCount(Vertical):
    """A number in large letters with a word below."""

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
        yield Words()

    def show(self, number: str, word: str, tone: Tone) -> None:
        """Show a number."""
        self.query_one(Digits).update(number)
        self.query_one(Words).update(Content(word))
        self.set_classes(f"-{tone}")


class VerdictLine(Words, can_focus=True):
    """One of the lines; it can be focused, to open its call."""

    ALLOW_SELECT = False

    def on_click(self) -> None:
        """Focus the line on a click."""
        self.focus()


def source_of(line: VerdictLine, board: Board) -> CallSource:
    """The call that a line is based on: the counted incidents, or who is on call; without a duty, who I am."""
    if line.id in ("verdict", "counts"):
        return next(iter(board.facts.panel("incidents").calls), NOWHERE)
    if board.mine.duties:
        return board.mine.duties[0].source
    return board.mine.me.source if board.mine.me is not None else NOWHERE


class VerdictBar(Vertical):
    """Three lines; on a screen on a wall, large numbers above them."""

    DEFAULT_CSS = """
    VerdictBar { height: auto; background: $surface; }
    VerdictBar #big { height: 4; display: none; margin: 0 1 1 1; }
    VerdictBar .line { height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
    VerdictBar .line:focus { text-style: underline; }
    VerdictBar .line.-mine { background: $text-error; }
    VerdictBar .line.-doubt { background: $text-warning; }
    VerdictBar .line.-clear { background: $panel; }
    """

    def compose(self) -> ComposeResult:
        """Large numbers, the verdict, the counts, my shift."""
        with Horizontal(id="big"):
            for name in ("triggered", "acknowledged", "mine", "next", "critical", "time"):
                yield BigCount(id=f"big-{name}")
        yield VerdictLine(id="verdict", classes="line")
        yield VerdictLine(id="counts", classes="line")
        yield VerdictLine(id="duty", classes="line")

    def show(self, watching: Watching, reaches: str, wrong: str) -> None:
        """Show the present state; `reaches` names the account, if known, `wrong` a problem with its sign-in or this clock."""
        board, now, zone = watching.board, watching.clock(), watching.zone
        width = max(self.size.width - 2, 40)
        times = self._times(board, now, zone, reaches, short=width < 100)
        past = past_mark(watching)
        said = headline(board, now, watching.interval, zone, width - width_of(times) - width_of(past) - 2)
        verdict = self.query_one("#verdict", Words)
        if not verdict.has_class(f"-{said.level}"):
            verdict.set_classes(f"line -{said.level}")
        line, right = [*past, *said.line], times
        if said.level in _FILLED:
            line = [Piece(piece.words, "filled") for piece in line]
            right = [Piece(piece.words, "filled") for piece in right]
        verdict.update(_apart(line, right, width, keep=len(right)), layout=False)
        short = width < 100
        trust = [Piece("not live", "warn")] if past else trust_line(board, said.evidence, now, watching.interval, short=short)
        counts = [*(past or [Piece("  ")]), *self._counts(board, said, width - width_of(trust) - 2, short=short)]
        self.query_one("#counts", Words).update(_apart(counts, trust, width, keep=len(trust)), layout=False)
        duty = [*(past or [Piece("  ")]), *my_duty(board.mine, board.facts, now, zone, short=width < 110)]
        gaps = sum(len(on_call.uncovered) for on_call in board.policies)
        levels = f"{gaps} level{'s' if gaps > 1 else ''} NOBODY" if width >= 100 else f"{gaps} NOBODY"
        coverage = [Piece(levels, "bad")] if gaps else []
        if wrong:
            coverage = [Piece(wrong, "warn")]
        self.query_one("#duty", Words).update(_apart(duty, coverage, width, keep=1), layout=False)
        if self.screen.has_class("-wall"):
            self._show_big(watching, now)

    def _counts(self, board: Board, said: Headline, room: int, *, short: bool) -> Line:
        """The counts as far as there is room, and the number of the next incident if the verdict does not name it."""
        made = counts_line(board, short=short)
        if width_of(made) > room:
            made = counts_line(board, short=short, neglected=False)
        row = board.soonest
        number = row.incident.label if row is not None else ""
        alone = row is not None and row.mine and board.verdict.mine_triggered == 1
        if number and not alone and number not in said.words:
            which: Line = [Piece(" · ", "quiet"), Piece(f"next {number}")]
            made = [*made, *which] if width_of([*made, *which]) <= room else made
        return made

    def _times(self, board: Board, now: float, zone: tzinfo, reaches: str, *, short: bool) -> Line:
        """The time of day, also in the profile's zone if another one is shown, and the kind of account."""
        time = f"{second(now, zone)} {clock(now, zone).partition(' ')[2]}"
        own = zone_of(board.mine.me.zone) if board.mine.me else None
        times = [Piece(time, "strong")]
        if own is not None and clock(now, own) != clock(now, zone):
            times.insert(0, Piece(f"your time {clock(now, own)}  ", "quiet"))
        if reaches.startswith(LIVE):
            times += [Piece("  "), Piece(f" {reaches[:18] if short else reaches} ", "live")]
        elif reaches and (not short or reaches != MODES["sandbox"]):
            word = reaches.partition(" ")[0] if short else reaches
            times.append(Piece(f"  {word}", "good" if reaches == MODES["sandbox"] else "warn"))
        return times

    def _show_big(self, watching: Watching, now: float) -> None:
        counts, zone = watching.board.verdict, watching.zone
        read = watching.board.facts.panel("incidents")
        known = read.at is not None
        tone: Tone = "bad" if counts.high else "warn" if counts.triggered else "good" if known else "quiet"
        old = known and stale(read, now, watching.interval)

        def big(name: str, number: str, word: str, tone: Tone) -> None:
            # Stale numbers are muted; the age of the data is shown large instead.
            self.query_one(f"#big-{name}", BigCount).show(number, word, "quiet" if old and name != "time" else tone)

        big("triggered", amount(counts.triggered, read) if known else "-", "TRIGGERED", tone)
        big(
            "acknowledged",
            amount(counts.acknowledged, read) if known else "-",
            "ACK",
            "warn" if counts.acknowledged else "quiet",
        )
        big("mine", mine_more(counts.mine, watching.board) if watching.me else "-", "YOURS", "mine" if counts.mine else "quiet")
        coming = watching.board.soonest
        if coming is not None:
            big(
                "next",
                "0:00" if next_clock(coming, now) == "due" else next_clock(coming, now),
                next_words(coming, watching.me),
                next_tone(coming, now),
            )
        else:
            unsure = counts.more or watching.board.next_unknown
            big("next", "-", "next unknown" if unsure else "no escalation due", "warn" if unsure else "quiet")
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


def _apart(left: Line, right: Line, width: int, *, keep: int) -> Content:
    """Two lines in one, left and right aligned; the last `keep` pieces of the right one are never left out."""
    while len(right) > keep and width_of(left) + width_of(right) + 2 > width:
        right = right[1:]
    gap = max(width - width_of(left) - width_of(right), 2)
    room = max(width - width_of(right) - gap, 0)
    return Content.assemble(content_of(left).truncate(room, ellipsis=True), Content(" " * gap), content_of(right))
