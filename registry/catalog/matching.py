"""Finds tools by their names: words in any order, also prefixes, initials and plurals; with the matching letters.

Every word of a query, other than filler words, must be found in a tool: in its name, or else at the beginning of a word of its
operation, the types that it returns, its group, its kind, or its summary. Matches in the name return the matching letters, to
highlight them; other matches return a reason in words. `registry.finding` also knows synonyms, typing errors and ids.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import msgspec

from registry.catalog.listing import ToolSummary
from registry.catalog.synonyms import Vocabulary, vocabulary

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_AROUND = "?!.,;:\"'“”()"
_FIELDS = ("operation", "response", "group", "kind", "summary")
"""The names of the other fields for people, best first."""
_KINDS = {
    "object": "get read retrieve show find details",
    "list": "list all get",
    "search_result": "search find query list",
    "deletion": "delete remove destroy drop",
    "file": "download save file pdf",
    "composite": "get find",
}

# The score of a match, by where and how it was found. Mostly their order matters.
_WHOLE_WORD, _WORD_START, _INITIALS, _INSIDE, _KEYWORD, _SUMMARY = 100.0, 80.0, 72.0, 58.0, 50.0, 40.0
# Of tools that match equally well, the one that does less harm comes first.
_CAREFUL = {"read": 0.0, "write": 1.5, "delete": 3.0}
_DEPRECATED = 2.0
_MOST_TERMS, _MOST_LETTERS = 12, 100


class Match(msgspec.Struct, frozen=True):
    """A tool that was found.

    Attributes:
        tool: the tool.
        score: how well it matches, higher is better, at most about 100.
        letters: the places of the matching letters in its name.
        reason: why it was found, in words; empty if the name contains everything that was typed. Contains typed text.
    """

    tool: ToolSummary
    score: float
    letters: tuple[int, ...]
    reason: str = ""


class _Hit(NamedTuple):
    """A match of one query word in one tool."""

    score: float
    letters: tuple[int, ...] = ()
    reason: str = ""


class _Entry(NamedTuple):
    """A tool as it is searched: its name in words, and its other words by field."""

    tool: ToolSummary
    name: str
    fields: tuple[tuple[str, ...], ...]


class Matcher:
    """Finds tools of a table of contents."""

    def __init__(self, tools: Iterable[ToolSummary]) -> None:
        self._entries = list(map(_entry, tools))
        self._vocabulary = vocabulary()

    def find(self, query: str) -> list[Match]:
        """The tools that match, best first. An empty query matches none."""
        terms = _terms(query, self._vocabulary)
        found = []
        for entry in self._entries if terms else ():
            hits: list[_Hit] = []
            for term in terms:
                if (hit := _hit(term, entry)) is None:
                    break
                hits.append(hit)
            else:
                found.append(_match(entry, hits))
        return sorted(found, key=lambda match: -match.score)


def stem(word: str) -> str:
    """A word without its plural ending: ``policies`` and ``policy`` have the same."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def words(name: str) -> list[str]:
    """A name in camel case, or an operation identifier, as its words: ``DownloadQuotePdf`` → Download, Quote, Pdf."""
    return _WORD.findall(name)


def _entry(tool: ToolSummary) -> _Entry:
    operation = f"{' '.join(words(tool.operation))} {tool.operation}"
    objects = " ".join(tool.objects).replace(".", " ").replace("_", " ")
    kind = f"{_KINDS.get(tool.response, '')} {tool.effect}"
    texts = operation, objects, f"{tool.group} {' '.join(words(tool.toolkit))}", kind, tool.summary
    fields = tuple(tuple(re.findall(r"[a-z0-9]+", _joined(text.lower()))) for text in texts)
    return _Entry(tool, _joined(" ".join(words(tool.name)).lower()), fields)


def _match(entry: _Entry, hits: Sequence[_Hit]) -> Match:
    letters = {letter for hit in hits for letter in hit.letters}
    # Of two tools that match equally well, the one with less other text in its name was probably meant.
    unmatched = 1 - len(letters) / max(len(entry.name.replace(" ", "")), 1)
    less = _CAREFUL.get(entry.tool.effect, 0.0) + _DEPRECATED * entry.tool.deprecated
    score = sum(hit.score for hit in hits) / len(hits) - 12 * unmatched - less
    return Match(entry.tool, score, tuple(sorted(letters)), ", ".join(hit.reason for hit in hits if hit.reason))


def _hit(term: str, entry: _Entry) -> _Hit | None:
    """The better one of the matches of a word in a tool's name, and elsewhere in it."""
    found = _in_name(term, entry.name)
    if found is not None and found.score > _KEYWORD:
        return found
    for field, texts in zip(_FIELDS, entry.fields, strict=True):
        for word in texts:
            if word.startswith(term) or stem(word) == stem(term):
                score = _SUMMARY if field == "summary" else _KEYWORD
                return _Hit(score, (), f"{word} in its {field}")
    return found


def _joined(text: str) -> str:
    return text.replace("e-mail", "email").replace("on-call", "oncall").replace("top-up", "topup")


def _terms(query: str, vocabulary: Vocabulary) -> list[str]:
    """The words of a query without fillers; all of them if all are fillers."""
    split = [word.strip(_AROUND) for word in _joined(query[:_MOST_LETTERS].lower()).split()]
    whole = f" {' '.join([word for word in split if word][:_MOST_TERMS])} "
    for phrase, word in vocabulary.phrases.items():
        whole = whole.replace(f" {phrase} ", f" {word} ")
    terms = list(dict.fromkeys(whole.split()))
    return [term for term in terms if term not in vocabulary.fillers] or terms


def _in_name(term: str, name: str) -> _Hit | None:
    """The match of a word in a name."""
    if found := _initials(term).search(name):
        places = [found.start(group) for group in range(1, len(term) + 1)]
        jumps = sum(1 for one, next_ in pairwise(places) if next_ != one + 1)
        if jumps:
            return _Hit(_INITIALS - 4 * (jumps - 1), _without_spaces(name, places))
        end = name.find(" ", places[0])
        length = (end if end >= 0 else len(name)) - places[0]
        score = _WHOLE_WORD if length == len(term) else _WORD_START + 15 * len(term) / length
        return _Hit(score, _without_spaces(name, places))
    if (start := name.find(stem(term))) >= 0 and len(term) > 1:
        score = _WORD_START if f" {stem(term)} " in f" {name} " else _INSIDE
        return _Hit(score, _without_spaces(name, range(start, start + len(stem(term)))))
    return None


def _without_spaces(name: str, places: Iterable[int]) -> tuple[int, ...]:
    """Places in a name of words as places in the name itself."""
    return tuple(place - name.count(" ", 0, place) for place in places)


@lru_cache(maxsize=256)
def _initials(term: str) -> re.Pattern[str]:
    """A query word over space-separated lower-case words: each letter follows the one before it, or starts a later word."""
    return re.compile(r"(?<!\S)" + r"(?:|\S*\s(?:\S+\s)*?)".join(f"({re.escape(letter)})" for letter in term))
