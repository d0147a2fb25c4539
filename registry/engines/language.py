"""Recognises and quotes SQL, without DuckDB."""

import re

_COMMENTS = re.compile(r"(?:\s*(?:--[^\n]*(?:\n|$)|/\*.*?\*/))*\s*", re.DOTALL)
_BEGINNING = re.compile(r"(?:select|with|from)(?:\s|\(|\*|\"|'|$)", re.IGNORECASE)
_WORD = re.compile(r"\w*")


def is_sql(text: str) -> bool:
    """Whether a text is SQL: it begins with ``select``, ``with`` or ``from``, after comments."""
    return _BEGINNING.match(text, first_word(text)[1]) is not None


def first_word(text: str) -> tuple[str, int]:
    """The first word of a text after comments, and its position; empty if the text begins with something else."""
    comments = _COMMENTS.match(text)
    found = _WORD.match(text, comments.end() if comments is not None else 0)
    return (found[0], found.start()) if found is not None else ("", 0)


def quoted(name: str) -> str:
    """A name quoted for SQL."""
    return '"' + name.replace('"', '""') + '"'


def string(text: str) -> str:
    """A text as an SQL string."""
    return "'" + text.replace("'", "''") + "'"
