"""Parses a line of the search: a text, or a condition in the grammar of `registry.filters`.

A condition finds properties by their key and value: ``status:failed``, ``name~aurora``, ``amount=4900``. The text of the
condition itself is found as well, so that a text with a colon can still be searched. All else is a text.
"""

from __future__ import annotations

import re

from registry.text.filter_line import Word, words_of
from tui.json_view.search import TextSearch, Where

_HELD = {":": "holds", "~": "holds", "=": "is"}


def condition_in(text: str) -> Word | None:
    """The condition in a line; None if it is not one, or not one that this search supports."""
    words = words_of(text)
    if len(words) != 1 or not text.isascii():
        return None
    (word,) = words
    whole = word.name and word.value and word.key is None and not word.fault
    plain = '"' not in word.value and "\\" not in word.value
    return word if whole and plain and not word.negated and word.sign in _HELD else None


def typed_search(text: str, where: Where) -> TextSearch:
    """The search that a line means."""
    word = condition_in(text) if where == "everywhere" else None
    if word is None:
        return TextSearch(text, False, where)
    name, value = re.escape(word.name), re.escape(word.value)
    last = re.escape(word.name.rpartition(".")[2])
    held = rf'"?{value}"?,?(?=\n)' if word.sign == "=" else rf"[^\n]*{value}"
    return TextSearch(rf'"(?:{name}|{last})"\s*:\s*{held}|{re.escape(text.strip())}', True, where, is_linear=True)


def meaning(text: str, where: Where) -> str:
    """A condition in words; empty if the line is plain text."""
    word = condition_in(text) if where == "everywhere" else None
    return f"{word.name} {_HELD[word.sign]} {word.value}" if word is not None else ""
