"""Secrets, kept so that they cannot be shown by accident."""

from __future__ import annotations

MASK = "••••••••"


class Secret:
    """A credential. Printing, formatting or logging it gives a mask of fixed width; only `reveal` gives the text."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The credential itself, for the one place that puts it into a request."""
        return self._text

    def __repr__(self) -> str:
        return f"Secret({MASK})"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)
