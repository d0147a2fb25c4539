"""The API key of a request, and its permissions.

Test and live data are separate worlds; the key selects one. A publishable key allows only the three reads that carry a client
secret.

A restricted key names its permissions, separated by two underscores: ``rk_test_customer_read__charge_write`` may read
customers and charges and delete nothing but charges. A permission is the first word of a path after ``/v1``, without its
plural s, and ``read`` or ``write``; write includes read, and ``all_read`` and ``all_write`` mean
every path. Other parts are ignored, so that such a key can end in anything, and a restricted key without a permission
in its name may do everything.

A key with ``unknown`` or ``expired`` after its mode (``sk_test_expired``) is refused as such.
"""

from __future__ import annotations

import base64
import re
from typing import NamedTuple

from registry.sandbox.payments.errors import ApiError, failing, masked

_PERMISSION = re.compile(r"[a-z_]+_(?:read|write)", re.ASCII)
_FORM = re.compile(r"(sk|rk|pk)_(test|live)_(\w+)", re.ASCII)


class Key(NamedTuple):
    """The mode and permissions of a key."""

    live: bool
    publishable: bool
    text: str
    permissions: frozenset[str] | None

    def lacking(self, method: str, path: str, account: str) -> ApiError | None:
        """The refusal of a request that the key does not permit; None if it does."""
        if self.permissions is None:
            return None
        resource = path.split("/")[2].removesuffix("s")
        rights = ("write",) if method == "DELETE" else ("read", "write")
        if self.permissions & {f"{name}_{right}" for name in (resource, "all") for right in rights}:
            return None
        return ApiError(
            403,
            f"The provided key '{masked(self.text)}' does not have the required permissions for this endpoint on account "
            f"'{account}'. Having the 'rak_{resource}_{rights[0]}' permission would allow this request to continue.",
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
        raise ApiError(401, f"Invalid API Key provided: {masked(text)}")
    if form[3].startswith("expired"):
        raise failing(401)
    named = frozenset(filter(_PERMISSION.fullmatch, form[3].split("__"))) if form[1] == "rk" else None
    return Key(live=form[2] == "live", publishable=form[1] == "pk", text=text, permissions=named or None)


def _user_name(encoded: str) -> str:
    try:
        return base64.b64decode(encoded, validate=True).decode("ascii").partition(":")[0]
    except ValueError:
        return ""
