"""What happens to an incident, as a script: when it starts and what people and systems do to it.

A script holds causes only. Their consequences (whom it is assigned to, when it escalates, which acknowledgement runs out) is
worked out by `course`. Everything is plain JSON, so that the store can keep it.
"""

from __future__ import annotations

from typing import Any, TypedDict

from registry.sandbox.world import MINUTE

Step = tuple[int, str, dict[str, Any]]


class IncidentScript(TypedDict):
    """One incident's script. People, services and policies go by their keys; `by` None is the first assignee.

    `age` and the steps' times are seconds: before the present moment, and after the start.
    """

    key: str
    service: str
    title: str
    age: int
    steps: list[Step]
    urgency: str  # counts where the service leaves the urgency to the severity
    priority: str | None
    channel: str
    by: str | None
    alerts: int
    text: str | None
    bridge: bool


def script(
    key: str,
    service: str,
    title: str,
    age: int,
    *steps: Step,
    urgency: str = "high",
    priority: str | None = None,
    channel: str = "api",
    by: str | None = None,
    alerts: int = 1,
    text: str | None = None,
    bridge: bool = False,
) -> IncidentScript:
    """A script; the defaults are those of a high-urgency alert from a monitoring system."""
    return IncidentScript(
        key=key,
        service=service,
        title=title,
        age=age,
        steps=sorted(steps, key=lambda step: step[0]),
        urgency=urgency,
        priority=priority,
        channel=channel,
        by=by,
        alerts=alerts,
        text=text,
        bridge=bridge,
    )


def acknowledge(minutes: float, by: str | None = None, channel: str = "website") -> Step:
    """Somebody takes it."""
    return _step(minutes, "acknowledge", by=by, channel=channel)


def resolve(minutes: float, by: str | None = None, channel: str = "website") -> Step:
    """Somebody says that it is over; with channel ``api``, the monitoring system does."""
    return _step(minutes, "resolve", by=by, channel=channel)


def merge(minutes: float, into: str, by: str | None = None) -> Step:
    """It is part of another incident, given by its key."""
    return _step(minutes, "merge", by=by, into=into)


def snooze(minutes: float, hours: int, by: str | None = None) -> Step:
    """Somebody lets it rest for some hours."""
    return _step(minutes, "snooze", by=by, seconds=hours * 60 * MINUTE)


def note(minutes: float, text: str, by: str | None = None) -> Step:
    """Somebody writes something down."""
    return _step(minutes, "note", by=by, text=text)


def assign(minutes: float, to: list[str], by: str | None = None) -> Step:
    """It is given to people directly; escalation ends."""
    return _step(minutes, "assign", by=by, to=to)


def delegate(minutes: float, policy: str, by: str | None = None) -> Step:
    """It is handed to another escalation policy."""
    return _step(minutes, "delegate", by=by, policy=policy)


def set_urgency(minutes: float, to: str, by: str | None = None) -> Step:
    """Somebody changes the urgency."""
    return _step(minutes, "urgency", by=by, to=to)


def set_priority(minutes: float, to: str, by: str | None = None) -> Step:
    """Somebody sets the priority."""
    return _step(minutes, "priority", by=by, to=to)


def fill_in(minutes: float, name: str, value: str, by: str | None = None) -> Step:
    """Somebody fills in a field that the account has added to incidents."""
    return _step(minutes, "field", by=by, name=name, value=value)


def respond(minutes: float, to: str, message: str, state: str, by: str | None = None) -> Step:
    """Somebody is asked to help; `state` is how that ended: pending, joined, declined or user_cancelled."""
    return _step(minutes, "respond", by=by, to=to, message=message, state=state)


def alert(minutes: float) -> Step:
    """One more alert arrives."""
    return _step(minutes, "alert", by=None)


def _step(minutes: float, what: str, **details: Any) -> Step:
    return int(minutes * MINUTE), what, details
