"""The state of the dashboard: the reader of facts, the board made from them, and the order of its rows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, tzinfo

from registry.oncall.alarms import Alarm, Alarms
from registry.oncall.board import Board, IncidentRow, Lane, board
from registry.oncall.facts import Facts
from registry.oncall.fetch import Call, Clock
from registry.oncall.forecast import forecast
from registry.oncall.groups import GROUPINGS, By, Group, groups, is_storm
from registry.oncall.marks import DONE, GONE, marks, ordered
from registry.oncall.refresh import Refresher
from registry.oncall.scope import Scope
from registry.oncall.words import zone_of

_HANDS_OFF = 60.0
"""Seconds without a key after which rows are sorted."""


def _ready_board(facts: Facts, now: float, scope: Scope) -> Board:
    """A board, prepared in the same thread for showing: with thousands of incidents that must not block keys."""
    made = board(facts, now, scope)
    made.prepare()
    return made


class Watching:
    """The watch of one account.

    Attributes:
        refresher: reads the facts.
        board: what is shown; without facts at first.
        marks: words that mark rows since the last refresh, by incident id.
        rows: ids of the rows in the order shown; resolved ones stay for one refresh.
        lanes: the lane in which each row is shown, by incident id; a row keeps it until rows are sorted.
        forecast: who is paged in the next hour if nobody acts.
        groups: the groups, if rows are grouped.
        grouping: what rows are grouped by; None shows them in lanes. A storm is grouped by service until the user changes it.
        zone_name: ``profile``, ``here`` or ``UTC``: the zone in which times are shown.
        past: the moment that is shown, in Unix seconds; None while the watch is live.

    Args:
        call: runs a tool.
        clock: returns the present, in Unix seconds.
        changed: called when facts have changed.
        every: seconds between two refreshes.
    """

    past: float | None = None

    def __init__(self, call: Call, clock: Clock, changed: Callable[[], None], every: float) -> None:
        self.refresher = Refresher(call, clock, changed, every)
        self._every = self.refresher.interval
        self.clock = clock
        self.scope = Scope()
        self.zone_name = "profile"
        self.board = board(Facts(), clock())
        self.marks: Mapping[str, str] = {}
        self.rows: list[str] = []
        self.sorted_at = clock()
        self.forecast = forecast(self.board)
        self.grouping: By | None = None
        self.groups: list[Group] = []
        self.lanes: dict[str, Lane] = {}
        self._grouping_chosen = False
        self._over: dict[str, IncidentRow] = {}
        self._alarms = Alarms()
        self._unfiltered = self.board
        self._settled = self._earlier = self.board  # at the end of the last refresh, and of the one before
        self._touched = clock()

    @property
    def interval(self) -> float:
        """Seconds between two refreshes."""
        return self.refresher.interval

    @property
    def slowed(self) -> bool:
        """Whether refreshes are slower than requested, because the rate limit runs low or they take many calls."""
        return self.interval > self._every

    @property
    def me(self) -> str:
        """My user id; empty when it is not known."""
        return self.board.mine.me.id if self.board.mine.me else ""

    @property
    def zone(self) -> tzinfo:
        """The zone in which times are shown: the profile's, unless another one was chosen."""
        if self.zone_name == "UTC":
            return UTC
        own = zone_of(self.board.mine.me.zone) if self.zone_name == "profile" and self.board.mine.me else None
        return own or datetime.now().astimezone().tzinfo or UTC

    def touched(self) -> None:
        """Note a pressed key: rows keep their order for a while."""
        self._touched = self.clock()

    def row(self, id_: str) -> IncidentRow | None:
        """The row of an incident, also of a resolved one that is still shown."""
        return self.board.row(id_) or self._over.get(id_)

    async def rebuild(self, *, finished: bool) -> list[Alarm]:
        """Build the board again.

        Args:
            finished: whether a refresh is complete; later changes are found by comparing with this board.

        Returns:
            The alarms to ring for.
        """
        now = self.clock()
        made = await asyncio.to_thread(_ready_board, self.refresher.facts, now, self.scope)
        unfiltered = made if made.scope.everything else await asyncio.to_thread(board, made.facts, now)
        # Changes are found by comparing with the end of the previous refresh, from the first part of this one on.
        before = self._settled if made.facts is not self._settled.facts else self._earlier
        if made.scope != before.scope:
            before = await asyncio.to_thread(board, before.facts, before.now, self.scope)
        found = await asyncio.to_thread(marks, before, made)
        again = finished or made.scope != self.board.scope or not self.forecast.pages
        ahead = await asyncio.to_thread(forecast, made) if again else self.forecast
        if not self._grouping_chosen:
            self.grouping = "service" if is_storm(made) else None
        grouped = await asyncio.to_thread(groups, made.rows, self.grouping) if self.grouping is not None else []
        # No await from here on: everything shown must belong to the same board.
        self.board, self.marks, self.forecast, self.groups = made, found, ahead, grouped
        self._unfiltered = unfiltered
        self._over = {row.incident.id: row for row in before.rows if self.marks.get(row.incident.id) in (DONE, GONE)}
        if finished:
            self._settled, self._earlier = made, self._earlier if made.facts is self._settled.facts else self._settled
        self._arrange(now)
        return self._alarms.look(unfiltered, now, made.scope)

    def stale_alarms(self) -> list[Alarm]:
        """The alarms about stale data."""
        return self._alarms.look(self._unfiltered, self.clock(), self.board.scope)

    def sort(self) -> None:
        """Sort the rows, worst first."""
        self.rows = [row.incident.id for row in self.board.rows]
        self.lanes = {row.incident.id: row.lane for row in self.board.rows}
        self._over.clear()
        self.sorted_at = self.clock()

    def group(self) -> None:
        """Switch to the next grouping: service, similar title, policy, none."""
        order: list[By | None] = [*GROUPINGS, None]
        self.grouping = order[(order.index(self.grouping) + 1) % len(order)]
        self._grouping_chosen = True
        self._group()

    def _group(self) -> None:
        self.groups = groups(self.board.rows, self.grouping) if self.grouping is not None else []

    @property
    def out_of_order(self) -> bool:
        """Whether rows have kept an order that is no longer the sorted one."""
        return [id_ for id_ in self.rows if id_ not in self._over] != [row.incident.id for row in self.board.rows]

    def _arrange(self, now: float) -> None:
        new = {row.incident.id: row for row in self.board.rows}
        # A row that became mine, or is no longer mine, moves at once.
        moved = {id_ for id_, row in new.items() if id_ in self.lanes and row.mine != (self.lanes[id_] == "mine")}
        self.rows = [id_ for id_ in self.rows if id_ not in moved]
        if not self.rows or now - self._touched >= _HANDS_OFF:
            before, self.rows = self.rows, [row.incident.id for row in self.board.rows]
            # A resolved row keeps its position for the one refresh that it stays.
            for place, id_ in enumerate(before):
                if id_ in self._over:
                    self.rows.insert(min(place, len(self.rows)), id_)
            self.sorted_at = now
            kept: dict[str, Lane] = {}
        else:
            self.rows = ordered(self.rows, self.board, list(self._over))
            kept = {id_: lane for id_, lane in self.lanes.items() if id_ not in moved}
        over = {id_: self.lanes.get(id_, "rest") for id_ in self._over}
        self.lanes = over | {id_: kept.get(id_, row.lane) for id_, row in new.items()}

    def narrow(self, **changes: object) -> None:
        """Change the scope; rows are sorted again, because others are shown."""
        self.scope = replace(self.scope, **changes)  # type: ignore[arg-type]
        self.rows, self.lanes = [], {}
