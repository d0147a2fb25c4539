"""Incidents, duties, escalation policies and services: records read from tool results; and their times in words.

Times are Unix seconds (UTC). Names and titles are as received and unsafe to show: pass them through
`registry.text.shown` first.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, tzinfo

from msgspec import Struct, field

from registry.calling.times import InvalidValue, instant
from registry.text.shown import DAY, DUE, HOUR, MINUTE, age, countdown, span

__all__ = ["DAY", "DUE", "HOUR", "MINUTE", "age", "countdown", "span"]

LEAST_EVERY, MOST_EVERY = 15.0, 60.0  # seconds between two refreshes: minimum and maximum
OLDER_EVERY = 10 * MINUTE  # seconds between two readings of incidents that began long ago

ONCE = 60.0  # the usual limit, in seconds, for reading a dashboard that is shown once


def clock(at: float, zone: tzinfo) -> str:
    """The time of day with its zone: ``09:00 CET``."""
    moment = datetime.fromtimestamp(at, zone)
    return f"{moment:%H:%M} {zone_name(moment)}"


def when(at: float, zone: tzinfo, now: float) -> str:
    """A moment with only as much of its date as needed: ``09:00 CET``, ``Mon 8 Dec 09:00 CET``, ``6 Oct 2024 08:00 CEST``."""
    moment, today = datetime.fromtimestamp(at, zone), datetime.fromtimestamp(now, zone)
    if moment.date() == today.date() or 0 <= at - now < 12 * HOUR:
        return clock(at, zone)
    date = f"{moment:%a} {moment.day} {moment:%b}" if abs(at - now) < 300 * DAY else f"{moment.day} {moment:%b %Y}"
    return f"{date} {moment:%H:%M} {zone_name(moment)}"


def second(at: float, zone: tzinfo) -> str:
    """The time of day to the second, without its zone: for columns whose heading names it."""
    return f"{datetime.fromtimestamp(at, zone):%H:%M:%S}"


def zone_name(moment: datetime) -> str:
    """A zone's short name at a moment; a zone without a name is written ``UTC+4``."""
    name = moment.tzname() or "UTC"
    return f"UTC{name}" if name[0] in "+-" else name


def stamp(at: float, zone: tzinfo) -> str:
    """A moment to the second, with its date and zone: ``Mon 1 Dec 2025 03:14:12 CET``."""
    moment = datetime.fromtimestamp(at, zone)
    return f"{moment:%a} {moment.day} {moment:%b %Y} {moment:%H:%M:%S} {zone_name(moment)}"


def past(at: float, zone: tzinfo) -> str:
    """The prefix of everything that is shown about the past: ``PAST 03:14:12 CET``."""
    return f"PAST {second(at, zone)} {clock(at, zone).partition(' ')[2]}"


def iso(moment: float) -> str:
    """A moment in ISO 8601 with the zone UTC, which the service reads alike in every account."""
    return datetime.fromtimestamp(int(moment), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def iso_or_none(moment: float | None) -> str | None:
    """A moment in ISO 8601, or None."""
    return None if moment is None else iso(moment)


def moment_of(text: str, zone: tzinfo, latest: float) -> float | None:
    """A moment that somebody typed, in Unix seconds: ``03:14``, ``2026-11-22 03:14:30``, ``-1h30m``; None if it is invalid.

    `latest` is the last moment that may be meant: an hour after it is that of the day before, and ``-1h`` counts from it.
    """
    try:
        at = instant(text, latest, zone, local_dates=True).at.timestamp()
    except InvalidValue:
        return None
    return at - DAY if at > latest and "-" not in text else at


TOOLKIT = "Incidents"  # the toolkit that the on-call rooms use

TRIGGERED, ACKNOWLEDGED, RESOLVED = "triggered", "acknowledged", "resolved"
BY_POLICY, DIRECTLY = "escalation_policy", "direct_assignment"


class CallSource(Struct, frozen=True):
    """The call that returned a value: the tool's name and its arguments."""

    tool: str
    arguments: Mapping[str, object] = field(default_factory=dict)


NOWHERE = CallSource("")


class Ref(Struct, frozen=True):
    """Another object: its id, what the service calls it, its page (https only, may be empty) and its type."""

    id: str
    name: str
    url: str = ""
    kind: str = ""


NOTHING = Ref("", "")


class Incident(Struct, frozen=True):
    """One incident.

    Attributes:
        number: the number people use for it; None without one.
        status: ``triggered``, ``acknowledged``, ``resolved``, or a newer word of the service.
        priority: its name, such as ``P1``; empty without one.
        assigned, acknowledged: whom it is assigned to, who has acknowledged it, and since when.
        via: ``escalation_policy``, or another word if the assignment does not escalate.
        pending: when the service will do what: ``escalate``, ``unacknowledge``, ``resolve``, ``urgency_change``.
        pending_known, assigned_known: whether all of these was readable; if not, there may be more.
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
    pending: Mapping[str, float]
    alerts: int
    url: str
    source: CallSource = NOWHERE
    pending_known: bool = True
    assigned_known: bool = True

    def __hash__(self) -> int:
        return hash(self.id)

    @property
    def label(self) -> str:
        """Its number as people write it, such as ``#4062``; empty without one."""
        return "" if self.number is None else f"#{self.number}"

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
        """Since when it has been in its current state, as a Unix time in seconds."""
        return max(self.changed, self.created)

    def is_assigned_to(self, user: str) -> bool:
        """Whether it is assigned to the user with an id; never if the id is empty."""
        return bool(user) and any(ref.id == user for ref, _ in self.assigned)


class Duty(Struct, frozen=True):
    """One person on one level (1 is paged first) of one policy. No end: open-ended; no schedule: permanent."""

    policy: Ref
    level: int
    schedule: Ref | None
    user: Ref
    start: float | None
    end: float | None
    source: CallSource = NOWHERE

    @property
    def permanent(self) -> bool:
        """Whether the policy names the person directly: no schedule, no start, no end."""
        return self.schedule is None and self.start is None and self.end is None

    def covers(self, moment: float) -> bool:
        """Whether it includes a moment; its end belongs to the next duty."""
        return (self.start is None or self.start <= moment) and (self.end is None or moment < self.end)


class Rule(Struct, frozen=True):
    """One level of a policy: seconds until the next level, its targets, and whether only one of them is paged, in turn.

    `one_of` is None if the service does not say: it is part of some plans only.
    """

    delay: float
    targets: tuple[Ref, ...]
    one_of: bool | None


class EscalationPolicy(Struct, frozen=True):
    """An escalation policy; `rules[0]` is level 1. `loops`: how often it starts over after its last level."""

    id: str
    name: str
    loops: int
    rules: tuple[Rule, ...]
    services: tuple[Ref, ...]
    teams: tuple[Ref, ...]
    url: str = ""
    source: CallSource = NOWHERE


class Service(Struct, frozen=True):
    """A service. `state`: active, warning, critical, maintenance or disabled. `holds`: seconds an acknowledgement lasts.

    `last`: when its last incident was created; None if it has had none.
    """

    id: str
    name: str
    state: str
    holds: float | None
    policy: Ref
    teams: tuple[Ref, ...]
    url: str = ""
    source: CallSource = NOWHERE
    last: float | None = None


class Event(Struct, frozen=True):
    """A log entry.

    Attributes:
        kind: what happened, without ``_log_entry``: trigger, notify, escalate, acknowledge, …
        agent, channel: who or what did it, and through what, for instance the website.
        people: whom it was assigned to, or who was notified.
        medium, outcome: for a notification, how it was sent, such as ``push``, and whether it arrived, in the service's word.
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
    medium: str = ""
    outcome: str = ""
    note: str = ""
    source: CallSource = NOWHERE

    @property
    def failed(self) -> bool:
        """Whether a notification did not arrive."""
        return self.outcome not in ("", "success", "delivered", "sent")


class Person(Struct, frozen=True):
    """A user of the account.

    `zone` is an IANA name, empty if the profile has none. `called_at_once`: whether high urgency reaches them at once by phone
    or push; None if not known.
    """

    id: str
    name: str
    zone: str
    teams: tuple[Ref, ...] = ()
    called_at_once: bool | None = None
    url: str = ""
    email: str = ""
    source: CallSource = NOWHERE
