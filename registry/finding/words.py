"""Texts as words for comparison, and everything that can be found as words with weights.

Words have no endings, and several words with one meaning become one: ``Why was Ada's card declined?`` → the words ``why was ada
card declined``, compared as ``why was ada card declin``. Tools have the words of their names, operations, types and summaries,
ready calls those of their phrases.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from registry.calling.search_queries import query_fields
from registry.catalog.loader import folder_of
from registry.catalog.model import Tool
from registry.catalog.synonyms import CONTENTS, Vocabulary
from registry.finding.ready_calls import SLOT, ReadyCall

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
    if len(word) > 3 and word.endswith("ie"):
        word = word[:-2] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


class Entry(NamedTuple):
    """Something that can be found.

    Attributes:
        words: its stems, each with a weight up to 1 and its field, in words.
        phrases: what people call it, as stems; a slot is its name in braces.
    """

    words: Mapping[str, tuple[float, str]]
    phrases: Sequence[Sequence[str]] = ()


_KINDS = {
    "object": "get read retrieve show details",
    "list": "list all get",
    "search_result": "search find query list all",
    "deletion": "delete remove",
    "file": "download save file",
    "composite": "get find",
}
VERBS = frozenset(("get", "list", "retrieve", "search", "fetch", "view", "find", "by", "details", "info", "information"))
_NAME, _OBJECT, _SAID, _SUMMARY, _KIND, _VERB, _GROUP, _RULE = 1.0, 0.95, 0.65, 0.55, 0.45, 0.5, 0.4, 0.3
_CONTENT = {"states": (0.64, "can be {}"), "errors": (0.66, "error {}"), "fields": (0.6, "has {}")}
COULD = ("takes ", "can be ")
"""How reasons begin for words that a tool could be narrowed by, but is not by the word alone."""
_LEFT_OUT = ("cursor_before", "cursor_after", "limit", "offset", "page", "expand")


class _Words(dict[str, tuple[float, str]]):
    """Stems, each with its best weight and the reason."""

    def take(self, stem: str, weight: float, reason: str = "") -> None:
        if weight > self.get(stem, (0.0, ""))[0]:
            self[stem] = weight, reason

    def add(self, reader: Reader, text: str, weight: float, reason: str = "") -> None:
        for term in reader.terms(text):
            self.take(term.stem, weight, reason.replace("{}", term.word))


def tool_entry(tool: Tool, vocabulary: Vocabulary, reader: Reader) -> Entry:
    """A tool as words."""
    words = _Words()
    objects = " ".join(map(_spoken, tool.returns.objects))
    own = {stem_of(word) for word in objects.split()}
    # The toolkit's name inside a tool's name does not distinguish it from other tools.
    common = {term.stem for term in reader.terms(tool.toolkit)} - own
    for term in reader.terms(tool.own_name):
        words.take(term.stem, _VERB if term.word in VERBS else _GROUP if term.stem in common else _NAME)
    for text, weight, reason in (
        (objects, _OBJECT, "returns {}"),
        (f"{tool.effect} {_KINDS[tool.returns.kind]}", _KIND, ""),
        (tool.group, _GROUP, "belongs to {}"),
        (tool.toolkit, _GROUP, ""),
        (tool.summary, _SUMMARY, "its summary says {}"),
        (tool.operation, _SUMMARY, "its description says {}"),
        (tool.rule or "", _RULE, "its rule mentions {}"),
    ):
        words.add(reader, text, weight, reason)
    for parameter in tool.parameters:
        if parameter.role not in _LEFT_OUT:
            words.add(reader, parameter.name.replace("_", " "), _RULE, "takes {}")
            words.add(reader, " ".join(parameter.enum or ()).replace("_", " "), _SAID, "takes {}")
    known = query_fields(tool)
    for field in known.fields.values() if known is not None else ():
        words.add(reader, " ".join(field.values).replace("_", " "), _SAID, "takes {}")
    contents = vocabulary.contents.get(folder_of(tool.toolkit) or Path(), {})
    for part in CONTENTS:
        weight, reason = _CONTENT[part]
        for type_ in tool.returns.objects:
            for said in contents.get(part, {}).get(type_, "").split():
                words.add(reader, _spoken(said), weight, reason.format(said))
    return Entry(words)


def call_entry(call: ReadyCall, tool: Tool, reader: Reader) -> Entry:
    """A ready call as words and phrases."""
    words, phrases = _Words(), []
    for text in call.words:
        slots = [f"{{{slot['name']}}}" for slot in SLOT.finditer(text)]
        phrases.append([*slots, *(term.stem for term in reader.terms(SLOT.sub(" ", text)))])
        words.add(reader, SLOT.sub(" ", text), 0.9)
    words.add(reader, SLOT.sub(r" \g<name> ", call.title), 0.8)
    words.add(reader, " ".join(map(_spoken, tool.returns.objects)), 0.6)
    for text in call.texts:
        words.add(reader, SLOT.sub(" ", text).replace("_", " "), 0.7)
    return Entry(words, phrases)


def _spoken(text: str) -> str:
    return text.replace("_", " ").replace(".", " ")
