"""Authenticates visitors: by a link with a token, or by the header in which a proxy names the signed-in user.

A token and a cookie are 256 random bits; only their digests are kept here.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

_LONGEST_STAY = 12 * 3600.0
_MOST = 10_000
_USER = re.compile(r"[\x21-\x7e][\x20-\x7e]{0,254}")


@dataclass(frozen=True, slots=True)
class Visitor:
    """An authenticated visitor.

    Attributes:
        id: distinguishes visitors; not secret.
        user: the user's name from the proxy; empty without a proxy that names users.
    """

    id: str
    user: str = ""


class Visitors:
    """The authenticated visitors.

    Args:
        cookie: the cookie's name.
        header: the header in which a proxy names the user, in lower case; empty to log in by links.
        once: whether a link works for one visitor only.
        clock: returns seconds.
    """

    def __init__(
        self, cookie: str, header: str = "", *, once: bool = True, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.cookie = cookie
        self._header = header
        self._once = once
        self._clock = clock
        self._tokens: set[str] = set()
        self._seen: dict[str, tuple[Visitor, float]] = {}

    def token(self) -> str:
        """A new token for a link."""
        token = secrets.token_urlsafe(32)
        self._tokens.add(_digest(token))
        return token

    def enter(self, token: str) -> str | None:
        """The value of a new visitor's cookie; None if the token is not valid, or not any more."""
        digest = _digest(token)
        if digest not in self._tokens:
            return None
        if self._once:
            self._tokens.discard(digest)
        self._forget_old()
        value = secrets.token_urlsafe(32)
        self._seen[_digest(value)] = (Visitor(secrets.token_hex(8)), self._clock())
        return value

    def of(self, headers: Sequence[tuple[str, str]], cookies: Mapping[str, str]) -> Visitor | None:
        """The visitor of a request; None without access.

        Args:
            headers: the request's headers, names in lower case.
            cookies: the request's cookies.
        """
        if self._header:
            named = [value.strip() for name, value in headers if name == self._header]
            # Two values: the proxy added its own to one that the client sent.
            return Visitor(_digest(named[0]), named[0]) if len(named) == 1 and _USER.fullmatch(named[0]) else None
        digest = _digest(cookies.get(self.cookie, ""))
        found = self._seen.get(digest)
        if found is None or self._clock() - found[1] > _LONGEST_STAY:
            return None
        self._seen[digest] = (found[0], self._clock())
        return found[0]

    def _forget_old(self) -> None:
        now = self._clock()
        kept = {digest: one for digest, one in self._seen.items() if now - one[1] <= _LONGEST_STAY}
        self._seen = dict(list(kept.items())[-_MOST + 1 :])


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
