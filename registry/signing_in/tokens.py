"""The tokens of a sign-in, and the interface of their store."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from registry.calling.strict_json import NotJson, loads
from registry.connections.secrets import Secret
from registry.signing_in.problems import StoreFailed

_LONGEST = 16_384


@dataclass(frozen=True, slots=True)
class Tokens:
    """An access token and what belongs to it. Printing it shows no secret.

    Attributes:
        access: what requests carry.
        refresh: gives the next access token; None where the service gives none.
        expires_at: when the access token ends, in Unix seconds; None where the service does not say.
        scopes: what was granted.
        obtained_at: when the service gave them, in Unix seconds.
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
        """The tokens of that form.

        Raises:
            StoreFailed: it is none.
        """
        try:
            held = loads(text)
            expires_at, refresh = held["expires_at"], held["refresh_token"]
            return cls(
                Secret(token_text(held["access_token"])),
                None if refresh is None else Secret(token_text(refresh)),
                None if expires_at is None else float(expires_at),
                tuple(held["scope"].split()),
                float(held["obtained_at"]),
            )
        except (NotJson, KeyError, TypeError, ValueError, AttributeError):
            raise StoreFailed("What it contains is not a sign-in.", "Sign in again.") from None

    def ends_within(self, seconds: float, now: float) -> bool:
        """Whether the access token ends within so many seconds of a time in Unix seconds."""
        return self.expires_at is not None and self.expires_at - seconds <= now


class TokenStore(Protocol):
    """Keeps the tokens of one account. Its methods block, and raise `StoreFailed` or another `CredentialProblem`."""

    def read(self) -> Tokens | None:
        """The tokens that were written last, by any process; None where there are none."""

    def write(self, tokens: Tokens) -> None:
        """Put tokens in the place of those before, all at once: a reader sees the old ones or the new ones."""

    def lock(self) -> AbstractContextManager[None]:
        """What one process at a time holds while it refreshes, such as `file_lock`; raises OSError."""


def token_text(value: Any) -> str:
    """A token as it may be sent in a header.

    Raises:
        ValueError: it is none.
    """
    if not isinstance(value, str) or not 0 < len(value) <= _LONGEST:
        raise ValueError("no token")
    if not value.isascii() or not value.isprintable() or " " in value:
        raise ValueError("no token")
    return value
