"""Finding a tool by a few letters: words in any order, beginnings of words, initials run together, parts of words.

Every word of a query must be found somewhere in a tool: in its name, or else in its operation, its group, the types in its
answer, or its summary. The better the place and the fit, the higher the tool ranks; what matched in the name is told letter
by letter, so that it can be marked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from registry.catalog.listing import Listed

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

_VERBS = {
    "object": "get read retrieve show find details",
    "list": "list all get",
    "search_result": "search find query list",
    "deletion": "delete remove destroy drop",
    "file": "download save file pdf",
    "composite": "get find",
}

# What a match is worth, by where and how it was found. Only the order of these matters much.
_WHOLE_WORD, _WORD_START, _INITIALS, _INSIDE, _KEYWORD, _SUMMARY, _SCATTERED = 100.0, 80.0, 72.0, 58.0, 50.0, 40.0, 14.0


@dataclass(frozen=True, slots=True)
class Match:
    """A tool that was found: how well (higher is better), and the places of the matching letters in its name."""

    tool: Listed
    score: float
    letters: tuple[int, ...]


class Matcher:
    """Finds tools of a table of contents."""

    def __init__(self, tools: Iterable[Listed]) -> None:
        self._candidates = [_Candidate(tool, place) for place, tool in enumerate(tools)]
        self._last: tuple[str, list[_Candidate]] = ("", self._candidates)

    def find(self, query: str) -> list[Match]:
        """The tools that match, best first. An empty query matches none."""
        terms = query.lower().split()
        if not terms:
            return []
        # Whoever types on can only narrow down: look again only at what matched before.
        before, pool = self._last
        if not before or not query.lower().startswith(before):
            pool = self._candidates
        found = [(candidate, match) for candidate in pool if (match := candidate.match(terms))]
        self._last = (query.lower(), [candidate for candidate, _ in found])
        found.sort(key=lambda pair: (-pair[1].score, pair[0].place))
        return [match for _, match in found]


class _Candidate:
    """A tool, taken apart for matching."""

    __slots__ = ("keywords", "name", "place", "summary", "tool")

    def __init__(self, tool: Listed, place: int) -> None:
        self.tool = tool
        self.place = place
        self.name = " ".join(words(tool.name)).lower()
        kinds = " ".join(tool.objects).replace(".", " ").replace("_", " ")
        self.keywords = " ".join(
            [
                " ".join(words(tool.operation)),
                tool.operation,
                tool.group,
                kinds,
                _VERBS.get(tool.answer, ""),
                tool.toolkit,
                tool.effect,
            ]
        ).lower()
        self.summary = tool.summary.lower()

    def match(self, terms: Sequence[str]) -> Match | None:
        total, letters = 0.0, set[int]()
        for term in terms:
            score, places = self._best(term)
            if not score:
                return None
            total += score
            letters.update(places)
        # Of two tools that match equally well, the one with less else in its name was meant.
        unmatched = 1 - len(letters) / len(self.name.replace(" ", ""))
        return Match(self.tool, total / len(terms) - 12 * unmatched, tuple(sorted(letters)))

    def _best(self, term: str) -> tuple[float, tuple[int, ...]]:
        patterns = _patterns(term)
        if found := patterns.initials.search(self.name):
            places = [found.start(group) for group in range(1, len(term) + 1)]
            jumps = sum(1 for one, next_ in pairwise(places) if next_ != one + 1)
            letters = tuple(place - self.name.count(" ", 0, place) for place in places)
            if jumps:
                return _INITIALS - 4 * (jumps - 1), letters
            end = self.name.find(" ", places[0])
            length = (end if end >= 0 else len(self.name)) - places[0]
            return (_WHOLE_WORD if length == len(term) else _WORD_START + 15 * len(term) / length), letters
        if found := patterns.singular.search(self.name) if patterns.singular else None:
            first = found.start() - self.name.count(" ", 0, found.start())
            return _WORD_START, tuple(range(first, first + len(term) - 1))
        if (start := self.name.find(term)) >= 0 and len(term) > 1:
            first = start - self.name.count(" ", 0, start)
            return _INSIDE, tuple(range(first, first + len(term)))
        if patterns.start.search(self.keywords):
            return _KEYWORD, ()
        if patterns.start.search(self.summary):
            return _SUMMARY, ()
        if len(term) > 2 and (found := patterns.scattered.search(self.name)):
            places = [found.start(group) for group in range(1, len(term) + 1)]
            return _SCATTERED, tuple(place - self.name.count(" ", 0, place) for place in places)
        return 0.0, ()


@dataclass(frozen=True, slots=True)
class _Patterns:
    """A query word as regular expressions over space-separated lower-case words."""

    initials: re.Pattern[str]
    singular: re.Pattern[str] | None
    start: re.Pattern[str]
    scattered: re.Pattern[str]


@lru_cache(maxsize=256)
def _patterns(term: str) -> _Patterns:
    letters = [f"({re.escape(letter)})" for letter in term]
    # Each letter follows the one before it, or begins a later word.
    initials = r"(?<!\S)" + r"(?:|\S*\s(?:\S+\s)*?)".join(letters)
    singular = rf"(?<!\S){re.escape(term[:-1])}(?!\S)" if term.endswith("s") and len(term) > 3 else None
    return _Patterns(
        re.compile(initials),
        re.compile(singular) if singular else None,
        re.compile(rf"(?<![a-z0-9]){re.escape(term)}"),
        re.compile(".*?".join(letters)),
    )


def words(name: str) -> list[str]:
    """A name in camel case, or an operation identifier, as its words: ``DownloadQuotePdf`` → Download, Quote, Pdf."""
    return _WORD.findall(name)
