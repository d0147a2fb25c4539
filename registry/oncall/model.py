"""Incidents, duties, escalation policies and services: records read from tool results, each with the call it came from.

Times are Unix seconds (UTC). Names and titles are as they came and unsafe to show: pass them through
`registry.display.safe_text` first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

TRIGGERED, ACKNOWLEDGED, RESOLVED = "triggered", "acknowledged", "resolved"
BY_POLICY, DIRECTLY = "escalation_policy", "direct_assignment"


@dataclass(frozen=True, slots=True)
class CallSource:
    """The call that a value came with: the tool's name, and its arguments."""

    tool: str
    arguments: Mapping[str, object] = field(default_factory=dict, hash=False)


NOWHERE = CallSource("")


@dataclass(frozen=True, slots=True)
class Ref:
    """Another object: its id, what the service calls it, its page (https only, may be empty) and its type."""

    id: str
    name: str
    url: str = ""
    kind: str = ""


NOTHING = Ref("", "")


@dataclass(frozen=True, slots=True)
class Incident:
    """One incident.

    Attributes:
        number: the number people call it by; None when it has none.
        status: ``triggered``, ``acknowledged``, ``resolved``, or a word of the service's that came later.
        urgency: ``high`` or ``low``; another word, or none, is treated as ``high``.
        priority: its name, such as ``P1``; empty without one.
        changed: when the status last changed.
        assigned: whom it is assigned to, and since when.
        via: ``escalation_policy``, or another word for an assignment that does not escalate.
        acknowledged: who has acknowledged it, and when.
        pending: moments by what the service will do then: ``escalate``, ``unacknowledge``, ``resolve``, ``urgency_change``.
        pending_known: whether all of `pending` was readable; otherwise what is not in it may still be going to happen.
        assigned_known: whether all of `assigned` was readable.
        alerts: how many alerts it holds.
    """

    id: str
    number: int | None
    title: str
    status: str
    urgency: str
    priority: str
    created: float
    changed: float
    service: Ref
    policy: Ref
    teams: tuple[Ref, ...]
    assigned: tuple[tuple[Ref, float], ...]
    via: str
    acknowledged: tuple[tuple[Ref, float], ...]
    pending: Mapping[str, float] = field(hash=False)
    alerts: int
    url: str
    source: CallSource = NOWHERE
    pending_known: bool = True
    assigned_known: bool = True

    @property
    def high(self) -> bool:
        """Whether its urgency is high; every urgency but ``low`` counts as high."""
        return self.urgency != "low"

    @property
    def burning(self) -> bool:
        """Whether it is open and not acknowledged; an unknown state counts."""
        return self.status not in (ACKNOWLEDGED, RESOLVED)

    @property
    def open(self) -> bool:
        """Whether it is not resolved; unknown states count as open."""
        return self.status != RESOLVED

    @property
    def since(self) -> float:
        """Since when it is in its present state."""
        return max(self.changed, self.created)


@dataclass(frozen=True, slots=True)
class Duty:
    """One person on one level (1 is called first) of one policy. Without an end it goes on; without a schedule always."""

    policy: Ref
    level: int
    schedule: Ref | None
    user: Ref
    start: float | None
    end: float | None
    source: CallSource = NOWHERE

    @property
    def permanent(self) -> bool:
        """Whether the policy names the person itself: no schedule, no start, no end."""
        return self.schedule is None and self.start is None and self.end is None

    def covers(self, moment: float) -> bool:
        """Whether it holds at a moment; its end belongs to the next one."""
        return (self.start is None or self.start <= moment) and (self.end is None or moment < self.end)


@dataclass(frozen=True, slots=True)
class Rule:
    """One level of a policy: seconds until the next one, whom it names, and whether one of them is taken in turn."""

    delay: float
    targets: tuple[Ref, ...]
    one_of: bool


@dataclass(frozen=True, slots=True)
class EscalationPolicy:
    """An escalation policy; `rules[0]` is level 1. `loops`: how often it starts over behind its last level."""

    id: str
    name: str
    loops: int
    rules: tuple[Rule, ...]
    services: tuple[Ref, ...]
    teams: tuple[Ref, ...]
    url: str = ""
    source: CallSource = NOWHERE


@dataclass(frozen=True, slots=True)
class Service:
    """A service. `state`: active, warning, critical, maintenance or disabled. `holds`: seconds an acknowledgement lasts."""

    id: str
    name: str
    state: str
    holds: float | None
    policy: Ref
    teams: tuple[Ref, ...]
    url: str = ""
    source: CallSource = NOWHERE


@dataclass(frozen=True, slots=True)
class Event:
    """Something that was logged.

    Attributes:
        kind: what happened, without ``_log_entry``: trigger, notify, escalate, acknowledge, …
        summary: the service's own words for it.
        agent: who or what did it.
        channel: by which way.
        people: whom it was assigned to, or who was notified.
        told: for a notification, by what means.
        answer: for a notification, its outcome.
        note: the text of a note that somebody has added.
    """

    id: str
    at: float
    kind: str
    summary: str
    incident: Ref
    service: Ref
    agent: Ref
    channel: str
    people: tuple[Ref, ...]
    teams: tuple[Ref, ...]
    told: str = ""
    answer: str = ""
    note: str = ""
    source: CallSource = NOWHERE


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody of the account.

    Attributes:
        zone: an IANA name; empty when the profile has none.
        teams: the teams that they are in.
        called_at_once: whether high urgency reaches them at once by phone or push; None where that is not told.
    """

    id: str
    name: str
    zone: str
    teams: tuple[Ref, ...] = ()
    called_at_once: bool | None = None
    url: str = ""
    source: CallSource = NOWHERE
