"""The error of an invalid query: a message and a position."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class QueryError(ValueError):
    """A query that cannot be carried out.

    Attributes:
        words: what is wrong, and what to do where that is known. They quote names of the query and of the document as they are.
        position: at which letter of the query, from 0; its length for what is missing at its end.
        unfinished: whether the query only ends too early, as it does while it is being typed.
    """

    def __init__(self, words: str, position: int, *, unfinished: bool = False) -> None:
        super().__init__(f"{words} (column {position + 1})")
        self.words = words
        self.position = position
        self.unfinished = unfinished


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that was perhaps meant; None when none is near."""
    by_lower = {one.lower(): one for one in known if len(one) < 100}
    found = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    return by_lower[found[0]] if found else None
