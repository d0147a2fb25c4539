"""The refusals of the incident service: a numeric code, a message and, if known, the details.

A body is ``{"error": {"message", "code", "errors"}}``; `errors` is omitted without details. Two refusals look
different, as they do outside: an address that is too long is turned away before the service sees it (plain text), and an
account-level token that asks who it is gets its reason as a plain string under ``error``.
"""

from __future__ import annotations

from typing import Any


class Refusal(Exception):
    """A request that is not carried out: HTTP status and JSON body."""

    def __init__(self, status: int, message: str, code: int, *errors: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.errors = errors

    def body(self) -> dict[str, Any]:
        """The JSON body of the response."""
        error: dict[str, Any] = {"message": self.message, "code": self.code}
        if self.errors:
            error["errors"] = list(self.errors)
        return {"error": error}


class NoUserOfToken(Refusal):
    """`/users/me` with a token that belongs to the account and not to a person: 400, the reason as a plain string."""

    def __init__(self) -> None:
        super().__init__(400, "The request can't be completed: it was made with an account-level access token.", 2001)

    def body(self) -> dict[str, Any]:
        """The JSON body of the response."""
        return {"error": self.message}


def invalid(*errors: str) -> Refusal:
    """400: a parameter's value that the service cannot take."""
    return Refusal(400, "Invalid Input Provided", 2001, *errors)


def too_deep() -> Refusal:
    """400: a page beyond the 10,000th object of its list."""
    return Refusal(
        400,
        "Arguments Caused Error",
        2002,
        "Offset+limit exceeds maximum allowed value of 10000. Please try to refine your search to get fewer results.",
    )


def bad_time(name: str) -> Refusal:
    """400: `since` or `until` is not an ISO 8601 time."""
    return Refusal(400, "Invalid time values in since/until", 2004, f"{name.capitalize()} is not a valid ISO 8601 time.")


def bad_range() -> Refusal:
    """400: a window that ends before it starts."""
    return Refusal(400, "Invalid Query Date Range", 2005, "Until must not be before since.")


def too_wide() -> Refusal:
    """400: a window of more than six months. The text says as little as it does outside."""
    return invalid(" is invalid.")


def unauthenticated() -> Refusal:
    """401: no token, one that is not written as a token is, or one that has expired or was revoked."""
    return Refusal(401, "Authentication failed", 2006)


def read_only() -> Refusal:
    """403: this token may not change anything."""
    return Refusal(403, "Access Denied", 2010)


def lacks_scope() -> Refusal:
    """403: this token lacks the scope for the request."""
    return Refusal(403, "Access Denied", 2010, "The token does not have the required scope.")


def failing(status: int) -> Refusal:
    """429, 500 or 503: the service is out of order."""
    if status == 429:
        return Refusal(429, "Rate Limit Exceeded", 2020)
    return Refusal(status, "Service Unavailable" if status == 503 else "Internal Server Error", 2000)


def missing_ability() -> Refusal:
    """402: the account has not paid for what the request needs."""
    return Refusal(402, "Missing Account Ability", 2014)


def too_slow() -> Refusal:
    """408: the request took the service too long."""
    return Refusal(408, "Request Took Too Long", 2016)


def no_such_operation() -> Refusal:
    """404: a path that the sandbox does not have; the service may have it."""
    return Refusal(404, "Not Found", 2100, "The sandbox has the operations that the tools need; this is none of them.")


def not_found() -> Refusal:
    """404: neither that path nor that object is there, or the method is not one of the path's."""
    return Refusal(404, "Not Found", 2100)
