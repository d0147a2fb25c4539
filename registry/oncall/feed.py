"""What the log says: when incidents began, which are not over, and who was paged."""

from __future__ import annotations

from collections.abc import Iterable

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
"""Kinds of events that call for somebody."""

ALIVE = LOUD | {"acknowledge", "assign", "delegate", "snooze", "responder_request", "reach_ack_limit", "urgency_change"}
"""Kinds of events that show that an incident is open."""


def beginnings(events: Iterable[Event]) -> dict[str, float]:
    """When each incident began, by id. Later alerts of the same incident are logged as triggers too."""
    found: dict[str, float] = {}
    for event in events:
        if event.kind == "trigger" and event.at < found.get(event.incident.id, float("inf")):
            found[event.incident.id] = event.at
    return found


def without_end(events: Iterable[Event]) -> list[str]:
    """Ids of incidents that by the log are open: a sign of life and no end; the newest first."""
    alive: dict[str, None] = {}
    over = set()
    for event in sorted(events, key=lambda event: event.at, reverse=True):
        if event.kind in ("resolve", "merge"):
            over.add(event.incident.id)
        elif event.kind in ALIVE and event.incident.id:
            alive.setdefault(event.incident.id)
    return [id_ for id_ in alive if id_ not in over]


def calls_of(events: Iterable[Event], since: float) -> list[Event]:
    """The notifications since a moment, oldest first."""
    return sorted((event for event in events if event.kind == "notify" and event.at >= since), key=lambda event: event.at)
