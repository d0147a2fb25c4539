"""Who asks: the API key of a request, and what it opens.

Test and live data are separate worlds, and the key decides. A publishable key opens nothing but the three reads that prove
themselves with a client secret.
"""

from __future__ import annotations

import base64
import re
from typing import NamedTuple

from registry.sandbox.payments.errors import no_key, wrong_key

_FORM = re.compile(r"(sk|rk|pk)_(test|live)_\w+", re.ASCII)


class Key(NamedTuple):
    """What a key says about its request."""

    live: bool
    publishable: bool


def key_of(authorization: str | None) -> Key:
    """The key of an Authorization header: Bearer, or Basic with the key as the user name.

    Raises:
        ApiError: 401, without a key or with something that is none.
    """
    scheme, _, rest = (authorization or "").strip().partition(" ")
    match scheme.lower():
        case "bearer":
            text = rest.strip()
        case "basic":
            text = _user_name(rest.strip())
        case _:
            text = ""
    if not text:
        raise no_key()
    form = _FORM.fullmatch(text)
    if form is None:
        raise wrong_key(text)
    return Key(live=form[2] == "live", publishable=form[1] == "pk")


def _user_name(encoded: str) -> str:
    try:
        return base64.b64decode(encoded, validate=True).decode("ascii").partition(":")[0]
    except ValueError:
        return ""
