"""The lines that never scroll: the verdict with the next escalation, the counts, and my own shift.

The verdict has a filled background, visible from a distance, for unacknowledged incidents of mine and for incomplete data. In
past mode a title before it says which moment is shown, and a dialog asks for another one.

Several accounts on one dashboard have a line each, the worst first; the panels show one of them. Every account is read
separately, so a failure of one changes nothing about the others. The verdicts are those of each account's own board.
"""

import asyncio
from collections.abc import Callable, Sequence

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content

from registry.oncall.account import Account, AccountView, views_of
from registry.oncall.alarms import Ring
from registry.oncall.board import Board
from registry.oncall.evidence import WORST_FIRST
from registry.oncall.headline import counts_line, headline, trust_line
from registry.oncall.model import NOWHERE, CallSource, clock, moment_of, second, span, stamp
from registry.oncall.words import Line, Piece, many, my_duty, plain, zone_of
from registry.text.shown import visible_line
from tui.dialogs.questions import Prompt
from tui.oncall.pieces import content_of, width_of
from tui.oncall.watching import PastWatching, Watching, past_mark
from tui.widgets.texts import LIVE, MODES, Words

_FILLED = ("mine", "doubt")
_MOST = 4


class VerdictLine(Words, can_focus=True):
    """One of the lines; it can be focused, to open its call."""

    ALLOW_SELECT = False

    def on_click(self) -> None:
        self.focus()


def source_of(line: VerdictLine, board: Board) -> CallSource:
    """The call that a line is based on: the counted incidents, or who is on call; without a duty, who I am."""
    if line.id in ("verdict", "counts"):
        return next(iter(board.facts.panel("incidents").calls), NOWHERE)
    if board.mine.duties:
        return board.mine.duties[0].source
    return board.mine.me.source if board.mine.me is not None else NOWHERE


class VerdictBar(Vertical):
    """Three lines."""

    DEFAULT_CSS = """
    VerdictBar { height: auto; background: $surface; }
    VerdictBar .line { height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
    VerdictBar .line:focus { text-style: underline; }
    VerdictBar .line.-mine { background: $text-error; }
    VerdictBar .line.-doubt { background: $text-warning; }
    VerdictBar .line.-clear { background: $panel; }
    """

    def compose(self) -> ComposeResult:
        for name in ("verdict", "counts", "duty"):
            yield VerdictLine(id=name, classes="line")

    def show(self, watching: Watching, reaches: str, wrong: str) -> None:
        """Show the present state; `reaches` names the account, if known, `wrong` a problem with its sign-in or this clock."""
        board, now, zone = watching.board, watching.clock(), watching.zone
        width = max(self.size.width - 2, 40)
        short = width < 100
        past, right = past_mark(watching), self._times(watching, reaches, short=short)
        said = headline(board, now, watching.interval, zone, width - width_of(right) - width_of(past) - 2)
        verdict = self.query_one("#verdict", Words)
        if not verdict.has_class(f"-{said.level}"):
            verdict.set_classes(f"line -{said.level}")
        line = [*past, *said.line]
        if said.level in _FILLED:
            line, right = ([Piece(piece.words, "filled") for piece in side] for side in (line, right))
        verdict.update(_apart(line, right, width), layout=False)
        trust = [Piece("not live", "warn")] if past else trust_line(board, said.evidence, now, watching.interval, short=short)
        counts, following = [*(past or [Piece("  ")]), *counts_line(board, short=short)], board.soonest
        if following is not None and not (following.mine and board.verdict.mine_triggered == 1):  # the verdict does not name it
            number: Line = [Piece(" · ", "quiet"), Piece(f"next {following.incident.label}")]
            counts += number if width_of([*counts, *number, *trust]) + 2 <= width else []
        if trust[0].words == "complete" and width_of([*counts, *trust]) + 2 > width:
            trust = trust[2:]  # what is usual is left out before a count is cut
        self.query_one("#counts", Words).update(_apart(counts, trust, width), layout=False)
        gaps = sum(len(on_call.uncovered) for on_call in board.policies)
        warning = Piece(f"{gaps if short else many(gaps, 'level')} NOBODY" if gaps else "", "bad")
        beside, before = [Piece(wrong, "warn") if wrong else warning], past or [Piece("  ")]
        room = width - width_of(beside) - width_of(before) - 2
        duty: Line = []
        for brief in range(4):  # who follows me is never cut first
            duty = my_duty(board.mine, board.facts, now, zone, brief=brief)
            if width_of(duty) <= room:
                break
        self.query_one("#duty", Words).update(_apart([*before, *duty], beside, width), layout=False)

    def _times(self, watching: Watching, reaches: str, *, short: bool) -> Line:
        """The time of day, also in the profile's zone if another one is shown, and the kind of account."""
        now, zone, me = watching.clock(), watching.zone, watching.board.mine.me
        own = zone_of(me.zone) if me else None
        there = f"your time {clock(now, own)}  " if own is not None and clock(now, own) != clock(now, zone) else ""
        times = [Piece(there, "quiet"), Piece(f"{second(now, zone)} {clock(now, zone).partition(' ')[2]}", "strong")]
        if reaches.startswith(LIVE):
            times += [Piece("  "), Piece(f" {reaches[:18] if short else reaches} ", "live")]
        elif reaches and (not short or reaches != MODES["sandbox"]):
            word = reaches.partition(" ")[0] if short else reaches
            times.append(Piece(f"  {word}", "good" if reaches == MODES["sandbox"] else "warn"))
        return times


def _apart(left: Line, right: Line, width: int) -> Content:
    """Two lines in one, left and right aligned; the right one is never cut."""
    gap = max(width - width_of(left) - width_of(right), 2)
    room = max(width - width_of(right) - gap, 0)
    return Content.assemble(content_of(left).truncate(room, ellipsis=True), Content(" " * gap), content_of(right))


class PastBar(Words):
    """The title of the past: which moment, which frame, and the keys to go back and forward. Hidden in the present."""

    DEFAULT_CSS = """
    PastBar { display: none; height: 1; padding: 0 1; background: $warning; color: $background; text-style: bold; }
    PastBar { text-wrap: nowrap; text-overflow: ellipsis; }
    PastBar.-past { display: block; }
    """

    def show(self, watching: PastWatching | None, now: float, keys: str) -> None:
        """Show the moment on screen, as seen from the present `now`; `keys` explains the keys. None: the present."""
        self.set_class(watching is not None, "-past")
        if watching is None or watching.past is None:
            return
        place = f"{watching.number + 1} of {len(watching.replay)}"
        moment = f"PAST {stamp(watching.past, watching.zone)}, {span(now - watching.past)} ago"
        self.update(Content(f"{moment} · {place} · {keys} · {watching.whose} · not live"))


class MomentDialog(Prompt[float]):
    """Asks which moment of a watch of the past to go to; returns it in Unix seconds."""

    def __init__(self, watching: PastWatching) -> None:
        moments, zone = watching.replay.moments, watching.zone

        def read(text: str) -> float:
            found = moment_of(text, zone, moments[-1])
            if found is None:
                raise ValueError(f"Not a time: “{visible_line(text)[:40]}”. Type 03:14, 2026-11-22 03:14 or -20m.")
            return found

        recorded = f"{second(moments[0], zone)} to {second(moments[-1], zone)} {clock(moments[-1], zone).partition(' ')[2]}"
        super().__init__(
            "Go to which time?",
            "Go",
            read,
            about=f"Recorded: {recorded}, {len(moments)} refreshes.",
            hint="03:14, 03:14:30, 2026-11-22 03:14 or -20m",
        )


class AccountsBar(Words):
    """The lines; hidden if there is only one account."""

    DEFAULT_CSS = """
    AccountsBar { display: none; height: auto; max-height: 5; padding: 0 1; background: $surface; }
    AccountsBar { text-wrap: nowrap; text-overflow: ellipsis; }
    AccountsBar.-several { display: block; }
    """

    def show(self, views: Sequence[AccountView], shown: str, key: str) -> None:
        """Show accounts; `shown` is the one in the panels, `key` shows the next one."""
        self.set_class(len(views) > 1, "-several")
        ranked = sorted(views, key=lambda view: WORST_FIRST.index(view.code))
        lines: list[Line] = []
        for place, view in enumerate(ranked[:_MOST]):
            here = view.name == shown
            rank = f"WORST of {len(views)} " if place == 0 else ""
            line = [Piece("› " if here else "  ", "mine"), Piece(f"{rank}{view.label}  ", "mine" if here else "strong")]
            lines.append([*line, *view.verdict, Piece(f"  {plain(view.trust)}", "quiet")])
        more = f"{len(ranked) - _MOST} more accounts · " if len(ranked) > _MOST else ""
        lines.append([Piece(f"  {more}{key} shows another", "quiet")])
        self.update(Content("\n").join(content_of(line) for line in lines))


class OtherAccounts:
    """The accounts other than the one in the panels.

    Args:
        made: makes an account from its name.
        names: all accounts of the dashboard, in order.
    """

    def __init__(self, made: Callable[[str], Account], names: Sequence[str]) -> None:
        self.names = list(names)
        self._made = made
        self._kept: dict[str, tuple[Account, asyncio.Task[None]]] = {}

    def watch(self, shown: str, ring: Callable[[Ring], None], tell: Callable[[str], None]) -> None:
        if shown in self._kept:
            self._kept.pop(shown)[1].cancel()
        for name in self.names:
            if name != shown and name not in self._kept:
                account = self._made(name)
                self._kept[name] = account, asyncio.create_task(account.keep(ring, tell, asyncio.sleep), name=f"account {name}")

    async def views(self) -> list[AccountView]:
        return await views_of([account for account, _ in self._kept.values()])

    async def aclose(self) -> None:
        tasks = [task for _, task in self._kept.values()]
        self._kept.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
