"""Secrets, kept so that they cannot be shown by accident."""

from __future__ import annotations

import json
from urllib.parse import quote

MASK = "••••••••"


_SHORTEST = 8
"""Characters from which on a text is a secret by itself; a shorter one may stand anywhere by chance."""


def redacted(text: bytes, secret: str) -> bytes:
    """A text with a mask wherever a secret stands in it, as it is or as JSON writes it."""
    if len(secret) < _SHORTEST:
        return text
    for written in {secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}:
        text = text.replace(written.encode("utf-8", "surrogatepass"), MASK.encode())
    return text


class Secret:
    """A credential. Printing, formatting or logging it gives a mask of fixed width; only `reveal` gives the text.

    Args:
        text: the credential.
        forms: what else it looks like where it is sent, for instance in Base64 together with a user's name.
    """

    __slots__ = ("_forms", "_text")

    def __init__(self, text: str, *forms: str) -> None:
        self._text = text
        self._forms = tuple(dict.fromkeys((*forms, quote(text, safe=""), text)))

    def reveal(self) -> str:
        """The credential itself, for the one place that puts it into a request."""
        return self._text

    def redact(self, text: bytes) -> bytes:
        """A text with a mask wherever the credential stands in it: plain, as JSON or an address writes it, or as sent."""
        for form in self._forms:
            text = redacted(text, form)
        return text

    def __repr__(self) -> str:
        return f"Secret({MASK})"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)
