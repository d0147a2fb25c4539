"""The incident service's account: all its objects, built when they are first needed, kept in one store.

People, policies, schedules and services stay as they are while a scenario runs; incidents and their log go on with the
world's clock. A request reads the account inside `at_present`, where it does not change.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from registry.sandbox.incidents.history import History
from registry.sandbox.incidents.ids import identifier
from registry.sandbox.incidents.people import SIGNED_IN, teams, users
from registry.sandbox.incidents.policy_reach import PolicyReach, policies, services
from registry.sandbox.incidents.rotas import schedules
from registry.sandbox.incidents.rotations import Rotation
from registry.sandbox.incidents.scenarios import BY_NAME
from registry.sandbox.incidents.scenarios.scenario import Scenario, goes_on
from registry.sandbox.scenario_state import RunningScenario, ScenarioState
from registry.sandbox.store import Body, Store, StoredRow
from registry.sandbox.world import World

_WRITERS = {"user": users, "team": teams, "escalation_policy": policies, "service": services}
_NAMED = (*_WRITERS, "schedule")


class Account:
    """Reads the account. Safe to use from several threads, each inside `at_present`."""

    def __init__(self, world: World, scenario_state: ScenarioState) -> None:
        self.signed_in = identifier(world, "user", SIGNED_IN)
        self.now = world.present
        self._world = world
        self._scenario_state = scenario_state
        self._lock = threading.RLock()
        self._running: RunningScenario | None = None
        self._store: Store
        self._scenario: Scenario
        self._history: History
        self._names: dict[tuple[str, str], str] = {}
        self._rotations: dict[str, Rotation] = {}

    @contextmanager
    def at_present(self) -> Iterator[None]:
        """Advance the account to the present moment, `now` (Unix seconds), and keep it there inside."""
        with self._lock:
            self.now = self._world.present
            if self._running != self._scenario_state.current:
                self._build(self._scenario_state.current)
            if self._history.due <= self.now:
                self._go_on()
            yield

    @property
    def store(self) -> Store:
        """The store, with everything in it."""
        return self._store

    @property
    def failing(self) -> int | None:
        """The HTTP status of every response at the moment; None while the service works."""
        if self._running is None or not self._scenario.failures:
            return None
        after = self.now - self._running.began
        if self._scenario.failures_repeat:
            after %= self._scenario.failures_repeat
        return next((one.status for one in self._scenario.failures if goes_on(one, after)), None)

    def in_maintenance(self, service: str) -> bool:
        """Whether a service, by its id, is in one of the scenario's maintenance windows."""
        after = self.now - (self._running.began if self._running else 0)
        return any(self.id("service", one.service) == service and goes_on(one, after) for one in self._scenario.maintenance)

    def id(self, kind: str, key: str) -> str:
        """The id for a key, for kinds without objects, such as priorities."""
        return identifier(self._world, kind, key)

    def key_of_alert(self, incident: str) -> str:
        """A monitoring system's name for the alert that caused an incident."""
        return self._world.hexadecimal(f"incidents/alert/{incident}", 32)

    def calendar_key(self, user: str) -> str:
        """The secret part of the address of a user's calendar."""
        return self._world.hexadecimal(f"incidents/calendar/{user}", 32)

    def get(self, kind: str, id_: str) -> StoredRow | None:
        """The object of that kind and id, or None."""
        return self.store.get(kind, id_)

    def every(self, kind: str) -> list[StoredRow]:
        """All objects of a kind: incidents by their start, what has a name by its name."""
        rows = self.store.every(kind, oldest_first=True)
        if kind in _NAMED:
            rows.sort(key=lambda row: (row.body["name"].casefold(), row.id))
        return rows

    def name(self, kind: str, id_: str) -> str:
        """What an object is called where others refer to it."""
        return self._names[kind, id_]

    def rotation(self, schedule: str) -> Rotation:
        """Who is on call by a schedule."""
        return self._rotations[schedule]

    def incident(self, id_or_number: str) -> StoredRow | None:
        """An incident by its id or, in digits, its number."""
        if id_or_number.isascii() and id_or_number.isdecimal() and len(id_or_number) < 10:
            found = self.store.every("incident", {"number": int(id_or_number)})
            return found[0] if found else None
        return self.get("incident", id_or_number)

    def _build(self, running: RunningScenario) -> None:
        """Everything at the beginning of a scenario."""
        self._scenario = BY_NAME[running.scenario](self._world)
        self._store = Store({})
        self._names.clear()
        rows = {kind: write(self._world) for kind, write in _WRITERS.items()}
        rows["schedule"] = schedules(self._world, self._scenario.overrides, running.began)
        bodies: dict[str, Mapping[str, Body]] = {}
        for kind in _NAMED:
            self._store.add(kind, rows[kind])
            bodies[kind] = {id_: body for id_, _, body in rows[kind]}
            self._names.update({(kind, id_): body["name"] for id_, _, body in rows[kind]})
        for kind in ("incident", "log_entry"):
            self._store.add(kind, ())
        self._rotations = {id_: Rotation.read(body) for id_, body in bodies["schedule"].items()}
        policy_reach = PolicyReach(bodies["escalation_policy"], self._rotations)
        self._history = History(self._world, self._scenario, running.began, bodies["service"], policy_reach, bodies["user"])
        self._running = running

    def _go_on(self) -> None:
        """Store the events since the last call."""
        news = self._history.until(self.now)
        new = [row for row in news.incidents if ("incident", row[0]) not in self._names]
        changed = [row for row in news.incidents if ("incident", row[0]) in self._names]
        with self._store.changes():
            for id_, _, body in changed:
                self._store.replace("incident", id_, body)
            self._store.add("incident", new)
            self._store.add("log_entry", news.log_entries)
        self._names.update({("incident", id_): f"[#{body['number']}] {body['title']}" for id_, _, body in new})
