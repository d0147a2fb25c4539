"""The parts of a scenario. All its times are seconds after its beginning; earlier times are negative."""

from __future__ import annotations

from typing import NamedTuple

from registry.sandbox.incidents.incident_scripts import IncidentScript


class Override(NamedTuple):
    """A temporary change of who is on call on a schedule, by keys."""

    schedule: str
    person: str
    begins: int
    lasts: int


class Maintenance(NamedTuple):
    """A service, by its key, takes no new incidents for a while."""

    service: str
    begins: int
    lasts: int


class Failure(NamedTuple):
    """For a while, every response of the incident service has this HTTP status."""

    begins: int
    lasts: int
    status: int


def goes_on(one: Maintenance | Failure, after: int) -> bool:
    """Whether it goes on so many seconds after the scenario's beginning."""
    return one.begins <= after < one.begins + one.lasts


class Scenario(NamedTuple):
    """What is written down of a scenario, and how often something new comes up on its own, in seconds on average."""

    scripts: list[IncidentScript]
    pause: int
    low: float = 0.3  # share of what comes up that is of low urgency, where the service leaves that open
    overrides: tuple[Override, ...] = ()
    maintenance: tuple[Maintenance, ...] = ()
    failures: tuple[Failure, ...] = ()
    failures_repeat: int = 0  # seconds after which the failures start over; 0: they do not
