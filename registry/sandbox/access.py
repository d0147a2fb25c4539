"""What a service asks about a token that it was called with, and what it is told.

Two kinds of token open a service. Plain ones are any text; each service says itself what they may do. Minted ones are what
signing in gives: they belong to a person or the account, hold scopes, expire and can be revoked. The services know only this
page about them, so that none of them depends on how somebody signs in.

A plain token that begins with one of `FAILING` is one that the service does not accept, so that clients can be tried on that.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple, Protocol

FAILING = ("unknown-", "expired-", "restricted-")
"""How plain tokens begin that were never given, whose time is over, or that may do nothing."""


class Access(NamedTuple):
    """What a minted token opens.

    `person` is a key of the cast, None for a token that belongs to the account and to nobody in it.
    """

    person: str | None
    scopes: frozenset[str]

    def holds(self, one_of: Collection[str]) -> bool:
        """Whether the token has at least one of these scopes."""
        return not self.scopes.isdisjoint(one_of)


class TokenRefused(Exception):
    """A token that looks minted and opens nothing: it was never given, was revoked, or is for something else."""


class TokenExpired(Exception):
    """A minted token whose time is over. `ended` is when that happened, `ago` how many seconds before the present."""

    def __init__(self, ended: int, ago: int) -> None:
        super().__init__(f"expired {ago} s ago")
        self.ended = ended
        self.ago = ago


class Tokens(Protocol):
    """Knows all minted tokens."""

    def access(self, service: str, token: str) -> Access | None:
        """What a token opens at a service (``incidents`` or ``crm``); None for a plain token.

        Raises:
            TokenRefused: it looks minted and opens nothing at this service.
            TokenExpired: it did open the service.
        """
