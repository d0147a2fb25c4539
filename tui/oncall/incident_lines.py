"""The lines of the incident list: heads of lanes, rows, heads of groups, and on a quiet night the next events.

They are computed from the watch, the folds, and how many lines have room; nothing here draws.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import tzinfo

from registry.oncall.board import LANES, Board, IncidentRow, Lane
from registry.oncall.clocks import span, when
from registry.oncall.groups import Group
from registry.oncall.words import Line, Piece, name_of, names
from tui.oncall.watching import Watching

TITLES: Mapping[Lane, str] = {
    "mine": "Mine",
    "next": "Pages somebody next",
    "nobody": "Nobody left to page",
    "unacknowledged": "Unacknowledged",
    "low": "Low and neglected",
    "rest": "Rest",
}
_FOLD_FIRST: tuple[Lane, ...] = ("rest", "low", "unacknowledged", "nobody")
"""Lanes that are folded to one line each if there is little room, in this order; mine and next are never folded so."""
_QUIET = 6
"""Up to so many rows, the next events are shown below them."""


@dataclass(frozen=True, slots=True)
class IncidentLine:
    """A line of the list: a head with its key, a row with its incident's id, or words.

    Attributes:
        key: ``lane mine``, ``group PX6…``; empty for rows and words.
        id: the incident's id; empty for heads and words.
        lane: the lane of a lane's head.
        group: the group of a group's head.
        rows: all rows of a head.
        folded: whether the rows of a head are hidden, except the first ones that have room.
        shown: how many rows of a head are shown below it.
        words: the text of any other line.
        count: how many incidents a head has, also those without a row below it.
        titles: whether it is the line above the groups, with the titles of their columns.
    """

    key: str = ""
    id: str = ""
    lane: Lane | None = None
    group: Group | None = None
    rows: tuple[IncidentRow, ...] = ()
    folded: bool = False
    shown: int = 0
    words: tuple[Piece, ...] = ()
    count: int = 0
    titles: bool = False


def listed(watching: Watching, room: int, folds: Mapping[str, bool]) -> list[IncidentLine]:
    """The lines, in order.

    Args:
        watching: the watch that is shown.
        room: how many lines are visible.
        folds: heads that the user has folded (True) or unfolded, by key.
    """
    rows = [(id_, row) for id_ in watching.rows if (row := watching.row(id_)) is not None]
    if not rows:
        return []
    if watching.grouping is not None:
        return _grouped(watching, [row for _, row in rows], folds, max(room // 4, 2))
    lanes: dict[Lane, list[IncidentRow]] = {lane: [] for lane in LANES}
    for id_, row in rows:
        lanes[watching.lanes.get(id_, row.lane)].append(row)
    there = [lane for lane in LANES if lanes[lane]]
    folded = {lane for lane in there if folds.get(f"lane {lane}")}
    length = sum(1 + (0 if lane in folded else len(lanes[lane])) for lane in there)
    last: Lane | None = None
    for lane in _FOLD_FIRST:
        if length > room and lane in there and lane not in folded and folds.get(f"lane {lane}") is None:
            folded.add(lane)
            length -= len(lanes[lane])
            last = lane
    lines: list[IncidentLine] = []
    for lane in there:
        shown = (
            lanes[lane][: max(room - length, 0)] if lane == last else None
        )  # the last folded lane still shows the rows that have room
        lines += _part(f"lane {lane}", lanes[lane], lane in folded, lane=lane, shown=shown)
    if len(rows) <= _QUIET:
        lines += [IncidentLine(words=tuple(line)) for line in quiet(watching.board, watching.zone, watching.me)]
    return lines


def _grouped(watching: Watching, rows: list[IncidentRow], folds: Mapping[str, bool], few: int) -> list[IncidentLine]:
    """My incidents, only a few of them until unfolded; then the groups."""
    assert watching.grouping is not None
    lines: list[IncidentLine] = []
    mine = [row for row in rows if row.mine]
    if mine:
        burning = sum(row.incident.burning for row in mine)
        shown = mine if folds.get("lane mine") is False else mine[: min(few, burning or few)]
        folded = folds.get("lane mine", False)
        lines += _part("lane mine", mine, folded, lane="mine", shown=[] if folded else shown)
        waiting, held = max(burning - len(shown), 0), len(mine) - max(burning, len(shown))
        more = [f"{waiting} more unacknowledged"] if waiting else []
        more += [f"{held} acknowledged by you"] if held else []
        if more and not folds.get("lane mine"):
            lines.append(IncidentLine(words=(Piece(f"     {' · '.join(more)}", "quiet"),)))
    made = watching.groups
    by = {"service": "service", "title": "similar titles", "policy": "policy"}[watching.grouping]
    lines.append(IncidentLine(words=(Piece(f"  {len(made)} groups by {by}", "quiet"),), titles=True))
    for group in made:
        key = f"group {group.key}"
        lines += _part(key, list(group.rows), folds.get(key, True), group=group)
    return lines


def _part(
    key: str,
    rows: list[IncidentRow],
    folded: bool,
    *,
    lane: Lane | None = None,
    group: Group | None = None,
    shown: list[IncidentRow] | None = None,
) -> list[IncidentLine]:
    if shown is None:
        shown = [] if folded else rows
    head = IncidentLine(key=key, lane=lane, group=group, rows=tuple(rows), folded=folded, count=len(rows), shown=len(shown))
    return [head, *(IncidentLine(id=row.incident.id) for row in shown)]


def quiet(board: Board, zone: tzinfo, me: str) -> list[Line]:
    """The lines for quiet times: the next handoffs, and levels without anybody."""
    now = board.now
    lines: list[Line] = [[Piece("")]]
    handoffs = sorted(
        (
            (duty.end, on_call.policy.name, level.number, duty, level.then.get(duty.user.id))
            for on_call in board.policies
            for level in on_call.levels
            for duty in level.duties
            if duty.end is not None and duty.end > now
        ),
        key=lambda one: (one[0], one[1], one[2]),
    )
    for place, (end, name, level, duty, then) in enumerate(handoffs[:3]):
        after = "?" if then is None else names(then, me) if then else "NOBODY"
        lines.append(
            [
                Piece(" Next handoffs  " if not place else " " * 16, "quiet"),
                Piece(f"{when(end, zone, now)} ({span(end - now)})  "),
                Piece(f"{name_of(name)} L{level}: {names([duty.user], me)} → "),
                Piece(after, "bad" if after == "NOBODY" else "plain"),
            ]
        )
    gaps = [f"{name_of(on_call.policy.name)} L{level}" for on_call in board.policies for level in on_call.uncovered]
    known = board.facts.panel("on call").at is not None and bool(board.policies)
    said = Piece(f"NOBODY on {', '.join(gaps[:4])}", "bad") if gaps else Piece("every level is covered now", "good")
    lines.append([Piece(" On call        ", "quiet"), said if known else Piece("unknown", "warn")])
    return lines


def place_of(lines: list[IncidentLine], id_: str, key: str) -> int | None:
    """The index of an incident's row, or of a head by its key; None if there is no such line."""
    for place, line in enumerate(lines):
        if (id_ and line.id == id_) or (not id_ and key and line.key == key):
            return place
    # An incident without a row is in a folded lane or group: the head's line.
    return next((place for place, line in enumerate(lines) if id_ and any(row.incident.id == id_ for row in line.rows)), None)


def first_row(lines: list[IncidentLine]) -> int:
    """The index of the first line with an incident; 0 if there is none."""
    return next((place for place, line in enumerate(lines) if line.id), 0)
