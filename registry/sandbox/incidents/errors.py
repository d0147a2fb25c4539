"""The refusals of the incident service: a numeric code, a message and, if known, the details.

A body is ``{"error": {"message", "code", "errors"}}``; `errors` is omitted without details. Two refusals look
different, as they do outside: an address that is too long is turned away before the service sees it (plain text), and an
account-level token that asks who it is gets its reason as a plain string under ``error``.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Kind(NamedTuple):
    """What refusals of one kind have in common."""

    status: int
    message: str
    code: int


INVALID = Kind(400, "Invalid Input Provided", 2001)  # a parameter's value that the service cannot take
NO_USER = Kind(400, "The request can't be completed: it was made with an account-level access token.", 2001)
TOO_DEEP = Kind(400, "Arguments Caused Error", 2002)  # a page beyond the 10,000th object of its list
BAD_TIME = Kind(400, "Invalid time values in since/until", 2004)
BAD_RANGE = Kind(400, "Invalid Query Date Range", 2005)
UNAUTHENTICATED = Kind(401, "Authentication failed", 2006)  # no proper token, or one that has expired or was revoked
MISSING_ABILITY = Kind(402, "Missing Account Ability", 2014)  # the account has not paid for what the request needs
DENIED = Kind(403, "Access Denied", 2010)  # this token may not do that
NOT_FOUND = Kind(404, "Not Found", 2100)  # no such path, object, or method of the path
TOO_SLOW = Kind(408, "Request Took Too Long", 2016)
TOO_MANY = Kind(429, "Rate Limit Exceeded", 2020)
BROKEN = Kind(500, "Internal Server Error", 2000)
UNAVAILABLE = Kind(503, "Service Unavailable", 2000)


class Refusal(Exception):
    """A request that is not carried out."""

    def __init__(self, kind: Kind, *errors: str) -> None:
        super().__init__(kind.message)
        self.status, self.message, self.code = kind
        self.errors = errors

    def body(self) -> dict[str, Any]:
        """The JSON body of the response."""
        if self.message == NO_USER.message:
            return {"error": self.message}
        error: dict[str, Any] = {"message": self.message, "code": self.code}
        return {"error": {**error, "errors": list(self.errors)} if self.errors else error}


def bad_range() -> Refusal:
    """A window that ends before it starts."""
    return Refusal(BAD_RANGE, "Until must not be before since.")


def too_wide() -> Refusal:
    """A window of more than six months. The text says as little as it does outside."""
    return Refusal(INVALID, " is invalid.")
