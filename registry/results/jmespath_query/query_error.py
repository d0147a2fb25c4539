"""The error of an invalid query: a message and a position."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class QueryError(ValueError):
    """A query that cannot be run.

    Attributes:
        words: what is wrong and, if known, what to do; with unescaped names from the query and the document.
        position: the index in the query, from 0; its length if something is missing at the end.
        unfinished: whether the query is only incomplete, as while it is being typed.
    """

    def __init__(self, words: str, position: int, *, unfinished: bool = False) -> None:
        super().__init__(f"{words} (column {position + 1})")
        self.words = words
        self.position = position
        self.unfinished = unfinished


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The most similar known name; None if none is similar."""
    by_lower = {one.lower(): one for one in known if len(one) < 100}
    found = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    return by_lower[found[0]] if found else None
