"""The error responses of the payments API, and the API key of a request with its permissions.

A body holds ``type``, ``message`` and, where they apply, ``code``, ``param`` and ``doc_url``; members without a value are left
out. Here are the refusals that several operations make, and those of the platform itself.

Test and live data are separate worlds; the key selects one. A publishable key allows only the three reads that carry a client
secret. A restricted key names its permissions, separated by two underscores: ``rk_test_customer_read__charge_write`` may read
customers and charges and delete nothing but charges. A permission is the first word of a path after ``/v1``, without its plural
s, and ``read`` or ``write``; write includes read, and ``all_read`` and ``all_write`` mean every path. Other parts are ignored,
so that such a key can end in anything, and a restricted key without a permission in its name may do everything. A key with
``unknown`` or ``expired`` after its mode (``sk_test_expired``) is refused as such.
"""

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

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


def masked(key: str) -> str:
    """A key's start and its last four characters; of a short one nothing."""
    shown = 8 if len(key) > 16 else 0
    return key[:shown] + "*" * max(len(key) - shown - 4, 4) + (key[-4:] if shown else "")


FAILURES: dict[int | str, tuple[int, str, str | None, str]] = {
    401: (401, "Expired API Key provided. Create a new one in your account's settings.", "api_key_expired", _INVALID),
    402: (402, "The card was declined.", "card_declined", "card_error"),
    409: (409, "Another request is changing this object. Try again when it is done.", None, _INVALID),
    429: (429, "Too many requests were sent in a short time. Send them more slowly.", "rate_limit", _INVALID),
    500: (500, "Something went wrong on our side.", None, "api_error"),
    503: (503, "Something went wrong on our side.", None, "api_error"),
    # others keep the object busy; not a matter of how many requests were sent
    "locked": (429, "This object cannot be reached now, because others are at work on it.", "lock_timeout", _INVALID),
    "wrong key": (401, "Invalid API Key provided: {}", None, _INVALID),
    "publishable key": (
        401,
        "This API call cannot be made with a publishable API key. Use a secret API key, which your account's settings show.",
        "secret_key_required",
        _INVALID,
    ),
    "test account": (
        400,
        "The account {} was a test account created with a testmode key, and therefore can only be used with testmode keys.",
        None,
        _INVALID,
    ),
}
"""What any valid request can meet, by status, and other refusals by what is wrong: status, message, code and type."""


def failing(why: int | str, about: str = "") -> ApiError:
    """One of `FAILURES`; the message may name a key or an id."""
    status, message, code, type_ = FAILURES[why]
    return ApiError(status, message.format(about), code, type=type_)


_PERMISSION = re.compile(r"[a-z_]+_(?:read|write)", re.ASCII)
_FORM = re.compile(r"(sk|rk|pk)_(test|live)_(\w+)", re.ASCII)


class Key(NamedTuple):
    """The mode and permissions of a key."""

    live: bool
    publishable: bool
    text: str
    permissions: frozenset[str] | None

    def lacking(self, resources: Sequence[str], rights: Sequence[str], account: str) -> ApiError | None:
        """The refusal of a key that has none of these rights to any of these resources; None if it has one."""
        if self.permissions is None or not resources:
            return None
        if self.permissions & {f"{name}_{right}" for name in (*resources, "all") for right in rights}:
            return None
        return ApiError(
            403,
            f"The provided key '{masked(self.text)}' does not have the required permissions for this endpoint on account "
            f"'{account}'. Having the 'rak_{resources[0]}_{rights[0]}' permission would allow this request to continue.",
        )


def key_of(authorization: str | None) -> Key:
    """The key of an Authorization header: Bearer, or Basic with the key as the user name.

    Raises:
        ApiError: 401, without a key or with an invalid one.
    """
    scheme, _, rest = (authorization or "").strip().partition(" ")
    kind, rest = scheme.lower(), rest.strip()
    text = rest if kind == "bearer" else _user_name(rest) if kind == "basic" else ""
    if not text:
        raise ApiError(
            401,
            "You did not provide an API key. Send your secret key in the Authorization header, as 'Bearer <key>' or as the "
            "user name of HTTP Basic with an empty password.",
        )
    form = _FORM.fullmatch(text)
    if form is None or form[3].startswith("unknown"):
        raise failing("wrong key", masked(text))
    if form[3].startswith("expired"):
        raise failing(401)
    named = frozenset(filter(_PERMISSION.fullmatch, form[3].split("__"))) if form[1] == "rk" else None
    return Key(live=form[2] == "live", publishable=form[1] == "pk", text=text, permissions=named or None)


def _user_name(encoded: str) -> str:
    try:
        return base64.b64decode(encoded, validate=True).decode("ascii").partition(":")[0]
    except ValueError:
        return ""
