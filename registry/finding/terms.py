"""Splits a text into words for comparison: without endings; several words with one meaning become one.

``Why was Ada's card declined?`` → the words ``why was ada card declined``, compared as ``why was ada card declin``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[a-z0-9à-öø-ÿāăąćčďđēęěğīıłńňőřśşšťūůűźżžșț]+", re.IGNORECASE)
_APOSTROPHE = re.compile(r"[’'`]s?\b")
_DOUBLED = re.compile(r"([bdglmnprt])\1$")
_MOST_TERMS, _MOST_LETTERS = 24, 300


class Term(NamedTuple):
    """A word as typed, in lower case, and its stem; `capital`: it was typed with a capital letter."""

    word: str
    stem: str
    capital: bool = False


class Reader:
    """Splits texts into words. `phrases`: several words, and the one that replaces them."""

    def __init__(self, phrases: Mapping[str, str]) -> None:
        self._phrases = phrases
        # The first words of phrases: most texts contain none of them, and so no phrase.
        self._first = frozenset(phrase.partition(" ")[0] for phrase in phrases)
        self.terms = lru_cache(maxsize=16_384)(self._terms)

    def _terms(self, text: str) -> tuple[Term, ...]:
        """The words of a text in order; names in camel case are split, but a typed word with one capital is a word."""
        spread = _APOSTROPHE.sub("", _CAMEL.sub(" ", text[:_MOST_LETTERS].replace("e-mail", "email")))
        found = _WORD.findall(spread)[:_MOST_TERMS]
        capital = {word.lower() for place, word in enumerate(found) if place and word[0].isupper() and not word.isupper()}
        words = [word.lower() for word in found]
        if len(words) > 1 and not self._first.isdisjoint(words):
            line = f" {' '.join(words)} "
            for phrase, word in self._phrases.items():
                line = line.replace(f" {phrase} ", f" {word} ")
            words = line.split()
        return tuple([Term(word, stem_of(word), word in capital) for word in dict.fromkeys(words)])


@lru_cache(maxsize=8192)
def stem_of(word: str) -> str:
    """A word without plural and verb endings: ``trials``, ``trialing`` and ``trialed`` have the same stem."""
    if len(word) > 4 and word.endswith("ies"):
        word = word[:-3] + "y"
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending, shortest in (("ing", 6), ("ed", 5)):
        if len(word) >= shortest and word.endswith(ending):
            word = _DOUBLED.sub(r"\1", word[: -len(ending)])
            break
    if len(word) > 3 and word.endswith("ie"):
        word = word[:-2] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("e") else word
