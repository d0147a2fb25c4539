"""What the dashboard shows: a board of one account, its changes since the last refresh, the next hour, and groups.

A moment of the past is a watch like the live one, so every panel shows it in the same way as the present; but it makes no
calls, its clocks are stopped, and every verdict starts with the word PAST.
"""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime, tzinfo

from msgspec.structs import replace

from registry.oncall.account import Account
from registry.oncall.alarms import Alarm
from registry.oncall.board import DONE, GONE, Board, By, Group, IncidentRow, board, groups, is_storm, marks
from registry.oncall.facts import Facts
from registry.oncall.forecast import Forecast, forecast
from registry.oncall.model import past
from registry.oncall.recording import Frame, Replay
from registry.oncall.refresh import Refresher
from registry.oncall.scope import Scope
from registry.oncall.words import Line, Piece, zone_of
from registry.text.shown import visible_line

MARK = "PAST"


class Watching:
    """The watch of one account.

    Attributes:
        account: reads the facts.
        board: what is shown; without facts at first.
        marks: words that mark rows since the last refresh, by incident id.
        rows: the rows, worst first; resolved ones stay for one refresh.
        forecast: who is paged in the next hour if nobody acts.
        groups: the groups, if rows are grouped.
        grouping: what rows are grouped by; None shows them in lanes. A storm is grouped by service until the user changes it.
        zone_name: ``profile``, ``here`` or ``UTC``: the zone in which times are shown.
        past: the moment that is shown, in Unix seconds; None while the watch is live.
    """

    past: float | None = None

    def __init__(self, account: Account) -> None:
        self.account = account
        self.scope = Scope()
        self.zone_name = "profile"
        self.board = board(Facts(), self.clock())
        self.marks: Mapping[str, str] = {}
        self.rows: list[IncidentRow] = []
        self.forecast: Forecast = forecast(self.board)
        self.grouping: By | None = None
        self.groups: list[Group] = []
        self._grouping_chosen = False
        self._unfiltered = self.board
        self._settled = self._earlier = self.board  # at the end of the last refresh, and of the one before

    @property
    def refresher(self) -> Refresher:
        return self.account.refresher

    @property
    def facts(self) -> Facts:
        return self.refresher.facts

    def clock(self) -> float:
        """The present, in Unix seconds."""
        return self.account.clock()

    @property
    def interval(self) -> float:
        return self.refresher.interval

    @property
    def zone(self) -> tzinfo:
        """The zone in which times are shown: the profile's, unless another one was chosen."""
        if self.zone_name == "UTC":
            return UTC
        own = zone_of(self.board.mine.me.zone) if self.zone_name == "profile" and self.board.mine.me else None
        return own or datetime.now().astimezone().tzinfo or UTC

    async def rebuild(self, *, finished: bool) -> None:
        """Build the board again. `finished`: whether a refresh is complete; later changes are found by comparing with it."""
        facts, now, scope = self.facts, self.clock(), self.scope
        # Changes are found by comparing with the end of the previous refresh, from the first part of this one on.
        before = self._settled if facts is not self._settled.facts else self._earlier

        def made() -> tuple[Board, Board, Board, Mapping[str, str], Forecast]:
            new = board(facts, now, scope)
            old = before if before.scope == scope else board(before.facts, before.now, scope)
            return new, new if scope.everything else board(facts, now), old, marks(old, new), forecast(new)

        # No await after this one: everything shown must belong to the same board.
        self.board, self._unfiltered, before, self.marks, self.forecast = await asyncio.to_thread(made)
        over = [row for row in before.rows if self.marks.get(row.incident.id) in (DONE, GONE)]
        self.rows = sorted((*self.board.rows, *over), key=lambda row: row.rank) if over else list(self.board.rows)
        if not self._grouping_chosen:
            self.grouping = "service" if is_storm(self.board) else None
        self._group()
        if finished:
            self._earlier = self._earlier if facts is self._settled.facts else self._settled
            self._settled = self.board

    def alarms(self) -> list[Alarm]:
        """What is new on the board, and that the data has become stale."""
        return self.account.alarms.look(self._unfiltered, self.clock(), self.board.scope)

    def group(self) -> None:
        following: dict[By | None, By | None] = {None: "service", "service": "title", "title": None}
        self.grouping, self._grouping_chosen = following[self.grouping], True
        self._group()

    def _group(self) -> None:
        self.groups = groups(self.board.rows, self.grouping) if self.grouping is not None else []

    def narrow(self, **changes: object) -> None:
        self.scope = replace(self.scope, **changes)


class PastWatching(Watching):
    """A watch that shows recorded moments.

    Attributes:
        replay: the recording.
        number: the frame that is shown, from 0.
        wanted: the last frame that the user went to: keys may be faster than reading frames.

    Args:
        replay: what was recorded.
        live: the watch whose scope and zone it takes over.
    """

    def __init__(self, replay: Replay, live: Watching) -> None:
        self.replay = replay
        self.number = self.wanted = -1
        self.past = replay.moments[-1]
        self._frame: Frame | None = None
        super().__init__(live.account)
        self._before = self.board
        self.scope, self.zone_name = live.scope, live.zone_name

    @property
    def facts(self) -> Facts:
        return self._frame.facts if self._frame is not None else Facts()

    def clock(self) -> float:
        """The moment that is shown."""
        assert self.past is not None
        return self.past

    @property
    def interval(self) -> float:
        return self._frame.interval if self._frame is not None else super().interval

    @property
    def whose(self) -> str:
        """The account of the recording, safe to show."""
        heading = self._frame.heading if self._frame is not None else None
        return f"{visible_line(heading.account)[:40]} ({visible_line(heading.mode)[:10]})" if heading else ""

    async def show_frame(self, number: int) -> None:
        """Show a frame; a number out of range means the first or last one.

        Raises:
            NoRecording: it is damaged; the frame on screen stays.
        """
        number = self.wanted = max(0, min(number, len(self.replay) - 1))
        frame = await asyncio.to_thread(self.replay.frame, number)
        before = await asyncio.to_thread(self.replay.frame, number - 1) if number else None
        self.number, self._frame, self.past = number, frame, frame.at
        self._before = board(before.facts, before.at, self.scope) if before is not None else board(Facts(), frame.at)
        await self.rebuild(finished=True)

    async def rebuild(self, *, finished: bool) -> None:
        """Build the frame's board again, for instance for another scope; every row is marked as past."""
        self._settled = self._before
        await super().rebuild(finished=True)
        self.marks = {**{row.incident.id: MARK for row in self.board.rows}, **self.marks}


def past_mark(watching: Watching) -> Line:
    """Only the word PAST, for lines with the time of day elsewhere; empty for the present."""
    return [Piece(f"{MARK} ", "warn")] if watching.past is not None else []


def freshness_or_past(watching: Watching, line: Line) -> Line:
    """The age of a panel's data; in the past, its moment."""
    return line if watching.past is None else [Piece(past(watching.past, watching.zone), "warn")]
