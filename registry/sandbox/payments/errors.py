"""The error responses of the payments API: message, code and HTTP status.

A body holds ``type``, ``message`` and, where they apply, ``code``, ``param`` and ``doc_url``; members without a value are left
out. Here are the refusals that several operations make, and those of the platform itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

_INVALID = "invalid_request_error"
_PAGES = "https://docs.payments.example/error-codes/"
_LOGS = "https://dashboard.payments.example/logs/"


@dataclass(eq=False)
class ApiError(Exception):
    """A refusal, with the HTTP status and the members of its body."""

    status: int
    message: str
    code: str | None = None
    param: str | None = None
    type: str = _INVALID

    def body(self, request: str | None = None) -> dict[str, Any]:
        """The JSON body of the response; with the request's id, it has the address of its log."""
        members = {
            "code": self.code,
            "doc_url": self.code and _PAGES + self.code.replace("_", "-"),
            "message": self.message,
            "param": self.param,
            "request_log_url": request and f"{_LOGS}{request}",
            "type": self.type,
        }
        return {"error": {name: value for name, value in members.items() if value is not None}}


def refused(message: str, *, code: str | None = None, param: str | None = None) -> ApiError:
    """A request that is understood and not carried out."""
    return ApiError(400, message, code=code, param=param)


def missing(called: str, id_: str, param: str, *, status: int = 404, other_mode: bool = False) -> ApiError:
    """An id that names nothing: 404 in a path, 400 in a parameter. `other_mode`: test mode has it, the key is a live one."""
    message = f"No such {called}: '{id_}'"
    if other_mode:
        message += "; a similar object exists in test mode, but a live mode key was used to make this request."
    return ApiError(status, message, code="resource_missing", param=param)


def testmode_account(id_: str) -> ApiError:
    """A live key asked for an account that only exists in test mode."""
    return refused(
        f"The account {id_} was a test account created with a testmode key, and therefore can only be used with testmode keys."
    )


def needs_secret_key() -> ApiError:
    """A publishable key where a secret one is needed."""
    message = (
        "This API call cannot be made with a publishable API key. Use a secret API key, which your account's settings show."
    )
    return ApiError(401, message, code="secret_key_required")


def masked(key: str) -> str:
    """A key's start and its last four characters; of a short one nothing."""
    shown = 8 if len(key) > 16 else 0
    return key[:shown] + "*" * max(len(key) - shown - 4, 4) + (key[-4:] if shown else "")


FAILURES: dict[int, tuple[str, str | None, str]] = {
    401: ("Expired API Key provided. Create a new one in your account's settings.", "api_key_expired", _INVALID),
    402: ("The card was declined.", "card_declined", "card_error"),
    409: ("Another request is changing this object. Try again when it is done.", None, _INVALID),
    429: ("Too many requests were sent in a short time. Send them more slowly.", "rate_limit", _INVALID),
    500: ("Something went wrong on our side.", None, "api_error"),
    503: ("Something went wrong on our side.", None, "api_error"),
}
"""What any valid request can meet: by status the message, the code and the type."""


def failing(status: int) -> ApiError:
    """One of the failures that any valid request can meet."""
    message, code, type_ = FAILURES[status]
    return ApiError(status, message, code, type=type_)


def locked() -> ApiError:
    """An object that others keep busy; not a matter of how many requests were sent."""
    return ApiError(429, "This object cannot be reached now, because others are at work on it.", code="lock_timeout")
