"""The error for a value that its parameter does not accept, and helpers for its message."""

from __future__ import annotations

import json
from collections.abc import Sequence


class InvalidValue(ValueError):
    """A value that its parameter does not accept. The message says the rule, the value and what to type instead."""


def shown(raw: object, *, quoted: bool = True) -> str:
    """A value for an error message: as JSON where possible, cut to a readable length."""
    text = json.dumps(raw, ensure_ascii=False, default=str) if quoted else str(raw)
    return text if len(text) <= 60 else text[:57] + "…"


def nearest(text: str, known: Sequence[str]) -> str:
    """The known value that is most like a text, as the end of a message; empty where none is."""
    import difflib  # only a mistake needs it

    found = difflib.get_close_matches(text, known, n=1)
    return f"; the nearest is {found[0]}" if found else ""
