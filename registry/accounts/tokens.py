"""The tokens of a sign-in, and the interface of their store."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from registry.accounts.problems import StoreFailed
from registry.accounts.secrets import Secret

_LONGEST = 16_384


@dataclass(frozen=True, slots=True)
class Tokens:
    """An access token with its data. Printing it shows no secret.

    Attributes:
        access: the token that requests carry.
        refresh: the refresh token; None if the service returned none.
        expires_at: when the access token expires, in Unix seconds; None if the service does not say.
        scopes: the granted scopes.
        obtained_at: when the service issued them, in Unix seconds.
        type: how the access token is sent; always ``bearer``.
    """

    access: Secret
    refresh: Secret | None
    expires_at: float | None
    scopes: tuple[str, ...]
    obtained_at: float
    type: str = "bearer"

    def as_json(self) -> str:
        """The form for a store: a JSON object with the secrets in it."""
        return json.dumps(
            {
                "access_token": self.access.reveal(),
                "refresh_token": self.refresh.reveal() if self.refresh is not None else None,
                "expires_at": self.expires_at,
                "scope": " ".join(self.scopes),
                "obtained_at": self.obtained_at,
                "token_type": self.type,
            }
        )

    @classmethod
    def from_json(cls, text: str) -> Tokens:
        """The tokens from that form.

        Raises:
            StoreFailed: it is invalid.
        """
        try:
            held = json.loads(text)
            expires_at, refresh = held["expires_at"], held["refresh_token"]
            return cls(
                Secret(token_text(held["access_token"])),
                None if refresh is None else Secret(token_text(refresh)),
                None if expires_at is None else float(expires_at),
                tuple(held["scope"].split()),
                float(held["obtained_at"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
            raise StoreFailed("What it contains is not a sign-in.", "Sign in again.") from None

    def ends_within(self, seconds: float, now: float) -> bool:
        """Whether the access token expires within `seconds` of a time in Unix seconds."""
        return self.expires_at is not None and self.expires_at - seconds <= now


class TokenStore(Protocol):
    """Keeps the tokens of one account. Its methods block, and raise `StoreFailed` or another `CredentialProblem`."""

    def read(self) -> Tokens | None:
        """The tokens that were written last, by any process; None if there are none."""

    def write(self, tokens: Tokens) -> None:
        """Replace the tokens in one step: a reader sees the old ones or the new ones."""

    def lock(self) -> AbstractContextManager[None]:
        """A lock for one process at a time while it refreshes, such as `file_lock`; raises OSError."""


def token_text(value: Any) -> str:
    """A token that may be sent in a header.

    Raises:
        ValueError: it is invalid.
    """
    if not isinstance(value, str) or not 0 < len(value) <= _LONGEST:
        raise ValueError("no token")
    if not value.isascii() or not value.isprintable() or " " in value:
        raise ValueError("no token")
    return value
