"""The lines of the incident list: heads of lanes, rows, heads of groups, and on a quiet night the next events.

They are computed from the watch, the folds, and how many lines have room; nothing here draws.
"""

from collections.abc import Mapping, Sequence
from datetime import tzinfo

from msgspec import Struct

from registry.oncall.board import LANES, Board, Group, IncidentRow, Lane
from registry.oncall.model import span, when
from registry.oncall.words import Line, Piece, name_of, names
from tui.oncall.watching import Watching

_FOLD_FIRST: tuple[Lane, ...] = ("rest", "low", "unacknowledged", "nobody")
"""Lanes that are folded to one line each if there is little room, in this order; mine and next are never folded so."""
_QUIET = 6
"""Up to so many rows, the next events are shown below them."""


class IncidentLine(Struct, frozen=True):
    """A line of the list: a head with its key, a row, or words.

    Attributes:
        key: ``lane mine``, ``group PX6…``, or the incident's id; empty for words.
        row: the incident; None for heads and words.
        lane: the lane of a lane's head.
        group: the group of a group's head.
        rows: all rows of a head, also those without a line below it.
        folded: whether the rows of a head are hidden, except the first ones that have room.
        shown: how many rows of a head are shown below it.
        words: the text of any other line.
        titles: whether it is the line above the groups, with the titles of their columns.
    """

    key: str = ""
    row: IncidentRow | None = None
    lane: Lane | None = None
    group: Group | None = None
    rows: Sequence[IncidentRow] = ()
    folded: bool = False
    shown: int = 0
    words: tuple[Piece, ...] = ()
    titles: bool = False

    @property
    def is_head(self) -> bool:
        return bool(self.key) and self.row is None


def listed(watching: Watching, room: int, folds: Mapping[str, bool]) -> list[IncidentLine]:
    """The lines, in order, of which `room` are visible; `folds` has the heads that the user has folded or unfolded, by key."""
    rows = watching.rows
    if not rows:
        return []
    if watching.grouping is not None:
        return _grouped(watching, rows, folds, max(room // 4, 2))
    lanes: dict[Lane, list[IncidentRow]] = {lane: [] for lane in LANES}
    for row in rows:
        lanes[row.lane].append(row)
    there = [lane for lane in LANES if lanes[lane]]
    folded = {lane for lane in there if folds.get(f"lane {lane}")}
    length = sum(1 + (0 if lane in folded else len(lanes[lane])) for lane in there)
    last: Lane | None = None
    for lane in _FOLD_FIRST:
        if length > room and lane in there and folds.get(f"lane {lane}") is None:
            folded.add(lane)
            length -= len(lanes[lane])
            last = lane
    lines: list[IncidentLine] = []
    for lane in there:
        # The last folded lane still shows the rows that have room.
        few = max(room - length, 0) if lane == last else 0 if lane in folded else len(rows)
        lines += _part(IncidentLine(f"lane {lane}", lane=lane, rows=lanes[lane], folded=lane in folded), few)
    if len(rows) <= _QUIET:
        lines += [IncidentLine(words=tuple(line)) for line in quiet(watching.board, watching.zone, watching.board.me)]
    return lines


def _grouped(watching: Watching, rows: list[IncidentRow], folds: Mapping[str, bool], few: int) -> list[IncidentLine]:
    """My incidents, only a few of them until unfolded; then the groups."""
    lines: list[IncidentLine] = []
    mine = [row for row in rows if row.mine]
    if mine:
        burning, fold = sum(row.incident.burning for row in mine), folds.get("lane mine")
        shown = 0 if fold else len(mine) if fold is False else min(few, burning or few, len(mine))
        lines += _part(IncidentLine("lane mine", lane="mine", rows=mine, folded=bool(fold)), shown)
        waiting, held = max(burning - shown, 0), len(mine) - max(burning, shown)
        more = [f"{waiting} more unacknowledged"] if waiting else []
        more += [f"{held} acknowledged by you"] if held else []
        if more and not fold:
            lines.append(IncidentLine(words=(Piece(f"     {' · '.join(more)}", "quiet"),)))
    by = "service" if watching.grouping == "service" else "similar titles"
    lines.append(IncidentLine(words=(Piece(f"  {len(watching.groups)} groups by {by}", "quiet"),), titles=True))
    for group in watching.groups:
        folded = folds.get(f"group {group.key}", True)
        lines += _part(
            IncidentLine(f"group {group.key}", group=group, rows=group.rows, folded=folded), 0 if folded else len(group.rows)
        )
    return lines


def _part(head: IncidentLine, few: int) -> list[IncidentLine]:
    shown = head.rows[:few]
    return [
        IncidentLine(head.key, None, head.lane, head.group, head.rows, head.folded, len(shown)),
        *(IncidentLine(row.incident.id, row) for row in shown),
    ]


def quiet(board: Board, zone: tzinfo, me: str) -> list[Line]:
    """The lines for quiet times: the next handoffs, and levels without anybody."""
    now = board.now
    handoffs = [
        (duty.end, on_call.policy.name, level.number, duty.user, level.then.get(duty.user.id))
        for on_call in board.policies
        for level in on_call.levels
        for duty in level.duties
        if duty.end is not None and duty.end > now
    ]
    handoffs.sort(key=lambda one: one[:3])
    lines: list[Line] = [[Piece("")]]
    for place, (end, name, number, user, then) in enumerate(handoffs[:3]):
        after = "?" if then is None else names(then, me) if then else "NOBODY"
        lines.append(
            [
                Piece(" Next handoffs  " if not place else " " * 16, "quiet"),
                Piece(f"{when(end, zone, now)} ({span(end - now)})  {name_of(name)} L{number}: {names([user], me)} → "),
                Piece(after, "bad" if after == "NOBODY" else "plain"),
            ]
        )
    gaps = [f"{name_of(on_call.policy.name)} L{level}" for on_call in board.policies for level in on_call.uncovered]
    known = board.facts.panel("on call").at is not None and bool(board.policies)
    said = Piece(f"NOBODY on {', '.join(gaps[:4])}", "bad") if gaps else Piece("every level is covered now", "good")
    return [*lines, [Piece(" On call        ", "quiet"), said if known else Piece("unknown", "warn")]]
