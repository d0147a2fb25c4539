"""Statistics of the log: incidents per hour in the last day, and response times in the last week."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from registry.oncall.clocks import DAY, HOUR
from registry.oncall.model import Event

KINDS = frozenset(
    (
        *("acknowledge", "annotate", "assign", "custom_field_value_change", "delegate", "escalate", "exhaust_escalation_path"),
        *("field_value_change", "link", "merge", "notify", "priority_change", "reach_ack_limit", "reach_trigger_limit"),
        *("repeat_escalation_path", "resolve", "responder_request", "snooze", "status_update", "trigger", "unacknowledge"),
        *("unlink", "urgency_change"),
    )
)
"""Kinds of log entries whose meaning is known."""

LOUD = frozenset({"trigger", "escalate", "unacknowledge", "exhaust_escalation_path", "repeat_escalation_path"})
"""Kinds of events that mean that an incident is still open."""


@dataclass(frozen=True, slots=True)
class Histogram:
    """Incidents that began in each of the last 24 hours, oldest first; None for hours that the log does not reach back to."""

    hours: tuple[int | None, ...]

    @property
    def total(self) -> int:
        """All of them."""
        return sum(count for count in self.hours if count is not None)


@dataclass(frozen=True, slots=True)
class Times:
    """Times to acknowledge and to resolve incidents of the last seven days: median seconds, and of how many.

    `since` is how far back the log reaches, where that is less than seven days.
    """

    acknowledged: float | None
    of_acknowledged: int
    resolved: float | None
    of_resolved: int
    since: float | None = None


def beginnings(events: Iterable[Event]) -> dict[str, float]:
    """When each incident began, by id. Later alerts of the same incident are logged as triggers too."""
    found: dict[str, float] = {}
    for event in events:
        if event.kind == "trigger" and event.at < found.get(event.incident.id, float("inf")):
            found[event.incident.id] = event.at
    return found


def without_end(events: Iterable[Event]) -> list[str]:
    """Ids of incidents that were triggered and, as far as the log tells, are not over; the newest first."""
    triggered: dict[str, None] = {}
    over = set()
    for event in sorted(events, key=lambda event: event.at, reverse=True):
        if event.kind in ("resolve", "merge"):
            over.add(event.incident.id)
        elif event.kind == "trigger" and event.incident.id:
            triggered.setdefault(event.incident.id)
    return [id_ for id_ in triggered if id_ not in over]


def histogram(events: Sequence[Event], known_since: float | None, now: float) -> Histogram:
    """Incidents by the hour of their beginning.

    Args:
        events: what was logged.
        known_since: from when on the log is complete; None when nothing is known.
        now: the present; the last hour ends with it.
    """
    hours: list[int | None] = [None] * 24
    if known_since is not None:
        first = max(0, min(24, int((known_since - (now - DAY)) // HOUR + 1))) if known_since > now - DAY else 0
        hours[first:] = [0] * (24 - first)
    for at in beginnings(events).values():
        place = 23 - int((now - at) // HOUR)
        if 0 <= place < 24 and hours[place] is not None:
            hours[place] = (hours[place] or 0) + 1
    return Histogram(tuple(hours))


def times(events: Sequence[Event], known_since: float | None, now: float) -> Times:
    """How fast incidents were answered that began in the last seven days, as far as the log reaches."""
    start = now - 7 * DAY
    since = known_since if known_since is not None and known_since > start else None
    begun = {id_: at for id_, at in beginnings(events).items() if at >= max(start, known_since or start)}
    first: dict[tuple[str, str], float] = {}
    for event in events:
        if event.kind in ("acknowledge", "resolve"):
            key = event.kind, event.incident.id
            first[key] = min(event.at, first.get(key, event.at))
    taken = [first["acknowledge", id_] - at for id_, at in begun.items() if ("acknowledge", id_) in first]
    over = [first["resolve", id_] - at for id_, at in begun.items() if ("resolve", id_) in first]
    return Times(median(taken) if taken else None, len(taken), median(over) if over else None, len(over), since)


def calls_of(events: Iterable[Event], since: float) -> list[Event]:
    """The notifications since a moment, oldest first: whether a page reached anybody."""
    return sorted((event for event in events if event.kind == "notify" and event.at >= since), key=lambda event: event.at)
