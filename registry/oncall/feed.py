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
"""Kinds of events that show that an incident is open."""


@dataclass(frozen=True, slots=True)
class Histogram:
    """Incidents that began in each of the last 24 hours, oldest first; None for hours before the log begins."""

    hours: tuple[int | None, ...]

    @property
    def total(self) -> int:
        """The number of all of them."""
        return sum(count for count in self.hours if count is not None)


@dataclass(frozen=True, slots=True)
class Times:
    """Times to acknowledge and to resolve incidents of the last seven days: the median in seconds.

    `since`: where the log begins, if that is less than seven days ago.
    """

    acknowledged: float | None
    resolved: float | None
    since: float | None = None


def beginnings(events: Iterable[Event]) -> dict[str, float]:
    """When each incident began, by id. Later alerts of the same incident are logged as triggers too."""
    found: dict[str, float] = {}
    for event in events:
        if event.kind == "trigger" and event.at < found.get(event.incident.id, float("inf")):
            found[event.incident.id] = event.at
    return found


def without_end(events: Iterable[Event]) -> list[str]:
    """Ids of incidents that were triggered and, by the log, are not over; the newest first."""
    triggered: dict[str, None] = {}
    over = set()
    for event in sorted(events, key=lambda event: event.at, reverse=True):
        if event.kind in ("resolve", "merge"):
            over.add(event.incident.id)
        elif event.kind == "trigger" and event.incident.id:
            triggered.setdefault(event.incident.id)
    return [id_ for id_ in triggered if id_ not in over]


def histogram(events: Sequence[Event], known_since: float | None, now: float) -> Histogram:
    """Incidents by the hour in which they began.

    Args:
        events: the log.
        known_since: the time since which the log is complete; None if that is not known.
        now: the current time; the last hour ends with it.
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
    """Times to acknowledge and to resolve the incidents that began in the last seven days, as far back as the log goes."""
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
    return Times(median(taken) if taken else None, median(over) if over else None, since)


def calls_of(events: Iterable[Event], since: float) -> list[Event]:
    """The notifications since a moment, oldest first."""
    return sorted((event for event in events if event.kind == "notify" and event.at >= since), key=lambda event: event.at)
