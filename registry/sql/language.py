"""Which text is SQL; nothing of DuckDB is needed to tell."""

from __future__ import annotations

import re

_BEGINNING = re.compile(r"\s*(?:select|with|from)(?:\s|\(|\*|\"|'|$)", re.IGNORECASE)
_COMMENT = re.compile(r"\s*(?:--[^\n]*(?:\n|$)|/\*.*?\*/)", re.DOTALL)


def is_sql(text: str) -> bool:
    """Whether a text is SQL: it begins with ``select``, ``with`` or ``from``, after comments."""
    while found := _COMMENT.match(text):
        text = text[found.end() :]
    return _BEGINNING.match(text) is not None


def quoted(name: str) -> str:
    """A name as SQL has it, whatever is in it."""
    return '"' + name.replace('"', '""') + '"'


def string(text: str) -> str:
    """A text as a string of SQL."""
    return "'" + text.replace("'", "''") + "'"
