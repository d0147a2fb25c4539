"""The incident service's account: all its objects, built when they are first needed, kept in one store.

People, policies, schedules and services stay as they are while a scenario runs; incidents and their log go on with the
world's clock. A request reads the account inside `at_present`, where it does not change.

The scripts of incidents name people, services and policies by keys and times by distance; here they become ids and moments.
Ids and numbers come from the scripts alone, so that the history is the same whenever and however often it is read.
"""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from heapq import merge
from typing import Any

from msgspec import structs

from registry.sandbox.incidents import identifier, rows
from registry.sandbox.incidents.course import Course
from registry.sandbox.incidents.query import Refusal
from registry.sandbox.incidents.rotations import PolicyReach, Rotation
from registry.sandbox.incidents.scenarios import BY_NAME, IncidentScript, Step, coming, past
from registry.sandbox.scenario_state import RunningScenario, ScenarioState
from registry.sandbox.store import Body, Store, StoredRow
from registry.sandbox.world import World, roughened

FIRST_NUMBER = 4001

Rows = list[tuple[str, int, Body]]


def log_entry_id(incident: str, place: int) -> str:
    """The id of an incident's log entry; places count from 0, and 0 is the first trigger."""
    return f"R{incident[1:11]}{place:03X}"


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


_NAMED = ("user", "team", "escalation_policy", "service", "schedule")


class Account:
    """Reads the account. Safe to use from several threads, each inside `at_present`.

    `names` are what objects are called where others refer to them, by kind and id; `rotations` say who is on call, by schedule.
    """

    def __init__(self, world: World, scenario_state: ScenarioState) -> None:
        self.signed_in = identifier(world, "user", rows.SIGNED_IN)
        self.now = world.present
        self.world, self._scenario_state = world, scenario_state
        self._lock = threading.RLock()
        self._running: RunningScenario | None = None
        self.names: dict[tuple[str, str], str] = {}
        self.rotations: dict[str, Rotation] = {}

    @contextmanager
    def at_present(self) -> Iterator[None]:
        """Advance the account to the present moment, `now` (Unix seconds), and keep it there inside."""
        with self._lock:
            self.now = self.world.present
            if self._running != self._scenario_state.current:
                self._build(self._scenario_state.current)
            if self._due <= self.now:
                self._go_on()
            yield

    @property
    def failing(self) -> int | None:
        """The HTTP status of every response at the moment; None while the service works."""
        after = self._after % self._scenario.failures_repeat
        return next((int(one.of) for one in self._scenario.failures if one.goes_on(after)), None)

    def in_maintenance(self, service: str) -> bool:
        """Whether a service, by its id, is in one of the scenario's maintenance windows."""
        windows = self._scenario.maintenance
        return any(identifier(self.world, "service", str(one.of)) == service and one.goes_on(self._after) for one in windows)

    @property
    def _after(self) -> int:
        return self.now - (self._running.began if self._running else 0)

    def key_of_alert(self, incident: str) -> str:
        """A monitoring system's name for the alert that caused an incident."""
        return self.world.hexadecimal(f"incidents/alert/{incident}", 32)

    def get(self, kind: str, id_: str) -> StoredRow:
        """The object of that kind and id; an incident also by its number, in digits.

        Raises:
            Refusal: 404, there is none.
        """
        if kind == "incident" and id_.isascii() and id_.isdecimal() and len(id_) < 10:
            found = next(iter(self.store.every("incident", {"number": int(id_)})), None)
        else:
            found = self.store.get(kind, id_)
        if found is None:
            raise Refusal(404)
        return found

    def every(self, kind: str) -> list[StoredRow]:
        """All objects of a kind: incidents by their start, what has a name by its name."""
        found = self.store.every(kind, oldest_first=True)
        if kind in _NAMED:
            found.sort(key=lambda row: (row.body["name"].casefold(), row.id))
        return found

    def _build(self, running: RunningScenario) -> None:
        world = self.world
        self._scenario = BY_NAME[running.scenario](world)
        self.store = Store({})
        self.names.clear()
        made = {
            "user": rows.users(world),
            "team": rows.teams(world),
            "escalation_policy": rows.policies(world),
            "service": rows.services(world),
            "schedule": rows.schedules(world, self._scenario.overrides, running.began),
        }
        bodies: dict[str, Mapping[str, Body]] = {}
        for kind, new in made.items():
            self.store.add(kind, new)
            bodies[kind] = {id_: body for id_, _, body in new}
            self.names.update({(kind, id_): body["name"] for id_, _, body in new})
        self.rotations = {id_: Rotation.read(body) for id_, body in bodies["schedule"].items()}
        self._policy_reach = PolicyReach(bodies["escalation_policy"], self.rotations)
        self._services, self._users = bodies["service"], bodies["user"]
        # All scripts with their beginnings, in that order, without end.
        written = [(world.now - script.age, script) for script in past(world)]
        written += [(running.began - script.age, script) for script in self._scenario.scripts]
        written.sort(key=lambda one: one[0])
        flow = ((running.began - script.age, script) for script in coming(world, self._scenario))
        self._scripts = merge(written, flow, key=lambda one: one[0])
        self._next = next(self._scripts)
        self._due = self._next[0]
        self._number = FIRST_NUMBER
        self._open: list[Course] = []
        self._running = running

    def _go_on(self) -> None:
        """Write down what has happened since the last time, each event once. `_due` is the moment of the next one."""
        incidents, log_entries = Rows(), Rows()
        while self._next[0] <= self.now:
            start, script = self._next
            ours = _with_ids(self.world, script)
            id_, service = identifier(self.world, "incident", script.key), self._services[ours.service]
            self._open.append(Course(id_, ours, start, self._number, service, self._policy_reach, self._users))
            self._number += 1
            self._next = next(self._scripts)
        for course in self._open:
            if course.published and (course.due or self.now + 1) > self.now:
                continue
            incident, entries = course.until(self.now)
            incidents.append((course.id, course.start, incident))
            owner = {"incident": course.id, "service": incident["service"], "team": incident["team"]}
            log_entries += [
                (log_entry_id(course.id, place), when, {**owner, **entry})
                for place, (when, entry) in enumerate(entries[course.published :], start=course.published)
            ]
            course.published = len(entries)
        self._open = [course for course in self._open if course.due is not None]
        self._due = min([self._next[0], *(course.due for course in self._open if course.due is not None)])
        log_entries.sort(key=lambda row: row[1])
        new = [row for row in incidents if ("incident", row[0]) not in self.names]
        with self.store.changes():
            for id_, _, body in incidents:
                if ("incident", id_) in self.names:
                    self.store.replace("incident", id_, body)
            self.store.add("incident", new)
            self.store.add("log_entry", log_entries)
        self.names.update({("incident", id_): f"[#{body['number']}] {body['title']}" for id_, _, body in new})
