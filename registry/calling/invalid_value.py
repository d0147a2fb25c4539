"""The error for a value that its parameter does not accept, and helpers for its message."""

import difflib
from collections.abc import Sequence

from registry.json_text.values import Exact, dumps

JsonPath = tuple[str | int, ...]
"""A path inside a value: property names, and item indexes from 0."""


class InvalidValue(ValueError):
    """A value that its parameter does not accept. The message says the rule, the value and what to type instead.

    Args:
        message: what is wrong; empty if only parts are.
        parts: the path of each invalid part, and what is wrong with it.

    Attributes:
        problems: all that is wrong, each with its path inside the value.
    """

    def __init__(self, message: str, parts: Sequence[tuple[JsonPath, str]] = ()) -> None:
        super().__init__(message or "; ".join(f"`{dotted(inside)}` {words}" if inside else words for inside, words in parts))
        self.problems = tuple(parts) or (((), message),)


def dotted(inside: JsonPath) -> str:
    """A path inside a value as people write it: ``assignee.emails[0]``."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in inside).removeprefix(".")


def shown(raw: object, *, quoted: bool = True) -> str:
    """A value for an error message: as JSON where possible, cut to a readable length."""
    text = dumps(raw) if quoted and not isinstance(raw, Exact) else str(raw)
    return text if len(text) <= 60 else text[:57] + "…"


def closest(text: str, known: Sequence[str]) -> str:
    """The known value closest to a text; empty if none is close."""
    return next(iter(difflib.get_close_matches(text, known, n=1)), "")


def nearest(text: str, known: Sequence[str]) -> str:
    """The known value closest to a text, as the end of a message; empty if none is close."""
    found = closest(text, known)
    return f"; did you mean {found}?" if found else ""
