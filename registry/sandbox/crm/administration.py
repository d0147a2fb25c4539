"""The CRM's account: its roles, its teams, and its users, kept in one store: found, added, changed and removed, or why not.

The cast comes first; the others are invented, from many countries, and named by the dice. Ids are decimal numbers that grow
with the time at which somebody was added.

A refusal's body is ``{"status": "error", "message", "correlationId", "category"}`` with ``errors``, ``context`` and ``links``
where there is something to say in them. The correlation id is set when the response is written.
"""

import re
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from itertools import product
from typing import Any

from registry.sandbox.store import Body, Database, Rows, Store, StoredRow
from registry.sandbox.world import DAY, DOMAIN, HELD, PEOPLE, ROUGH_NAMES, TEAMS, World

INVENTED = 132
_ROLES = (
    ("sales", "Sales", True),
    ("service", "Service", True),
    ("marketing", "Marketing", False),
    ("reporting", "Reports only", False),
    ("billing", "Billing", False),
    ("admin", "User administration", False),
    ("partner", "Partner (restricted)", False),
)
_MORE_TEAMS = {"sales-north": "Sales North", "sales-south": "Sales South", "partners": "Partners & Resellers"}
_ROLE_OF_TEAM = {
    "support": "service",
    "finance": "billing",
    "sales-north": "sales",
    "sales-south": "sales",
    "partners": "partner",
}
_SUPER_ADMINS = ("zoe.martin", "hana.kim")


def roles(world: World) -> Rows:
    """All roles, as rows of the store."""
    first = 100_000 + int(world.digits("crm/roles", 5))
    return [
        (str(first + 211 * place), world.now - (700 - place) * DAY, {"name": name, "requiresBillingWrite": paid})
        for place, (_, name, paid) in enumerate(_ROLES)
    ]


def teams(world: World) -> Rows:
    """All teams, as rows of the store. Who is in them is known to the users."""
    first = 20_000_000 + int(world.digits("crm/teams", 6))
    return [
        (str(first + 1_009 * place), world.now - (690 - place) * DAY, {"name": name})
        for place, name in enumerate([*TEAMS.values(), *_MORE_TEAMS.values()])
    ]


def portal(world: World) -> int:
    """The id of the account."""
    return 10_000_000 + int(world.digits("crm/account", 7))


def users(world: World) -> Rows:
    """All users, as rows of the store, in the order in which they were added. Properties without a value are left out."""
    dice = world.dice("crm/users")
    role_ids = dict(zip((key for key, _, _ in _ROLES), (id_ for id_, _, _ in roles(world)), strict=True))
    team_ids = dict(zip((*TEAMS, *_MORE_TEAMS), (id_ for id_, _, _ in teams(world)), strict=True))
    bodies = []
    for person in PEOPLE:
        body: Body = {
            "email": person.email,
            "firstName": person.first_name,
            "lastName": person.last_name,
            "superAdmin": person.key in _SUPER_ADMINS,
            "primaryTeamId": team_ids[person.teams[0]],
            "secondaryTeamIds": [team_ids[key] for key in person.teams[1:]],
        }
        if not body["superAdmin"]:
            body["roleId"] = role_ids[_ROLE_OF_TEAM.get(person.teams[0], "reporting")]
        bodies.append(body)
    names = dice.sample(list(product(HELD["first names"], HELD["last names"])), INVENTED)
    for (first, first_spelt), (last, last_spelt) in names:
        team = dice.choice((*_ROLE_OF_TEAM, *_ROLE_OF_TEAM, "web", None))
        body = {"email": f"{first_spelt}.{last_spelt}@{DOMAIN}", "superAdmin": False}
        if team != "partners" or dice.random() < 0.6:
            body |= {"firstName": first, "lastName": last}
        if team is not None:
            body |= {"primaryTeamId": team_ids[team], "roleId": role_ids[_ROLE_OF_TEAM.get(team, "marketing")]}
        more = dice.sample(list(team_ids), dice.choice((0, 0, 0, 1, 1, 2)))
        body["secondaryTeamIds"] = [team_ids[key] for key in more if key != team]
        bodies.append(body)
    if world.rough:
        for body, (first, last) in zip(bodies[-len(ROUGH_NAMES) :], ROUGH_NAMES, strict=True):
            body |= {"firstName": first, "lastName": last}
    first_id = 41_000_000 + int(world.digits("crm/users", 6))
    return [(str(first_id + 1_013 * place), world.now - (600 - 4 * place) * DAY, body) for place, body in enumerate(bodies)]


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
        return {"portalId": portal(self.world), **HELD["crm"]}

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
            # What a new user starts with: the email address and `sendWelcomeEmail` are required.
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
            said = {"email": email, **for_update(body, self._known())}
            properties = _tidy({"secondaryTeamIds": [], **said, "superAdmin": False})
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
            if self._built is None:
                self._built = store = Store({}, self._database, "crm/")
                with store.changes():
                    if not store.count("role"):
                        store.add("role", roles(self.world))
                        store.add("team", teams(self.world))
                        everyone = users(self.world)
                        store.add("user", everyone)
                        store.add("_sequence", [("last", self.world.now, {"id": int(everyone[-1][0])})])
            return self._built

    def _known(self) -> Known:
        return {kind: {row.id for row in self._store.every(kind)} for kind in ("role", "team")}

    def _by_email(self, email: str) -> StoredRow | None:
        wanted = email.casefold()
        return next((row for row in self.users() if row.body["email"].casefold() == wanted), None)


def _tidy(properties: dict[str, Any]) -> Body:
    """A primary team is not an additional one too."""
    primary = properties.get("primaryTeamId")
    return {**properties, "secondaryTeamIds": [id_ for id_ in properties["secondaryTeamIds"] if id_ != primary]}
