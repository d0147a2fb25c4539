"""A credential that expires, and is renewed while the program runs: an access token of OAuth."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Iterable
from typing import NamedTuple

from registry.connections.secrets import Secret
from registry.connections.spelling import Spelling

_KEPT = 10
"""Texts that stay redacted: a client's secret, and the last three access tokens, refresh tokens and identity tokens."""


class Ending(NamedTuple):
    """When a credential expires, in Unix seconds, and whether it is then renewed automatically."""

    at: float
    renews: bool


class CredentialProblem(Exception):
    """A credential that cannot be used now; no request was sent with it.

    Args:
        title: what happened, in a few words.
        cause: why, in a sentence.
        way_out: what to do now, in a sentence.
    """

    def __init__(self, title: str, cause: str, way_out: str) -> None:
        super().__init__(f"{title}. {cause} {way_out}")
        self.title = title
        self.cause = cause
        self.way_out = way_out


class RenewedSecret(Secret):
    """A credential whose text changes. Its text is empty before the first `ready`.

    Its last texts stay redacted, also those received with them, such as refresh tokens. Older ones are no longer valid.

    Args:
        identity: identifies it across renewals; not secret.
    """

    __slots__ = ("_guard", "_identity", "_recent")

    def __init__(self, identity: str) -> None:
        super().__init__("")
        self._identity = identity
        self._guard = threading.Lock()
        self._recent: dict[str, Spelling] = {}

    @property
    def identity(self) -> str:
        """Identifies it across renewals; not secret."""
        return self._identity

    @property
    def travels_to(self) -> tuple[str, ...]:
        """The addresses that get it, or what renews it, in addition to the service's own."""
        return ()

    @property
    def ending(self) -> Ending | None:
        """When the current text expires; None if not known, or before `ready`."""
        return None

    @abstractmethod
    async def ready(self) -> None:
        """Renew it if it is about to expire, before a request uses it.

        Raises:
            CredentialProblem: there is no valid credential.
        """

    @abstractmethod
    async def renewed(self, refused: str) -> bool:
        """Renew it after a service refused it with 401; returns whether there is now another one to try.

        Args:
            refused: the text that was sent.

        Raises:
            CredentialProblem: it cannot be renewed.
        """

    def also(self, secrets: Iterable[Secret]) -> None:
        """Redact these as well from now on; repeating a secret keeps it in the list. Safe in any thread."""
        with self._guard:
            for text in (one.reveal() for one in secrets):
                self._recent[text] = self._recent.pop(text) if text in self._recent else Spelling(text)
            while len(self._recent) > _KEPT:
                del self._recent[next(iter(self._recent))]
            self._spellings = tuple(self._recent.values())

    def becomes(self, secret: Secret) -> None:
        """Change the text."""
        self.also([secret])
        self._text = secret.reveal()

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)
