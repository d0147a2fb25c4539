"""The account's incidents and their log, as they come about, worked out from the scripts.

Scripts name people, services and policies by keys and times by distance; here they become ids and moments. Ids and numbers come
from the scripts alone, so that the history is the same whenever and however often it is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from heapq import merge
from typing import Any, NamedTuple

from registry.sandbox.incidents.course import Course
from registry.sandbox.incidents.ids import identifier
from registry.sandbox.incidents.incident_scripts import IncidentScript
from registry.sandbox.incidents.policy_reach import PolicyReach
from registry.sandbox.incidents.scenarios import past
from registry.sandbox.incidents.scenarios.flow import flow
from registry.sandbox.incidents.scenarios.scenario import Scenario
from registry.sandbox.rough import roughened
from registry.sandbox.store import Body
from registry.sandbox.world import World

FIRST_NUMBER = 4001

Rows = list[tuple[str, int, Body]]


class News(NamedTuple):
    """Rows of the store, oldest first: new or changed incidents, and log entries."""

    incidents: Rows
    log_entries: Rows


class _Running:
    """An incident that can still change, and how many of its log entries were already returned."""

    def __init__(self, id_: str, start: int, course: Course) -> None:
        self.id = id_
        self.start = start
        self.course = course
        self.published = 0


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
        self._running: list[_Running] = []
        self._scripts = _in_order(world, scenario, began)
        self._next = next(self._scripts)
        self.due = self._next[0]

    def until(self, moment: int) -> News:
        """What has happened since the last time, up to a moment in Unix seconds."""
        news = News([], [])
        while self._next[0] <= moment:
            self._running.append(self._begin(*self._next))
            self._next = next(self._scripts)
        for one in self._running:
            if one.published == 0 or (one.course.due or moment + 1) <= moment:
                self._publish(one, moment, news)
        dues = [(one, due) for one in self._running if (due := one.course.due) is not None]
        self._running = [one for one, _ in dues]
        self.due = min([self._next[0], *(due for _, due in dues)])
        news.log_entries.sort(key=lambda row: row[1])
        return news

    def _begin(self, start: int, script: IncidentScript) -> _Running:
        ours = _with_ids(self._world, script)
        course = Course(ours, start, self._number, self._services[ours["service"]], self._policy_reach, self._users)
        self._number += 1
        return _Running(identifier(self._world, "incident", script["key"]), start, course)

    def _publish(self, one: _Running, moment: int, news: News) -> None:
        incident, entries = one.course.until(moment)
        news.incidents.append((one.id, one.start, incident))
        owner = {"incident": one.id, "service": incident["service"], "team": incident["team"]}
        news.log_entries.extend(
            (log_entry_id(one.id, place), when, {**owner, **entry})
            for place, (when, entry) in enumerate(entries[one.published :], start=one.published)
        )
        one.published = len(entries)


def _in_order(world: World, scenario: Scenario, began: int) -> Iterator[tuple[int, IncidentScript]]:
    """All scripts with their beginnings, in that order, without end."""
    written = [(world.now - script["age"], script) for script in past.scripts(world)]
    written += [(began - script["age"], script) for script in scenario.scripts]
    written.sort(key=lambda one: one[0])
    coming = ((began - script["age"], script) for script in flow(world, scenario))
    return merge(written, coming, key=lambda one: one[0])


def _with_ids(world: World, script: IncidentScript) -> IncidentScript:
    """The script with ids instead of keys, and its title as in this world."""
    kinds = {"by": "user", "to": "user", "policy": "escalation_policy", "into": "incident"}

    def spell(what: str, name: str, value: Any) -> Any:
        kind = kinds.get(name)
        if value is None or kind is None or (name == "to" and what in ("urgency", "priority")):
            return value
        if isinstance(value, list):
            return [identifier(world, kind, key) for key in value]
        return identifier(world, kind, value)

    return {
        **script,
        "title": roughened(world, script["title"]),
        "service": identifier(world, "service", script["service"]),
        "by": spell("trigger", "by", script["by"]),
        "steps": [
            (after, what, {name: spell(what, name, value) for name, value in details.items()})
            for after, what, details in script["steps"]
        ],
    }
