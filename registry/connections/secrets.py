"""Secrets, wrapped so that they cannot be shown by accident."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping
from functools import lru_cache

from registry.connections.spelling import Spelling

MASK = "••••••••"


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
