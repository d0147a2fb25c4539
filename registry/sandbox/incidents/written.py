"""What is written down of the account and its incidents: `data.json`, and its form. Everything in it goes by keys."""

from __future__ import annotations

from datetime import time
from pathlib import Path
from typing import Any

import msgspec

ROUND_ROBIN, EVERYBODY = "round_robin", "assign_to_everyone"


class Row(msgspec.Struct, frozen=True, array_like=True):
    """A row of a table, in the order of its columns; last ones may be left out."""


class Reach(Row, frozen=True):
    """How somebody is reached. `way` names the notification rules."""

    role: str
    colour: str
    country: int
    phone: str
    way: str


class Level(Row, frozen=True):
    """A level of a policy. Targets are ``schedule:<key>`` and ``user:<key>``, separated by blanks."""

    minutes: int
    targets: str
    strategy: str = EVERYBODY


class Policy(Row, frozen=True):
    """An escalation policy."""

    name: str
    description: str
    team: str | None
    loops: int
    levels: list[Level]
    announces: str = "if_has_services"


class Service(Row, frozen=True):
    """A service.

    Times are in seconds. `urgency` is high, low, severity_based or support_hours; `state` disabled or maintenance, otherwise it
    follows from the open incidents. `hours` are a zone, start and end, on workdays; no two services' overlap, so that at any
    moment one is closed.
    """

    name: str
    description: str | None
    policy: str
    acknowledged_for: int | None
    resolves_after: int | None
    urgency: str
    state: str | None = None
    hours: tuple[str, str, str] | None = None


class Layer(Row, frozen=True):
    """Everybody in turn for so many days, from a local time of a weekday (Monday is 0) on; see `rotations.Opening`."""

    name: str
    clock: time
    weekday: int | None
    days: int
    people: list[str]
    openings: list[Any] = []


class Schedule(Row, frozen=True):
    """A schedule; the later layers count first."""

    team: str
    name: str
    description: str
    zone: str
    layers: list[Layer]


class Step(Row, frozen=True):
    """What somebody does to an incident, so many minutes after its start."""

    minutes: float
    what: str
    details: dict[str, Any] = {}


class IncidentScript(msgspec.Struct, frozen=True, kw_only=True):
    """What happens to an incident: causes only; their consequences are worked out by `course`.

    `age` is how many seconds before the present moment it starts. `by` None is the monitoring system. `urgency` counts where
    the service leaves it to the severity. A step's `by` is the first assignee, and its `channel` the website, unless it says
    otherwise. The steps and their details::

        acknowledge  somebody takes it
        alert        one more alert arrives
        assign       it is given to people directly (to); escalation ends
        delegate     it is handed to another policy
        field        somebody fills in a field that the account has added to incidents: name, value
        merge        it is part of another incident (into)
        note         somebody writes something down: text
        priority     somebody sets the priority: to
        resolve      somebody says that it is over; with channel api, the monitoring system does
        respond      somebody (to) is asked to help: message, state (pending, joined, declined or user_cancelled)
        snooze       somebody lets it rest: hours
        urgency      somebody changes the urgency: to
    """

    key: str
    service: str
    title: str
    age: int
    steps: list[Step] = []
    urgency: str = "high"
    priority: str | None = None
    channel: str = "api"
    by: str | None = None
    alerts: int = 1
    text: str | None = None
    bridge: bool = False


class Written(msgspec.Struct, frozen=True):
    """The whole file.

    `ways` are, by urgency, minutes after an assignment and the kind of contact method. `alerts` are services and titles, the
    newest first; `told` are those of the past year whose course is written down.
    """

    reached: dict[str, Reach]
    about_teams: dict[str, str]
    leads: list[str]
    ways: dict[str, dict[str, list[tuple[int, str]]]]
    policies: dict[str, Policy]
    services: dict[str, Service]
    schedules: dict[str, Schedule]
    alerts: list[tuple[str, str]]
    findings: list[str]
    told: list[IncidentScript]
    busy_night: list[IncidentScript]
    quiet: list[IncidentScript]
    storm: IncidentScript


WRITTEN = msgspec.json.decode((Path(__file__).parent / "data.json").read_bytes(), type=Written)
