"""The accounts whose boards are shown together: each is read in its own task, and fails without the others.

The verdict of all is that of the worst. Verdicts and exit codes come from the boards; they are not computed here.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import tzinfo
from pathlib import Path

from msgspec import Struct

from registry.files.crash_report import put_down
from registry.oncall.alarms import Alarms, Ring
from registry.oncall.board import Board, board
from registry.oncall.evidence import WORST_FIRST, Evidence, code_of, evidence
from registry.oncall.facts import TOLERATED
from registry.oncall.fetch import Call
from registry.oncall.headline import counts_line, headline, trust_line
from registry.oncall.model import LEAST_EVERY
from registry.oncall.recording import Heading, Recorder
from registry.oncall.refresh import Refresher
from registry.oncall.words import Line, default_zone, plain
from registry.text.shown import shortened, visible_line


class AccountView(Struct, frozen=True):
    """An account at one moment.

    `mode` is ``sandbox``, ``test`` or ``live``, `interval` the seconds between two refreshes. `clock_words` says what is wrong
    with this machine's clock, and `ends` that the credential expires soon; usually both are empty.
    """

    name: str
    mode: str
    board: Board
    interval: float
    clock_words: str = ""
    ends: str = ""

    @property
    def code(self) -> int:
        """The board's exit code."""
        return code_of(self.board, self.interval)

    @property
    def verdict(self) -> Line:
        """The board's first line."""
        return headline(self.board, self.board.now, self.interval, self.zone).line

    @property
    def evidence(self) -> Evidence:
        """How far the incidents can be trusted."""
        return evidence(self.board, self.board.now, self.interval)

    @property
    def trust(self) -> Line:
        """How complete and how old the data is, in the board's words."""
        return trust_line(self.board, self.evidence, self.board.now, self.interval)

    @property
    def title(self) -> str:
        """The verdict in plain words, short and safe to show."""
        return shortened(" ".join(plain(self.verdict).split()), 120)

    @property
    def steady_title(self) -> str:
        """The counts and how certain they are, in words that change only when something has changed."""
        found = self.evidence
        counts = " ".join(plain(counts_line(self.board)).split())
        sure = "" if found.trusted else f" ({'; '.join((*found.causes, *found.contradictions))})"
        return shortened(f"{found.kind}: {counts}{sure}", 160)

    @property
    def label(self) -> str:
        """The account's name, safe to show."""
        return shortened(visible_line(self.name), 40)

    @property
    def zone(self) -> tzinfo:
        """The zone of its times: the profile's, otherwise UTC."""
        return default_zone(self.board.mine.me)


def worst(views: Sequence[AccountView]) -> AccountView:
    """The account with the worst verdict; the first of several equal ones."""
    return min(views, key=lambda view: WORST_FIRST.index(view.code))


class Account:
    """One account, read every so many seconds.

    Its `clock` is corrected by the service's if this machine's is wrong, for countdowns and ages; its `refresher` changes then.

    Args:
        recordings: the folder for recordings of its refreshes; None records nothing.
        ends: returns, for a time in Unix seconds, a warning if its credential expires soon; otherwise an empty text.
        until: when all reads must have ended, by the running loop's clock; None for an account that is read again.
    """

    def __init__(
        self,
        name: str,
        mode: str,
        call: Call,
        every: float,
        recordings: Path | None = None,
        machine: Callable[[], float] = time.time,
        ends: Callable[[float], str] = lambda _: "",
        until: float | None = None,
    ) -> None:
        self.name, self.mode = name, mode
        self._machine, self._ahead = machine, 0.0
        self.alarms = Alarms()
        self.recorder = Recorder(recordings, Heading(name, mode))
        self._call = call
        self._every = every
        self._until = until
        self._ends = ends
        self.refresher = Refresher(call, self.clock, every, until)

    def clock(self) -> float:
        """The current time in Unix seconds."""
        return self._machine() + self._ahead

    @property
    def clock_words(self) -> str:
        """What is wrong with this machine's clock, in a few words; empty if it is right."""
        wrong = f"this computer's clock is {abs(self._ahead):.0f} s {'slow' if self._ahead > 0 else 'fast'}"
        return wrong if abs(self._ahead) > TOLERATED else ""

    async def refresh(self) -> None:
        """Read everything that is due; if this machine's clock is wrong, read everything again with the corrected clock."""
        await self.refresher.refresh()
        if ahead := self.refresher.ahead:
            self._ahead += ahead
            self.refresher = Refresher(self._call, self.clock, self._every, self._until)
            await self.refresher.refresh()

    async def record(self) -> None:
        """Record what the last refresh read, in a thread."""
        await asyncio.to_thread(self.recorder.record, self.refresher.facts, self.clock(), self.refresher.interval)

    def view(self) -> AccountView:
        """The account's view at this moment."""
        made = board(self.refresher.facts, self.clock())
        return AccountView(self.name, self.mode, made, self.refresher.interval, self.clock_words, self._ends(made.now))

    async def keep(
        self,
        ring: Callable[[Ring], None] | None,
        tell: Callable[[str], object],
        sleep: Callable[[float], Awaitable[object]],
        *,
        rounds: int = 0,
    ) -> None:
        """Refresh repeatedly, record, and ring; an unexpected error is told, and refreshing goes on.

        `ring` gets new alarms, and must return at once. After `rounds` refreshes it ends; 0 goes on until it is cancelled.
        """
        reported, done = "", 0
        while True:
            try:
                if self.refresher.wait() <= 0:
                    await self.refresh()
                    await self.record()
                view = await asyncio.to_thread(self.view)
                alarms = self.alarms.look(view.board, view.board.now)
                if ring is not None and alarms:
                    ring(Ring(self.name, view.title, view.board.now, tuple(alarms)))
                trouble = words = self.recorder.trouble
            except Exception as error:
                trouble, words = type(error).__name__, ""
                if trouble != reported:
                    words = put_down(error, "the on-call board")
            if words and trouble != reported:
                tell(f"{visible_line(self.name)}: {words}")
            reported, done = trouble, done + 1
            if done == rounds:
                return
            await sleep(min(max(self.refresher.wait(), 1.0), LEAST_EVERY))


async def views_of(accounts: Sequence[Account]) -> list[AccountView]:
    """The views of all accounts, built in a thread."""
    return await asyncio.to_thread(lambda: [account.view() for account in accounts])
