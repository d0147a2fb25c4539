"""Texts as words for comparison, and everything that can be found as words with weights.

Words have no endings, and several words with one meaning become one: ``Why was Ada's card declined?`` → the words ``why was ada
card declined``, compared as ``why was ada card declin``. Tools have the words of their names, operations, types and summaries,
ready calls those of their phrases.
"""

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from registry.calling.search_queries import query_fields
from registry.catalog.loader import folder_of
from registry.catalog.model import Tool
from registry.catalog.synonyms import CONTENTS, Vocabulary, vocabulary
from registry.finding.ready_calls import SLOT, ReadyCall
from registry.text.name_ranking import plain

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[a-z0-9à-öø-ÿāăąćčďđēęěğīıłńňőřśşšťūůűźżžșț]+", re.IGNORECASE)
_APOSTROPHE = re.compile(r"[’'`]s?\b")
_DOUBLED = re.compile(r"([bdglmnprt])\1$")
_MOST_TERMS, _MOST_LETTERS = 24, 300


class Term(NamedTuple):
    """A word as typed, in lower case, and its stem."""

    word: str
    stem: str

    def begins(self, stem: str) -> bool:
        """Whether it is the beginning of a word."""
        return len(self.word) > 1 and stem.startswith(self.word)


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
        words = [word.lower() for word in _WORD.findall(spread)[:_MOST_TERMS]]
        if len(words) > 1 and not self._first.isdisjoint(words):
            line = f" {' '.join(words)} "
            for phrase, word in self._phrases.items():
                line = line.replace(f" {phrase} ", f" {word} ")
            words = line.split()
        return tuple([Term(word, stem_of(word)) for word in dict.fromkeys(words)])


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
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


class Entry(NamedTuple):
    """Something that can be found.

    Attributes:
        words: its stems, each with a weight up to 1.
        about: those that say what it is; the others are only what it takes or may have.
        phrases: what people call it, as stems; a slot is its name in braces.
    """

    words: Mapping[str, float]
    about: AbstractSet[str]
    phrases: Sequence[Sequence[str]] = ()


VERBS = frozenset(("get", "list", "retrieve", "search", "fetch", "view", "find", "by", "details", "info", "information"))
_NAME, _OBJECT, _BESIDE, _SUMMARY, _VERB = 1.0, 0.95, 0.65, 0.55, 0.5
_LEFT_OUT = ("cursor_before", "cursor_after", "limit", "offset", "page", "expand")


def _weighted(reader: Reader, *texts: tuple[str, float]) -> dict[str, float]:
    """The stems of texts, each with its best weight."""
    found: dict[str, float] = {}
    for text, weight in texts:
        for term in reader.terms(text):
            found[term.stem] = max(weight, found.get(term.stem, 0.0))
    return found


def tool_entry(tool: Tool, known_words: Vocabulary, reader: Reader) -> Entry:
    """A tool as words."""
    names = ((term.word, _VERB if term.word in VERBS else _NAME) for term in reader.terms(tool.own_name))
    about = _weighted(reader, *names, (" ".join(map(_spoken, tool.returns.objects)), _OBJECT), (tool.summary, _SUMMARY))
    known, contents = query_fields(tool), known_words.contents.get(folder_of(tool.toolkit) or Path(), {})
    beside = [
        *(value for one in tool.parameters if one.role not in _LEFT_OUT for value in one.enum or ()),
        *(value for one in (known.fields.values() if known is not None else ()) for value in one.values),
        *(
            said
            for part in CONTENTS
            for type_ in tool.returns.objects
            for said in contents.get(part, {}).get(type_, "").split()
        ),
    ]
    return Entry(_weighted(reader, *((_spoken(one), _BESIDE) for one in beside)) | about, about.keys())


def call_entry(call: ReadyCall, tool: Tool, reader: Reader) -> Entry:
    """A ready call as words and phrases."""
    phrases = []
    for text in call.words:
        slots = [f"{{{slot['name']}}}" for slot in SLOT.finditer(text)]
        phrases.append([*slots, *(term.stem for term in reader.terms(SLOT.sub(" ", text)))])
    words = _weighted(
        reader,
        *((SLOT.sub(" ", text), 0.9) for text in call.words),
        (SLOT.sub(r" \g<name> ", call.title), 0.8),
        *((SLOT.sub(" ", text).replace("_", " "), 0.7) for text in call.texts),
        (" ".join(map(_spoken, tool.returns.objects)), 0.6),
    )
    return Entry(words, words.keys(), phrases)


def _spoken(text: str) -> str:
    return text.replace("_", " ").replace(".", " ")


def plainly(text: str) -> str:
    """A name or a summary without articles, capitals and punctuation."""
    return re.sub(r"\b(?:an?|the)\s|\W", "", text.lower())


def as_typed(term: Term, text: str) -> str:
    """A word of a text as it was typed: on call, and not oncall."""
    return next((said for said, word in vocabulary().phrases.items() if word == term.word and said in text.lower()), term.word)


def folded(text: str) -> str:
    """A text in lower case, without accents and punctuation inside words: ``O'Neil`` and ``oneil`` are the same."""
    return " ".join(re.findall(r"\w+", re.sub(r"[.'’]", "", plain(text))))
