"""The changes since a shift began, from the log and the open incidents: the content of a handoff."""

from __future__ import annotations

from dataclasses import dataclass

from registry.oncall.board import Board, IncidentRow
from registry.oncall.clocks import DAY, HOUR
from registry.oncall.feed import beginnings
from registry.oncall.model import Event, Ref
from registry.oncall.pages import PersonPages, pages_of

USUAL_SHIFT = 12 * HOUR
"""Seconds to look back if it is not known when the shift began."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """An incident that was resolved during the shift: by whom, when, and when it began, if the log has that."""

    incident: Ref
    service: Ref
    by: Ref
    at: float
    began: float | None


@dataclass(frozen=True, slots=True)
class Shift:
    """The changes during a shift.

    Attributes:
        since: when the shift began.
        own: whether my shift began then; otherwise a shift of usual length is assumed.
        known_since: the time since which the log is complete but for pages; None if it was not read.
        new: open incidents that began during the shift, by rank.
        before: open incidents that began before it, by rank.
        moved: log entries of open incidents that began before it, by incident id, newest first.
        resolved: resolved incidents, newest first.
        notes: notes, newest first.
        escalated: the number of escalations.
        pages: the pages in the log, by person.
        pages_since: the time since which the log has pages.
    """

    since: float
    own: bool
    known_since: float | None
    new: tuple[IncidentRow, ...]
    before: tuple[IncidentRow, ...]
    moved: dict[str, list[Event]]
    resolved: tuple[Resolved, ...]
    notes: tuple[Event, ...]
    escalated: int
    pages: tuple[PersonPages, ...]
    pages_since: float | None

    @property
    def whole(self) -> bool:
        """Whether the log reaches back to the shift's beginning."""
        return self.known_since is not None and self.known_since <= self.since


_MOVES = frozenset(
    {"acknowledge", "unacknowledge", "escalate", "exhaust_escalation_path", "repeat_escalation_path", "annotate"}
)


def shift(board: Board) -> Shift:
    """The changes between the shift's beginning and a board's moment."""
    since, own = shift_start(board)
    events = [event for event in board.events if since <= event.at <= board.now]
    began = beginnings(board.events)
    ended: dict[str, Resolved] = {}
    for event in events:
        id_ = event.incident.id
        if event.kind == "resolve" and id_ and id_ not in ended and board.row(id_) is None:
            ended[id_] = Resolved(event.incident, event.service, event.agent, event.at, began.get(id_))
    new = tuple(row for row in board.rows if row.incident.created >= since)
    before = tuple(row for row in board.rows if row.incident.created < since)
    moved: dict[str, list[Event]] = {row.incident.id: [] for row in before}
    for event in events:
        if event.kind in _MOVES and event.incident.id in moved:
            moved[event.incident.id].append(event)
    facts = board.facts
    known = [at for at in (facts.history_since, facts.log_since) if at is not None]
    return Shift(
        since=since,
        own=own,
        known_since=min(known, default=None),
        new=new,
        before=before,
        moved=moved,
        resolved=tuple(ended.values()),
        notes=tuple(event for event in events if event.kind == "annotate"),
        escalated=sum(event.kind == "escalate" for event in events),
        pages=pages_of(events, board.zones),
        pages_since=facts.log_since,
    )


def shift_start(board: Board) -> tuple[float, bool]:
    """When my shift began, and whether that is known; half a day ago without a known shift."""
    starts = [duty.start for duty in board.mine.duties if duty.start is not None and board.now - duty.start < 7 * DAY]
    return (max(starts), True) if starts else (board.now - USUAL_SHIFT, False)
