"""The users of the CRM's account, kept in one store: found by id or address, added, changed and removed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from registry.sandbox.crm import people
from registry.sandbox.crm.bodies import Known, for_creation, for_update
from registry.sandbox.crm.errors import Refusal
from registry.sandbox.database import Database
from registry.sandbox.store import Body, Store, StoredRow
from registry.sandbox.world import World

BY_ID, BY_EMAIL = "USER_ID", "EMAIL"


class Administration:
    """Reads and changes the account. Safe to use from several threads."""

    def __init__(self, world: World, database: Database | None = None) -> None:
        self._world = world
        self._database = database
        self._lock = threading.RLock()
        self._built: Store | None = None

    def correlation_id(self) -> str:
        """An id for one refusal, never given twice."""
        return self._world.uuid(f"crm/correlation/{self._store.next('correlation')}")

    @property
    def now(self) -> int:
        """The present moment, in Unix seconds."""
        return self._world.present

    def details(self) -> Body:
        """What the account is."""
        return {
            "portalId": people.portal(self._world),
            "accountType": "STANDARD",
            "timeZone": "Europe/Berlin",
            "companyCurrency": "EUR",
            "additionalCurrencies": [],
            "utcOffset": "+01:00",
            "utcOffsetMilliseconds": 3_600_000,
            "uiDomain": "app.crm.example",
            "dataHostingLocation": "eu1",
        }

    def roles(self) -> list[Body]:
        """All roles."""
        return [{"id": row.id, **row.body} for row in self._store.every("role", oldest_first=True)]

    def seats(self, role: str | None) -> list[str]:
        """The paid seats that a role takes up."""
        row = None if role is None else self._store.get("role", role)
        return [str(row.body["name"])] if row is not None and row.body["requiresBillingWrite"] else []

    def teams(self) -> list[Body]:
        """All teams, with the ids of users whose primary team it is, and of users for whom it is a secondary team."""
        members = self.users()
        return [
            {
                "id": team.id,
                "name": team.body["name"],
                "userIds": [row.id for row in members if row.body.get("primaryTeamId") == team.id],
                "secondaryUserIds": [row.id for row in members if team.id in row.body["secondaryTeamIds"]],
            }
            for team in self._store.every("team", oldest_first=True)
        ]

    def users(self) -> list[StoredRow]:
        """All users, by id, which is the order in which they were added."""
        return self._store.every("user", oldest_first=True)

    def user(self, property_: str, value: str) -> StoredRow:
        """The user with that id or address; addresses are compared without case.

        Raises:
            Refusal: 404, there is none.
        """
        found = self._store.get("user", value) if property_ == BY_ID else self._by_email(value)
        if found is None:
            name = "userId" if property_ == BY_ID else "email"
            message = f"No user with {name} {value} was found in this account"
            raise Refusal(404, "OBJECT_NOT_FOUND", message, context={name: [value]})
        return found

    def add(self, body: Body) -> tuple[str, Body]:
        """A new user: id and stored properties. The choice about the welcome mail is not stored.

        Raises:
            Refusal: 400 for what is wrong in the body, 409 for an address that is taken.
        """
        with self._change():
            properties = _tidy({"secondaryTeamIds": [], **for_creation(body, self._known()), "superAdmin": False})
            del properties["sendWelcomeEmail"]
            email = properties["email"]
            if self._by_email(email) is not None:
                message = f"A user with the email {email} already exists in this account"
                raise Refusal(409, "CONFLICT", message, context={"email": [email]})
            id_ = str(self._next_id())
            self._store.add("user", [(id_, self._world.present, properties)])
        return id_, properties

    def change(self, property_: str, value: str, body: Body) -> tuple[str, Body]:
        """A user's properties with those that were sent in their place: id and stored properties.

        Raises:
            Refusal: 404, there is no such user; 400 for what is wrong in the body.
        """
        with self._change():
            row = self.user(property_, value)
            properties = _tidy({**row.body, **for_update(body, self._known())})
            self._store.replace("user", row.id, properties)
        return row.id, properties

    def remove(self, property_: str, value: str) -> None:
        """Take a user out of the account.

        Raises:
            Refusal: 404, there is no such user.
        """
        with self._change():
            self._store.remove("user", self.user(property_, value).id)

    @property
    def _store(self) -> Store:
        with self._lock:
            if self._built is None:
                self._built = _opened(self._world, self._database)
            return self._built

    @contextmanager
    def _change(self) -> Iterator[None]:
        """One change at a time, all of it or nothing."""
        with self._lock, self._store.changes():
            yield

    def _known(self) -> Known:
        return Known({row.id for row in self._store.every("role")}, {row.id for row in self._store.every("team")})

    def _by_email(self, email: str) -> StoredRow | None:
        wanted = email.casefold()
        return next((row for row in self.users() if row.body["email"].casefold() == wanted), None)

    def _next_id(self) -> int:
        """Ids of removed users are not used again."""
        last = self._store.every("_sequence")[0].body["id"]
        self._store.replace("_sequence", "last", {"id": last + 1_013})
        return int(last + 1_013)


def _opened(world: World, database: Database | None) -> Store:
    """The account's store, which is filled when it is new."""
    store = Store({}, database, "crm/")
    with store.changes():
        if not store.count("role"):
            store.add("role", people.roles(world))
            store.add("team", people.teams(world))
            users = people.users(world)
            store.add("user", users)
            store.add("_sequence", [("last", world.now, {"id": int(users[-1][0])})])
    return store


def _tidy(properties: dict[str, Any]) -> Body:
    """A primary team is not an additional one too."""
    primary = properties.get("primaryTeamId")
    return {**properties, "secondaryTeamIds": [id_ for id_ in properties["secondaryTeamIds"] if id_ != primary]}
