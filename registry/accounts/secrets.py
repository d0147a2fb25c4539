"""Secrets, wrapped so that they cannot be shown by accident."""

from __future__ import annotations

import threading
from abc import abstractmethod
from base64 import b64encode
from collections.abc import Iterable, Mapping
from functools import lru_cache

from registry.accounts.ending import Ending
from registry.accounts.spelling import Spelling

MASK = "••••••••"

_KEPT = 10
"""Texts that stay redacted: a client's secret, and the last three access tokens, refresh tokens and identity tokens."""


def redacted(text: bytes, secrets: Iterable[str]) -> bytes:
    """A text with every secret in it redacted, in any encoding."""
    for secret in secrets:
        text = _spelling(secret).replaced(text, MASK.encode())
    return text


@lru_cache(maxsize=16)
def _spelling(secret: str) -> Spelling:
    """Cached for the last few secrets: a call searches all its texts for the same ones, and building their forms is slow."""
    return Spelling(secret)


def texts_in(value: object) -> list[str]:
    """The texts in a secret argument, which may be an object or a list."""
    if isinstance(value, Mapping):
        return [text for one in value.values() for text in texts_in(one)]
    if isinstance(value, list | tuple):
        return [text for one in value for text in texts_in(one)]
    return [] if value is None else [str(value)]


def basic_proof(user: str, password: str) -> str:
    """A user name and password in the encoding of Basic authentication."""
    return b64encode(f"{user}:{password}".encode()).decode()


class Secret:
    """A credential. Printing, formatting or logging it shows a mask of fixed width; only `reveal` returns the text.

    Args:
        text: the credential.
        forms: its other forms in requests, for example in Base64 together with a user name.
    """

    __slots__ = ("_spellings", "_text")

    def __init__(self, text: str, *forms: str) -> None:
        self._text = text
        self._spellings: tuple[Spelling, ...] = tuple(_spelling(form) for form in dict.fromkeys((*forms, text)))

    def reveal(self) -> str:
        """The credential itself, for the one place that puts it into a request."""
        return self._text

    @property
    def identity(self) -> str:
        """Identifies the credential as long as it is the same; as secret as the credential."""
        return self._text

    def redact(self, text: bytes) -> bytes:
        """A text with the credential redacted, in any encoding."""
        for spelling in self._spellings:
            text = spelling.replaced(text, MASK.encode())
        return text

    def __repr__(self) -> str:
        return f"Secret({MASK})"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)


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
