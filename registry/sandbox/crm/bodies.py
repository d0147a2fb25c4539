"""What a caller may say about a user: the properties of a request's body, checked one by one."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

from registry.sandbox.crm.errors import Refusal, invalid
from registry.sandbox.requests import NotJson, loads
from registry.sandbox.store import Body

_EMAIL = re.compile(r"[^@\s<>,;:\"()\[\]\\]+@[^@\s<>,;:\"()\[\]\\.]+(\.[^@\s<>,;:\"()\[\]\\.]+)+")


class Known(NamedTuple):
    """The ids that a user may refer to."""

    roles: Collection[str]
    teams: Collection[str]


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
    welcome = body["sendWelcomeEmail"]
    if not isinstance(welcome, bool):
        raise invalid("sendWelcomeEmail must be a boolean", "sendWelcomeEmail", "INVALID_TYPE")
    return {"email": email, "sendWelcomeEmail": welcome, **for_update(body, known)}


def for_update(body: Body, known: Known) -> Body:
    """The changes to a user; a property that was not sent, or sent as null, stays. No other property can be changed.

    Raises:
        Refusal: 400, naming what is wrong.
    """
    readers: dict[str, Callable[[str, Any], Any]] = {
        "firstName": _text,
        "lastName": _text,
        "roleId": lambda name, value: _one_of(name, value, known.roles, "role"),
        "primaryTeamId": lambda name, value: _one_of(name, value, known.teams, "team"),
        "secondaryTeamIds": lambda name, value: _teams(name, value, known.teams),
    }
    return {name: read(name, body[name]) for name, read in readers.items() if body.get(name) is not None}


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise invalid(f"{name} must be a string", name, "INVALID_TYPE")
    if any("\ud800" <= letter <= "\udfff" for letter in value):
        raise invalid(f"{name} holds half a character", name, "INVALID_TEXT")
    return value


def _one_of(name: str, value: Any, known: Collection[str], called: str) -> str:
    id_ = _text(name, value)
    if id_ not in known:
        raise invalid(f"There is no {called} with id {id_} in this account", name, f"INVALID_{called.upper()}_ID")
    return id_


def _teams(name: str, value: Any, known: Collection[str]) -> list[str]:
    if not isinstance(value, list):
        raise invalid(f"{name} must be an array of strings", name, "INVALID_TYPE")
    return list(dict.fromkeys(_one_of(name, one, known, "team") for one in value))
