"""The users of the CRM's account, kept in one store: found, added, changed and removed, or why not.

A refusal's body is ``{"status": "error", "message", "correlationId", "category"}`` with ``errors``, ``context`` and ``links``
where there is something to say in them. The correlation id is set when the response is written.
"""

import re
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from registry.sandbox.company import HELD
from registry.sandbox.crm import people
from registry.sandbox.requests import NotJson, loads
from registry.sandbox.store import Body, Database, Store, StoredRow
from registry.sandbox.world import World

READ_SCOPES = ("crm.objects.users.read", "settings.users.read")
TEAM_SCOPES = ("settings.users.teams.read",)
WRITE_SCOPES = ("crm.objects.users.write", "settings.users.write")
SEAT_SCOPES = ("billing-write",)


class Refusal(Exception):
    """A request that is not carried out: HTTP status and the members of its body."""

    def __init__(self, status: int, category: str, message: str, **members: Any) -> None:
        super().__init__(message)
        self.status = status
        self.category = category
        self.message = message
        self.members = members

    def body(self, correlation_id: str) -> dict[str, Any]:
        """The JSON body of the response: those of limits have other members than all others."""
        said = {"status": "error", "message": self.message}
        if self.status == 429:
            policy = self.message.split()[-2].upper()  # "your daily limit."
            id_ = {"requestId" if policy == "DAILY" else "correlationId": correlation_id}
            limit = {"policyName": policy, "groupName": "publicapi:crm:users"}
            return {**said, "errorType": self.category, **id_, **limit}
        return {**said, "correlationId": correlation_id, **self.members, "category": self.category}


def invalid(message: str, where: str, code: str) -> Refusal:
    """400: an invalid value. `where` is the property or parameter, `code` names what is wrong with it."""
    return Refusal(400, "VALIDATION_ERROR", message, errors=[{"message": message, "in": where, "code": code}])


UNAUTHENTICATED = (
    401,
    "INVALID_AUTHENTICATION",
    "Authentication credentials were not found or are not valid. Send an OAuth or private app token as a Bearer token.",
)
FAILURES: dict[int | str, tuple[str, str]] = {
    409: ("CONFLICT", "Another request is changing this object. Try again when it is done"),
    429: ("RATE_LIMIT", "You have reached your ten_secondly_rolling limit."),
    "daily": ("RATE_LIMIT", "You have reached your daily limit."),
    500: ("INTERNAL_ERROR", "There was a problem with the request."),
    503: ("SERVICE_UNAVAILABLE", "There was a problem with the request."),
}
"""What any valid request can meet: by status, or the name of a limit, the category and the message."""


def expired(ago: int, ended: int) -> Refusal:
    """401: a token whose time was over `ago` seconds before, at the moment `ended` (Unix seconds)."""
    return Refusal(
        401,
        "EXPIRED_AUTHENTICATION",
        f"The OAuth token used to make this call expired {ago} second(s) ago.",
        context={"expire time": [datetime.fromtimestamp(ended, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")]},
    )


def missing_scopes(scopes: Sequence[str]) -> Refusal:
    """403: the token lacks the scopes, one of which is needed."""
    return Refusal(
        403,
        "MISSING_SCOPES",
        "This app hasn't been granted all required scopes to make this call. Read more about required scopes here: "
        "https://docs.crm.example/scopes.",
        errors=[
            {
                "message": "One or more of the following scopes are required.",
                "context": {"requiredScopes": list(scopes)},
            }
        ],
        links={"scopes": "https://docs.crm.example/scopes"},
    )


_EMAIL = re.compile(r"[^@\s<>,;:\"()\[\]\\]+@[^@\s<>,;:\"()\[\]\\.]+(\.[^@\s<>,;:\"()\[\]\\.]+)+")


Known = Mapping[str, Collection[str]]
"""The ids that a user may refer to: of roles (``role``) and teams (``team``)."""


def read_json(content: bytes) -> Body:
    """The object that a request's body holds.

    Raises:
        Refusal: 400, it is not a JSON object.
    """
    try:
        body = loads(content)
    except NotJson as error:
        raise Refusal(400, "VALIDATION_ERROR", f"Invalid input JSON: {error}") from error
    if not isinstance(body, dict):
        raise Refusal(400, "VALIDATION_ERROR", "Invalid input JSON: an object is expected")
    return body


def for_creation(body: Body, known: Known) -> Body:
    """What a new user starts with. The email address and `sendWelcomeEmail` are required.

    Raises:
        Refusal: 400, naming what is missing or what is wrong.
    """
    missing = [name for name in ("email", "sendWelcomeEmail") if body.get(name) is None]
    if missing:
        errors = [{"message": f"{name} is required", "in": name, "code": "REQUIRED_FIELD"} for name in missing]
        message = f"Some required fields were not set: [{', '.join(missing)}]"
        raise Refusal(400, "VALIDATION_ERROR", message, errors=errors)
    email = _text("email", body["email"])
    if not _EMAIL.fullmatch(email):
        raise invalid(f"Email address {email} is invalid", "email", "INVALID_EMAIL")
    if not isinstance(body["sendWelcomeEmail"], bool):
        raise invalid("sendWelcomeEmail must be a boolean", "sendWelcomeEmail", "INVALID_TYPE")
    return {"email": email, **for_update(body, known)}


def for_update(body: Body, known: Known) -> Body:
    """The changes to a user; a property that was not sent, or sent as null, stays. No other property can be changed.

    Raises:
        Refusal: 400, naming what is wrong.
    """
    readers: dict[str, Callable[[str, Any], Any]] = {
        "firstName": _text,
        "lastName": _text,
        "roleId": lambda name, value: _one_of(name, value, known, "role"),
        "primaryTeamId": lambda name, value: _one_of(name, value, known, "team"),
        "secondaryTeamIds": lambda name, value: _teams(name, value, known),
    }
    return {name: read(name, body[name]) for name, read in readers.items() if body.get(name) is not None}


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise invalid(f"{name} must be a string", name, "INVALID_TYPE")
    if any("\ud800" <= letter <= "\udfff" for letter in value):
        raise invalid(f"{name} holds half a character", name, "INVALID_TEXT")
    return value


def _one_of(name: str, value: Any, known: Known, called: str) -> str:
    id_ = _text(name, value)
    if id_ not in known[called]:
        raise invalid(f"There is no {called} with id {id_} in this account", name, f"INVALID_{called.upper()}_ID")
    return id_


def _teams(name: str, value: Any, known: Known) -> list[str]:
    if not isinstance(value, list):
        raise invalid(f"{name} must be an array of strings", name, "INVALID_TYPE")
    return list(dict.fromkeys(_one_of(name, one, known, "team") for one in value))


BY_ID, BY_EMAIL = "USER_ID", "EMAIL"


class Administration:
    """Reads and changes the account. Safe to use from several threads."""

    def __init__(self, world: World, database: Database | None = None) -> None:
        self.world, self._database = world, database
        self._lock = threading.RLock()
        self._built: Store | None = None

    def correlation_id(self) -> str:
        """An id for one response, never given twice."""
        return self.world.uuid(f"crm/correlation/{self._store.next('correlation')}")

    def details(self) -> Body:
        """What the account is."""
        return {"portalId": people.portal(self.world), **HELD["crm"]}

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
        with self._lock, self._store.changes():
            properties = _tidy({"secondaryTeamIds": [], **for_creation(body, self._known()), "superAdmin": False})
            email = properties["email"]
            if self._by_email(email) is not None:
                message = f"A user with the email {email} already exists in this account"
                raise Refusal(409, "CONFLICT", message, context={"email": [email]})
            last = self._store.every("_sequence")[0].body["id"]
            id_ = str(last + 1_013)  # ids of removed users are not used again
            self._store.replace("_sequence", "last", {"id": last + 1_013})
            self._store.add("user", [(id_, self.world.present, properties)])
        return id_, properties

    def change(self, property_: str, value: str, body: Body) -> tuple[str, Body]:
        """A user's properties with those that were sent in their place: id and stored properties.

        Raises:
            Refusal: 404, there is no such user; 400 for what is wrong in the body.
        """
        with self._lock, self._store.changes():
            row = self.user(property_, value)
            properties = _tidy({**row.body, **for_update(body, self._known())})
            self._store.replace("user", row.id, properties)
        return row.id, properties

    def remove(self, property_: str, value: str) -> None:
        """Take a user out of the account.

        Raises:
            Refusal: 404, there is no such user.
        """
        with self._lock, self._store.changes():
            self._store.remove("user", self.user(property_, value).id)

    @property
    def _store(self) -> Store:
        with self._lock:
            self._built = self._built or _opened(self.world, self._database)
            return self._built

    def _known(self) -> Known:
        return {kind: {row.id for row in self._store.every(kind)} for kind in ("role", "team")}

    def _by_email(self, email: str) -> StoredRow | None:
        wanted = email.casefold()
        return next((row for row in self.users() if row.body["email"].casefold() == wanted), None)


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
