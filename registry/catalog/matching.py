"""Finds tools by typed words: in any order, also prefixes, initials, synonyms, plurals and typing errors.

Every word of a query, other than filler words, must be found somewhere in a tool: in its name, or else in its operation, the
types that it returns, its group, its kind, or its summary. The better the field and the match, the higher the tool ranks.
Matches in the name return the matching letters, to highlight them; other matches return a reason in words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import msgspec

from registry.catalog.listing import ToolSummary
from registry.catalog.synonyms import Vocabulary, vocabulary
from registry.catalog.word_index import FIELDS, NAME, SUMMARY, WordIndex, stem

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_AROUND = "?!.,;:\"'“”()"

_KINDS = {
    "object": "get read retrieve show find details",
    "list": "list all get",
    "search_result": "search find query list",
    "deletion": "delete remove destroy drop",
    "file": "download save file pdf",
    "composite": "get find",
}

# The score of a match, by where and how it was found. Mostly their order matters.
_WHOLE_WORD, _WORD_START, _INITIALS, _INSIDE, _KEYWORD, _SUMMARY, _SCATTERED = 100.0, 80.0, 72.0, 58.0, 50.0, 40.0, 14.0
_MEANT = {NAME: 92.0, SUMMARY: 35.0}
_MEANT_ELSEWHERE, _LESS_LIKELY = 44.0, 3.0
_MISSPELT = 0.8
_ITSELF = 6.0  # added for a tool that returns the named type itself, and not a part of it
# Of tools that match equally well, the one that does less harm comes first.
_CAREFUL = {"read": 0.0, "write": 1.5, "delete": 3.0}
_DEPRECATED = 2.0
_SHORTEST_BEGUN = 4  # shortest prefix of a word for which completions are tried
_MOST_TERMS, _MOST_LETTERS, _MOST_KEPT = 12, 100, 64


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


_Hits = dict[int, _Hit]


class Matcher:
    """Finds tools of a table of contents."""

    def __init__(self, tools: Iterable[ToolSummary]) -> None:
        self._tools = list(tools)
        self._names = [" ".join(words(tool.name)).lower() for tool in self._tools]
        self._letters = [frozenset(name) for name in self._names]
        self._lengths = [max(len(name.replace(" ", "")), 1) for name in self._names]
        self._types_returned = [_types_returned(tool) for tool in self._tools]
        self._less = [_CAREFUL.get(tool.effect, 0.0) + _DEPRECATED * tool.deprecated for tool in self._tools]
        texts = [_texts(tool, name) for tool, name in zip(self._tools, self._names, strict=True)]
        self._index = WordIndex(texts)
        self._vocabulary = vocabulary()
        self._known: dict[str, _Hits] = {}

    def find(self, query: str) -> list[Match]:
        """The tools that match, best first. An empty query matches none."""
        terms = _terms(query, self._vocabulary)
        if not terms:
            return []
        found = [self._hits(term) for term in terms]
        fewest = min(found, key=len)
        ranked = []
        for place in fewest:
            hits = [one[place] for one in found if place in one]
            if len(hits) == len(found):
                letters = {letter for hit in hits for letter in hit.letters}
                # Of two tools that match equally well, the one with less other text in its name was probably meant.
                unmatched = 1 - len(letters) / self._lengths[place]
                score = sum(hit.score for hit in hits) / len(hits) - 12 * unmatched - self._less[place]
                ranked.append((-score, place, letters, hits))
        ranked.sort(key=lambda one: one[:2])
        return [
            Match(self._tools[place], -score, tuple(sorted(letters)), ", ".join(hit.reason for hit in hits if hit.reason))
            for score, place, letters, hits in ranked
        ]

    def _hits(self, term: str) -> _Hits:
        """Every tool that contains a word. The last words are cached: more typing changes only one of several words."""
        if (known := self._known.pop(term, None)) is None:
            known = self._look_for(term)
            if len(self._known) >= _MOST_KEPT:
                del self._known[next(iter(self._known))]
        self._known[term] = known
        return known

    def _look_for(self, term: str) -> _Hits:
        found = self._by_words(term)
        _take_better(found, self._by_name(term))
        known = self._vocabulary.meanings
        meanings = known.get(term) or known.get(stem(term), ())
        begun = () if meanings or len(term) < _SHORTEST_BEGUN else tuple(sorted(one for one in known if one.startswith(term)))
        for place, meant in enumerate(meanings):
            _take_better(found, self._by_meaning(term, meant, place))
        for word in begun:
            for place, meant in enumerate(known[word]):
                _take_better(found, self._by_meaning(word, meant, place + 1))
        if not begun and not meanings and not any(hit.score >= _SUMMARY for hit in found.values()):
            guessed: _Hits = {}
            for word in self._index.nearest(term, known):
                _take_better(guessed, self._misspelt(term, word))
            # Matches of scattered letters in other names would only be noise.
            found = guessed or found
        return found

    def _by_name(self, term: str) -> Iterator[tuple[int, _Hit]]:
        """Word prefixes, initials, parts and scattered letters in the names."""
        letters, patterns = frozenset(term), _patterns(term)
        # A plural is found without its last letter.
        fewer = frozenset(term[:-1]) if patterns.singular else letters
        for place, has in enumerate(self._letters):
            if fewer <= has and (hit := _in_name(term, self._names[place], patterns, letters <= has)) is not None:
                yield place, self._itself(place, term, hit)

    def _by_words(self, term: str) -> _Hits:
        """Word prefixes in other fields than the name."""
        found: _Hits = {}
        whole = stem(term)
        starts = dict.fromkeys((term, whole)) if len(whole) > 2 else (term,)
        for start in starts:
            for word, tools in self._index.beginning(start):
                if start != term and stem(word) != whole:
                    continue
                for tool, field in tools.items():
                    score = _SUMMARY if field == SUMMARY else _KEYWORD
                    if field != NAME and (tool not in found or found[tool].score < score):
                        found[tool] = _Hit(score, (), _elsewhere(word, field))
        return found

    def _by_meaning(self, said: str, meant: str, rank: int) -> Iterator[tuple[int, _Hit]]:
        """Matches of a word's synonyms, in the name or elsewhere."""
        first, *others = [self._index.having(word) for word in meant.split()]
        less = _LESS_LIKELY * rank
        for tool, field in first.items():
            if all(tool in other for other in others):
                worst = max(field, *(other[tool] for other in others)) if others else field
                letters = _side_by_side(meant, self._names[tool]) if worst == NAME else ()
                score = _MEANT.get(worst, _MEANT_ELSEWHERE) if letters or worst != NAME else _MEANT_ELSEWHERE
                reason = f"{said} → {meant}" if letters else f"{said} → {meant}, in its {FIELDS[worst]}"
                yield tool, self._itself(tool, meant, _Hit(score - less, letters, reason))

    def _itself(self, tool: int, word: str, hit: _Hit) -> _Hit:
        """A match in the name; it scores higher if the tool returns the named type."""
        types = self._types_returned[tool]
        named = hit.score >= _WORD_START and (word if word in types else stem(word)) in types
        return hit._replace(score=hit.score + _ITSELF) if named else hit

    def _misspelt(self, term: str, word: str) -> Iterator[tuple[int, _Hit]]:
        """Matches of the word that a misspelt word probably means."""
        if word not in self._index and word not in self._vocabulary.meanings:
            return
        for tool, hit in self._look_for(word).items():
            if hit.score >= _SUMMARY * _MISSPELT:
                yield (
                    tool,
                    _Hit(hit.score * _MISSPELT, hit.letters, f"{term} ≈ {word}" if hit.letters else f"{term} ≈ {hit.reason}"),
                )


def _texts(tool: ToolSummary, name: str) -> tuple[str, ...]:
    operation = f"{' '.join(words(tool.operation))} {tool.operation}"
    objects = " ".join(tool.objects).replace(".", " ").replace("_", " ")
    kind = f"{_KINDS.get(tool.response, '')} {tool.effect}"
    texts = name, operation, objects, f"{tool.group} {' '.join(words(tool.toolkit))}", kind, tool.summary
    return tuple(_joined(text.lower()) for text in texts)


def _types_returned(tool: ToolSummary) -> frozenset[str]:
    """The types that a tool returns as words, and the prefixes of those of one word."""
    types = [type_.rpartition(".")[2].replace("_", " ") for type_ in tool.objects]
    return frozenset(types) | {type_[:end] for type_ in types if " " not in type_ for end in range(3, len(type_))}


def _joined(text: str) -> str:
    return text.replace("e-mail", "email").replace("on-call", "oncall").replace("top-up", "topup")


def _terms(query: str, vocabulary: Vocabulary) -> list[str]:
    """The words of a query without fillers; all of them if all are fillers."""
    split = [word.strip(_AROUND) for word in _joined(query[:_MOST_LETTERS].lower()).split()]
    said = [word for word in split if word][:_MOST_TERMS]
    whole = f" {' '.join(said)} "
    for phrase, word in vocabulary.phrases.items():
        whole = whole.replace(f" {phrase} ", f" {word} ")
    terms = list(dict.fromkeys(whole.split()))
    return [term for term in terms if term not in vocabulary.fillers] or terms


def _take_better(found: _Hits, hits: Iterable[tuple[int, _Hit]]) -> None:
    for place, hit in hits:
        if place not in found or found[place].score < hit.score:
            found[place] = hit


@lru_cache(maxsize=1024)
def _elsewhere(word: str, field: int) -> str:
    return f"{word} in its {FIELDS[field]}"


def _side_by_side(meant: str, name: str) -> tuple[int, ...]:
    """The positions in a name, counted without spaces, of adjacent words; empty if the words are not adjacent in it."""
    wanted, has = [stem(word) for word in meant.split()], name.split()
    stems = [stem(word) for word in has]
    for place in range(len(has) - len(wanted) + 1):
        if stems[place : place + len(wanted)] == wanted:
            first = sum(map(len, has[:place]))
            return tuple(range(first, first + sum(map(len, has[place : place + len(wanted)]))))
    return ()


def _in_name(term: str, name: str, patterns: _Patterns, whole: bool) -> _Hit | None:
    """The match of a word in a name; `whole` says whether all of its letters occur there."""
    if whole and (found := patterns.initials.search(name)):
        places = [found.start(group) for group in range(1, len(term) + 1)]
        jumps = sum(1 for one, next_ in pairwise(places) if next_ != one + 1)
        letters = tuple(place - name.count(" ", 0, place) for place in places)
        if jumps:
            return _Hit(_INITIALS - 4 * (jumps - 1), letters)
        end = name.find(" ", places[0])
        length = (end if end >= 0 else len(name)) - places[0]
        return _Hit(_WHOLE_WORD if length == len(term) else _WORD_START + 15 * len(term) / length, letters)
    if found := patterns.singular.search(name) if patterns.singular else None:
        first = found.start() - name.count(" ", 0, found.start())
        return _Hit(_WORD_START, tuple(range(first, first + len(term) - 1)))
    if not whole:
        return None
    if (start := name.find(term)) >= 0 and len(term) > 1:
        first = start - name.count(" ", 0, start)
        return _Hit(_INSIDE, tuple(range(first, first + len(term))))
    if len(term) > 2 and (found := patterns.scattered.search(name)):
        places = [found.start(group) for group in range(1, len(term) + 1)]
        return _Hit(_SCATTERED, tuple(place - name.count(" ", 0, place) for place in places))
    return None


class _Patterns(msgspec.Struct, frozen=True):
    """A query word as regular expressions over space-separated lower-case words."""

    initials: re.Pattern[str]
    singular: re.Pattern[str] | None
    scattered: re.Pattern[str]


@lru_cache(maxsize=256)
def _patterns(term: str) -> _Patterns:
    letters = [f"({re.escape(letter)})" for letter in term]
    # Each letter follows the one before it, or starts a later word.
    initials = r"(?<!\S)" + r"(?:|\S*\s(?:\S+\s)*?)".join(letters)
    singular = rf"(?<!\S){re.escape(term[:-1])}(?!\S)" if term.endswith("s") and len(term) > 3 else None
    return _Patterns(
        re.compile(initials),
        re.compile(singular) if singular else None,
        re.compile(".*?".join(letters)),
    )


def words(name: str) -> list[str]:
    """A name in camel case, or an operation identifier, as its words: ``DownloadQuotePdf`` → Download, Quote, Pdf."""
    return _WORD.findall(name)
