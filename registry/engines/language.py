"""Recognises SQL, without DuckDB."""

from __future__ import annotations

import re

_BEGINNING = re.compile(r"\s*(?:select|with|from)(?:\s|\(|\*|\"|'|$)", re.IGNORECASE)
_COMMENT = re.compile(r"\s*(?:--[^\n]*(?:\n|$)|/\*.*?\*/)", re.DOTALL)


_WORD = re.compile(r"\s*(\w*)")


def is_sql(text: str) -> bool:
    """Whether a text is SQL: it begins with ``select``, ``with`` or ``from``, after comments."""
    return _BEGINNING.match(text, _after_comments(text)) is not None


def first_word(text: str) -> tuple[str, int]:
    """The first word of a text after comments, and its position; empty if the text begins with something else."""
    found = _WORD.match(text, _after_comments(text))
    return (found[1], found.start(1)) if found is not None else ("", 0)


def _after_comments(text: str) -> int:
    place = 0
    while found := _COMMENT.match(text, place):
        place = found.end()
    return place


def quoted(name: str) -> str:
    """A name quoted for SQL."""
    return '"' + name.replace('"', '""') + '"'


def string(text: str) -> str:
    """A text as an SQL string."""
    return "'" + text.replace("'", "''") + "'"
