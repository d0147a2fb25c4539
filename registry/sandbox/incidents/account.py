"""The incident service's account: everything that is in it, built when it is first looked at, kept in one store.

Incidents and their log are worked out for one moment (`history.at`). A clock that moves would do the same for a later moment
and put the result in their place; nothing else depends on when the account was built.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping

from registry.sandbox.incidents import history
from registry.sandbox.incidents.ids import identifier
from registry.sandbox.incidents.ladders import Ladder, policies, services
from registry.sandbox.incidents.people import SIGNED_IN, teams, users
from registry.sandbox.incidents.rotas import schedules
from registry.sandbox.incidents.rotations import Rotation
from registry.sandbox.store import Body, Row, Store
from registry.sandbox.world import World

_WRITERS = {"user": users, "team": teams, "schedule": schedules, "escalation_policy": policies, "service": services}


class Account:
    """Reads the account at the present moment. Safe to use from several threads."""

    def __init__(self, world: World) -> None:
        self.signed_in = identifier(world, "user", SIGNED_IN)
        self._world = world
        self._lock = threading.Lock()
        self._built: Store | None = None
        self._names: dict[tuple[str, str], str] = {}
        self._rotations: dict[str, Rotation] = {}

    @property
    def now(self) -> int:
        """The present moment, in Unix seconds."""
        return self._world.now

    @property
    def store(self) -> Store:
        """The store, with everything in it."""
        with self._lock:
            if self._built is None:
                self._built = self._build()
            return self._built

    def id(self, kind: str, key: str) -> str:
        """The id of what goes by a key; for kinds that are no objects of their own, such as priorities."""
        return identifier(self._world, kind, key)

    def key_of_alert(self, incident: str) -> str:
        """What a monitoring system calls the alert behind an incident."""
        return self._world.hexadecimal(f"incidents/alert/{incident}", 32)

    def calendar_key(self, user: str) -> str:
        """The secret part of the address of a user's calendar."""
        return self._world.hexadecimal(f"incidents/calendar/{user}", 32)

    def get(self, kind: str, id_: str) -> Row | None:
        """The object of that kind and id, or None."""
        return self.store.get(kind, id_)

    def every(self, kind: str) -> list[Row]:
        """All objects of a kind: incidents by their start, what has a name by its name."""
        rows = self.store.every(kind, oldest_first=True)
        if kind in _WRITERS:
            rows.sort(key=lambda row: (row.body["name"].casefold(), row.id))
        return rows

    def name(self, kind: str, id_: str) -> str:
        """What an object is called where others refer to it."""
        return self._names[kind, id_]

    def rotation(self, schedule: str) -> Rotation:
        """Who is on call by a schedule."""
        return self._rotations[schedule]

    def incident(self, id_or_number: str) -> Row | None:
        """An incident by its id or, in digits, its number."""
        if id_or_number.isascii() and id_or_number.isdecimal() and len(id_or_number) < 10:
            found = self.store.every("incident", {"number": int(id_or_number)})
            return found[0] if found else None
        return self.get("incident", id_or_number)

    def _build(self) -> Store:
        store = Store({})
        bodies: dict[str, Mapping[str, Body]] = {}
        for kind, write in _WRITERS.items():
            rows = write(self._world)
            store.add(kind, rows)
            bodies[kind] = {id_: body for id_, _, body in rows}
            self._names.update({(kind, id_): body["name"] for id_, _, body in rows})
        self._rotations = {id_: Rotation.read(body) for id_, body in bodies["schedule"].items()}
        ladder = Ladder(bodies["escalation_policy"], self._rotations)
        happened = history.at(self._world, self._world.now, bodies["service"], ladder, bodies["user"])
        store.add("incident", happened.incidents)
        store.add("log_entry", happened.log_entries)
        self._names.update({("incident", id_): f"[#{body['number']}] {body['title']}" for id_, _, body in happened.incidents})
        return store
