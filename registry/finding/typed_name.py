"""The name in a question, as it was typed: ``customers named O'Neil`` → ``O'Neil``; with what people write in names.

A name is a run of words of which at least one is in no tool: ``Olsen & Sønner``, ``De Vries Fietsen B.V.``, ``AT&T``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

_AROUND = " \t\n\"'`“”‘’<>()[],;:?!"
_JOINED = re.compile(r"\w[&.'’]\w")
_POSSESSIVE = re.compile(r"(?<=\w)[’'`]s?$")
_BETWEEN = ("&", "+", "and", "of", "the", "de", "der", "van", "von", "e", "y", "und", "et", "la", "el", "di", "da", "do")
_BEFORE = ("of", "named", "called", "for", "from", "by", "customer", "user", "contact", "reach", "is", "does", "did")
_WHERE = ("in", "at", "on", "near", "with", "without")


class TypedName(NamedTuple):
    """A name: `is_sure` if capitals or the word before it say that it is one."""

    text: str
    start: int
    end: int
    is_sure: bool


class _Word(NamedTuple):
    text: str
    start: int
    end: int
    is_name: bool
    may_be: bool


def name_in(text: str, is_known: Callable[[str, bool], bool]) -> TypedName | None:
    """The best name in a text; None without one.

    Args:
        text: the text.
        is_known: whether a word is one of the tools' words; the second argument is whether it has a capital like a name.
    """
    words: list[_Word] = []
    for spot in re.finditer(r"\S+", text):
        word = _word(spot, text, is_known)
        # After a word such as "of" begins a name, also with a word that is only similar to one of the tools' words.
        follows = bool(words) and (words[-1].may_be or words[-1].text.lower() in _BEFORE)
        words.append(word._replace(may_be=word.may_be or (follows and not is_known(word.text, True))))
    runs: list[list[_Word]] = []
    place = 0
    while place < len(words):
        end = place + 1
        while words[place].may_be and end < len(words):
            # Words such as & and de are in a name only between two others.
            after = end + (words[end].text.lower() in _BETWEEN and not words[end].is_name)
            if after >= len(words) or not words[after].may_be or text[words[end - 1].end :][:1] in tuple(",;:?!"):
                break
            end = after + 1
        if any(one.is_name for one in words[place:end]):
            runs.append(words[place:end])
        place = end
    names = []
    for run in runs:
        first, last = run[0].start, run[-1].end
        before = text[:first].split()[-1:]
        is_capital = any(one.text[:1].isupper() or not one.text[:1].isascii() for one in run)
        # Where something is, is no name of an object that could be looked for.
        sure = bool(before and before[0].lower() in _BEFORE) or (is_capital and not (before and before[0].lower() in _WHERE))
        last -= len(found[0]) if (found := _POSSESSIVE.search(text[first:last])) else 0
        names.append(TypedName(text[first:last], first, last, sure))
    return max(names, key=lambda one: (one.is_sure, len(one.text)), default=None)


def _word(found: re.Match[str], text: str, is_known: Callable[[str, bool], bool]) -> _Word:
    """A word without what is around it; a full stop belongs to it if there is another one inside."""
    bare = found[0].strip(_AROUND)
    if bare.endswith(".") and "." not in bare[:-1]:
        bare = bare[:-1]
    start = found.start() + found[0].find(bare)
    plain = _POSSESSIVE.sub("", bare)
    capital = plain[:1].isupper() and not (plain.isupper() and plain.isalpha())
    is_first = not text[:start].strip(_AROUND)
    is_name = bool(plain) and (
        not is_known(plain, capital and not is_first) or bool(_JOINED.search(plain) and plain[0].isupper())
    )
    may_be = is_name or (plain[:1].isupper() and not (is_first and is_known(plain, True)))
    return _Word(bare, start, start + len(bare), is_name, may_be)
