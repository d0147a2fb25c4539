"""The account's incidents and their log, as they come about, worked out from the scripts.

Scripts name people, services and policies by keys and times by distance; here they become ids and moments. Ids and numbers come
from the scripts alone, so that the history is the same whenever and however often it is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from heapq import merge
from typing import Any, NamedTuple

from msgspec import structs

from registry.sandbox.incidents import identifier
from registry.sandbox.incidents.course import Course
from registry.sandbox.incidents.rotations import PolicyReach
from registry.sandbox.incidents.scenarios import Scenario, coming, past
from registry.sandbox.incidents.written import IncidentScript, Step
from registry.sandbox.rough import roughened
from registry.sandbox.store import Body
from registry.sandbox.world import World

FIRST_NUMBER = 4001

Rows = list[tuple[str, int, Body]]


class News(NamedTuple):
    """Rows of the store, oldest first: new or changed incidents, and log entries."""

    incidents: Rows
    log_entries: Rows


def log_entry_id(incident: str, place: int) -> str:
    """The id of an incident's log entry; places count from 0, and 0 is the first trigger."""
    return f"R{incident[1:11]}{place:03X}"


class History:
    """Returns events, each once.

    Args:
        world: times of the past are distances from the moment at which it was made.
        scenario: what runs.
        began: when it began, in Unix seconds.
        services: stored services by id.
        policy_reach: whom the levels of policies reach.
        users: stored users by id.

    Attributes:
        due: the moment of the next event. Checked before every response.
    """

    def __init__(
        self,
        world: World,
        scenario: Scenario,
        began: int,
        services: Mapping[str, Body],
        policy_reach: PolicyReach,
        users: Mapping[str, Body],
    ) -> None:
        self._world = world
        self._services, self._policy_reach, self._users = services, policy_reach, users
        self._number = FIRST_NUMBER
        self._open: list[Course] = []
        self._scripts = _in_order(world, scenario, began)
        self._next = next(self._scripts)
        self.due = self._next[0]

    def until(self, moment: int) -> News:
        """What has happened since the last time, up to a moment in Unix seconds."""
        news = News([], [])
        while self._next[0] <= moment:
            start, script = self._next
            ours = _with_ids(self._world, script)
            id_, service = identifier(self._world, "incident", script.key), self._services[ours.service]
            self._open.append(Course(id_, ours, start, self._number, service, self._policy_reach, self._users))
            self._number += 1
            self._next = next(self._scripts)
        for course in self._open:
            if course.published == 0 or (course.due or moment + 1) <= moment:
                _publish(course, moment, news)
        self._open = [course for course in self._open if course.due is not None]
        self.due = min([self._next[0], *(course.due for course in self._open if course.due is not None)])
        news.log_entries.sort(key=lambda row: row[1])
        return news


def _publish(course: Course, moment: int, news: News) -> None:
    incident, entries = course.until(moment)
    news.incidents.append((course.id, course.start, incident))
    owner = {"incident": course.id, "service": incident["service"], "team": incident["team"]}
    news.log_entries.extend(
        (log_entry_id(course.id, place), when, {**owner, **entry})
        for place, (when, entry) in enumerate(entries[course.published :], start=course.published)
    )
    course.published = len(entries)


def _in_order(world: World, scenario: Scenario, began: int) -> Iterator[tuple[int, IncidentScript]]:
    """All scripts with their beginnings, in that order, without end."""
    written = [(world.now - script.age, script) for script in past(world)]
    written += [(began - script.age, script) for script in scenario.scripts]
    written.sort(key=lambda one: one[0])
    return merge(written, ((began - script.age, script) for script in coming(world, scenario)), key=lambda one: one[0])


_KINDS = {"by": "user", "to": "user", "policy": "escalation_policy", "into": "incident"}


def _with_ids(world: World, script: IncidentScript) -> IncidentScript:
    """The script with ids instead of keys, and its title as in this world."""

    def spelt(what: str, name: str, value: Any) -> Any:
        if name not in _KINDS or (name == "to" and what in ("urgency", "priority")):
            return value
        if isinstance(value, list):
            return [identifier(world, _KINDS[name], key) for key in value]
        return identifier(world, _KINDS[name], value)

    return structs.replace(
        script,
        title=roughened(world, script.title),
        service=identifier(world, "service", script.service),
        by=script.by and identifier(world, "user", script.by),
        steps=[
            Step(step.minutes, step.what, {name: spelt(step.what, name, value) for name, value in step.details.items()})
            for step in script.steps
        ],
    )
