"""Which text is SQL; nothing of DuckDB is needed to tell."""

from __future__ import annotations

import re

_BEGINNING = re.compile(r"\s*(?:select|with|from)(?:\s|\(|\*|\"|'|$)", re.IGNORECASE)
_COMMENT = re.compile(r"\s*(?:--[^\n]*(?:\n|$)|/\*.*?\*/)", re.DOTALL)


_WORD = re.compile(r"\s*(\w*)")


def is_sql(text: str) -> bool:
    """Whether a text is SQL: it begins with ``select``, ``with`` or ``from``, after comments."""
    return _BEGINNING.match(text, _behind_comments(text)) is not None


def first_word(text: str) -> tuple[str, int]:
    """The word that a text begins with after comments, and its place; empty where it begins with something else."""
    found = _WORD.match(text, _behind_comments(text))
    return (found[1], found.start(1)) if found is not None else ("", 0)


def _behind_comments(text: str) -> int:
    place = 0
    while found := _COMMENT.match(text, place):
        place = found.end()
    return place


def quoted(name: str) -> str:
    """A name as SQL has it, whatever is in it."""
    return '"' + name.replace('"', '""') + '"'


def string(text: str) -> str:
    """A text as a string of SQL."""
    return "'" + text.replace("'", "''") + "'"
