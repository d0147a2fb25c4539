"""The refusals of the CRM: a category, a message and what belongs to it.

A body is ``{"status": "error", "message", "correlationId", "category"}`` with ``errors``, ``context`` and ``links`` where
there is something to say in them. The correlation id is set when the response is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

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
        """The JSON body of the response."""
        return {
            "status": "error",
            "message": self.message,
            "correlationId": correlation_id,
            **self.members,
            "category": self.category,
        }


class RateLimited(Refusal):
    """429: more requests than an app may send in ten seconds. Its body has other members than those of all other refusals."""

    def __init__(self) -> None:
        super().__init__(429, "RATE_LIMIT", "You have reached your ten_secondly_rolling limit.")

    def body(self, correlation_id: str) -> dict[str, Any]:
        """The JSON body of the response."""
        return {
            "status": "error",
            "message": self.message,
            "errorType": self.category,
            "correlationId": correlation_id,
            "policyName": "TEN_SECONDLY_ROLLING",
            "groupName": "publicapi:crm:users",
        }


def invalid(message: str, where: str, code: str) -> Refusal:
    """400: an invalid value. `where` is the property or parameter, `code` names what is wrong with it."""
    return Refusal(400, "VALIDATION_ERROR", message, errors=[{"message": message, "in": where, "code": code}])


def unauthenticated() -> Refusal:
    """401: no token, or one that is not written as a token is."""
    return Refusal(
        401,
        "INVALID_AUTHENTICATION",
        "Authentication credentials were not found or are not valid. Send an OAuth or private app token as a Bearer token.",
    )


def conflict() -> Refusal:
    """409: another request is at work on the same object."""
    return Refusal(409, "CONFLICT", "Another request is changing this object. Try again when it is done")


def broken(status: int) -> Refusal:
    """500 or 503: the service itself fails."""
    return Refusal(
        status, "INTERNAL_ERROR" if status == 500 else "SERVICE_UNAVAILABLE", "There was a problem with the request."
    )


def expired(ago: int, ended: int) -> Refusal:
    """401: a token whose time was over `ago` seconds before, at the moment `ended` (Unix seconds)."""
    when = datetime.fromtimestamp(ended, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    return Refusal(
        401,
        "EXPIRED_AUTHENTICATION",
        f"The OAuth token used to make this call expired {ago} second(s) ago.",
        context={"expire time": [when]},
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
