"""The error responses of the payments API: message, code and HTTP status.

A body holds ``type``, ``message`` and, where they apply, ``code``, ``param`` and ``doc_url``; members without a value are left
out. Here are the refusals that several operations make, and those of the platform itself.
"""

from __future__ import annotations

from typing import Any

_PAGES = "https://docs.payments.example/error-codes/"
_LOGS = "https://dashboard.payments.example/logs/"


class ApiError(Exception):
    """A refusal, with the HTTP status and the members of its body."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        code: str | None = None,
        param: str | None = None,
        type_: str = "invalid_request_error",
    ) -> None:
        super().__init__(message)
        self.status = status
        self.type = type_
        self.message = message
        self.code = code
        self.param = param

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
    return ApiError(
        401,
        "This API call cannot be made with a publishable API key. Use a secret API key, which your account's settings show.",
        code="secret_key_required",
    )


def masked(key: str) -> str:
    """A key's start and its last four characters; of a short one nothing."""
    shown = 8 if len(key) > 16 else 0
    return key[:shown] + "*" * max(len(key) - shown - 4, 4) + (key[-4:] if shown else "")


def expired_key() -> ApiError:
    """A key whose time is over."""
    return ApiError(401, "Expired API Key provided. Create a new one in your account's settings.", code="api_key_expired")


def declined() -> ApiError:
    """A request that is valid and failed."""
    return ApiError(402, "The card was declined.", code="card_declined", type_="card_error")


def conflict() -> ApiError:
    """Another request is at work on the same object."""
    return ApiError(409, "Another request is changing this object. Try again when it is done.")


def too_many() -> ApiError:
    """More requests than the account may send."""
    return ApiError(429, "Too many requests were sent in a short time. Send them more slowly.", code="rate_limit")


def locked() -> ApiError:
    """An object that others keep busy; not a matter of how many requests were sent."""
    return ApiError(429, "This object cannot be reached now, because others are at work on it.", code="lock_timeout")


def broken(status: int) -> ApiError:
    """500 or 503: the service itself fails."""
    return ApiError(status, "Something went wrong on our side.", type_="api_error")
