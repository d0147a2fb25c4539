"""The interface between the services and the tokens of the sign-in.

A service accepts two kinds of token. A plain token is any text; each service defines what it may do. A minted token comes from
signing in: it belongs to a person or the account, has scopes, expires and can be revoked. The services use only this module for
minted tokens, so that no service depends on the sign-in. A plain token that begins with one of `FAILING` is refused, for
testing clients.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple

FAILING = ("unknown-", "expired-", "restricted-")
"""Prefixes of plain tokens that are unknown, expired, or without permissions."""


class Access(NamedTuple):
    """The access of a minted token.

    `person` is a key of the cast, None for a token that belongs to the account and to nobody in it.
    """

    person: str | None
    scopes: frozenset[str]

    def holds(self, one_of: Collection[str]) -> bool:
        """Whether the token has at least one of these scopes."""
        return not self.scopes.isdisjoint(one_of)


class TokenRefused(Exception):
    """A token that looks minted and is not valid: it was never issued, was revoked, or is for another service."""


class TokenExpired(Exception):
    """A minted token that has expired. `ended` is when that happened, `ago` how many seconds before the present."""

    def __init__(self, ended: int, ago: int) -> None:
        super().__init__(f"expired {ago} s ago")
        self.ended = ended
        self.ago = ago


Tokens = Callable[[str, str], Access | None]
"""The access of a token at a service (``incidents`` or ``crm``); None for a plain token.

Raises `TokenRefused` if it looks minted and opens nothing at this service, and `TokenExpired` if it did open it.
"""
