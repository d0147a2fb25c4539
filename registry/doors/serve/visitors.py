"""Authenticates visitors by a link with a token, which becomes a cookie.

A token and a cookie are 256 random bits; only their digests are kept here.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable, Mapping

_LONGEST_STAY = 12 * 3600.0
_MOST = 10_000


class Visitors:
    """The authenticated visitors.

    Args:
        cookie: the cookie's name.
        once: whether a link works for one visitor only.
        clock: returns seconds.
    """

    def __init__(self, cookie: str, *, once: bool = True, clock: Callable[[], float] = time.monotonic) -> None:
        self.cookie = cookie
        self._once = once
        self._clock = clock
        self._tokens: set[str] = set()
        self._seen: dict[str, float] = {}
        """When each visitor was last here, by the digest of the cookie."""

    def token(self) -> str:
        """A new token for a link."""
        token = secrets.token_urlsafe(32)
        self._tokens.add(_digest(token))
        return token

    def enter(self, token: str) -> str | None:
        """The value of a new visitor's cookie; None if the token is not valid, or not any more."""
        digest, now = _digest(token), self._clock()
        if digest not in self._tokens:
            return None
        if self._once:
            self._tokens.discard(digest)
        here = {known: seen for known, seen in self._seen.items() if now - seen <= _LONGEST_STAY}
        value = secrets.token_urlsafe(32)
        self._seen = dict([*here.items(), (_digest(value), now)][-_MOST:])
        return value

    def of(self, cookies: Mapping[str, str]) -> str | None:
        """The visitor of a request with these cookies, a text that is not secret; None without access."""
        digest = _digest(cookies.get(self.cookie, ""))
        seen = self._seen.get(digest)
        if seen is None or self._clock() - seen > _LONGEST_STAY:
            return None
        self._seen[digest] = self._clock()
        return digest


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
