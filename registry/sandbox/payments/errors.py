"""The error responses of the payments API: message, code and HTTP status.

Every refusal that a caller can meet is made here, so that the same mistake reads the same wherever it is made. A body holds
``type``, ``message`` and, where they apply, ``code``, ``param`` and ``doc_url``; members without a value are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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


def unrecognised(method: str, path: str) -> ApiError:
    """A method and path that the sandbox does not have; the service may have them."""
    words = "Check the method, the path and the host. The sandbox has the operations that the tools need; this is none of them."
    return ApiError(404, f"Unrecognized request URL ({method}: {path}). {words}")


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


def no_key() -> ApiError:
    """A request without a key."""
    return ApiError(
        401,
        "You did not provide an API key. Send your secret key in the Authorization header, as 'Bearer <key>' or as the user "
        "name of HTTP Basic with an empty password.",
    )


def wrong_key(key: str) -> ApiError:
    """An invalid key. Only its start and its last four characters are repeated."""
    return ApiError(401, f"Invalid API Key provided: {_masked(key)}")


def lacks_permission(key: str, account: str, permission: str) -> ApiError:
    """A restricted key that may not do this; `permission` is what it lacks."""
    return ApiError(
        403,
        f"The provided key '{_masked(key)}' does not have the required permissions for this endpoint on account '{account}'. "
        f"Having the '{permission}' permission would allow this request to continue.",
    )


def no_access(key: str, account: str) -> ApiError:
    """A request on behalf of an account that is not there, or not connected to the key's own."""
    return ApiError(
        403,
        f"The provided key '{_masked(key)}' does not have access to account '{account}' (or that account does not exist). "
        "Application access may have been revoked.",
        code="account_invalid",
    )


def deleted_account(account: str) -> ApiError:
    """A request on behalf of a connected account that was deleted."""
    return ApiError(403, f"The account {account} has been deleted, so this action cannot be completed.")


def _masked(key: str) -> str:
    """A key's start and its last four characters; of a short one nothing."""
    shown = 8 if len(key) > 16 else 0
    return key[:shown] + "*" * max(len(key) - shown - 4, 4) + (key[-4:] if shown else "")


def needs_secret_key() -> ApiError:
    """A publishable key where a secret one is needed."""
    return ApiError(
        401,
        "This API call cannot be made with a publishable API key. Use a secret API key, which your account's settings show.",
        code="secret_key_required",
    )


def unknown_parameters(names: Sequence[str]) -> ApiError:
    """Parameters that the operation does not have."""
    plural = "s" if len(names) > 1 else ""
    return refused(f"Received unknown parameter{plural}: {', '.join(names)}", code="parameter_unknown", param=names[0])


def missing_parameter(name: str) -> ApiError:
    """A required parameter that was not sent."""
    return refused(f"Missing required param: {name}.", code="parameter_missing", param=name)


def empty_parameter(name: str) -> ApiError:
    """A parameter that was sent without a value."""
    return refused(
        f"You passed an empty string for '{name}'. Leave the parameter out, or give it a value.",
        code="parameter_invalid_empty",
        param=name,
    )


def not_an_integer(name: str, value: str) -> ApiError:
    """A value that should be a whole number."""
    return refused(f"Invalid integer: {value}", code="parameter_invalid_integer", param=name)


def out_of_bounds(name: str, lowest: int, highest: int | None) -> ApiError:
    """A whole number that is too small or too large."""
    bounds = f"at least {lowest}" if highest is None else f"from {lowest} to {highest}"
    return refused(f"Invalid {name}: must be {bounds}", code="parameter_invalid_integer", param=name)


def not_a_choice(name: str, choices: Iterable[str]) -> ApiError:
    """A value that the parameter does not accept."""
    *others, last = choices
    allowed = f"one of {', '.join(others)} or {last}" if others else last
    return refused(f"Invalid {name}: must be {allowed}", param=name)


def not_a_flag(name: str, value: str) -> ApiError:
    """A value that should be true or false."""
    return refused(f"Invalid boolean: {value}", param=name)


def not_an_array(name: str) -> ApiError:
    """A plain value, or a hash, for a parameter that takes an array."""
    return refused("Invalid array", param=name)


def not_a_value(name: str) -> ApiError:
    """An array or a hash for a parameter that takes one value."""
    return refused("Invalid string: a single value is expected", param=name)


def both_cursors() -> ApiError:
    """A page with both cursors: after one object and before another."""
    return refused("Received both starting_after and ending_before parameters. Please pass in only one.")


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
