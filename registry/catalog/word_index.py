"""An index of the words of tools: names, operations, returned types, groups, kinds, summaries.

Each word is compared once, even if many tools have it, so that synonyms, plurals and typing errors are fast enough while the
user types.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from rapidfuzz.distance import OSA

_WORD = re.compile(r"[a-z0-9]+")
_SHORTEST_MISSPELT, _LONG = 4, 8

NAME, OPERATION, OBJECTS, GROUP, KIND, SUMMARY = range(6)

FIELDS = ("name", "operation", "response", "group", "kind", "summary")
"""The names of the fields for people, by number."""


class WordIndex:
    """Every word of some tools, and which tools have it in which field."""

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        """Add the lower-case texts of each tool, one for each field."""
        self._found: dict[str, dict[int, int]] = {}
        for tool, fields in enumerate(texts):
            for field, text in enumerate(fields):
                for word in _WORD.findall(text):
                    self._found.setdefault(word, {}).setdefault(tool, field)
        self._sorted = sorted(self._found)
        self._by_stem: dict[str, list[str]] = {}
        for word in self._sorted:
            self._by_stem.setdefault(stem(word), []).append(word)

    def __contains__(self, word: str) -> bool:
        return word in self._found

    def having(self, word: str) -> dict[int, int]:
        """The tools that have a word, in the singular or the plural, each with the best field that contains it."""
        found: dict[int, int] = {}
        for one in self._by_stem.get(stem(word), ()):
            for tool, field in self._found[one].items():
                found[tool] = min(field, found.get(tool, len(FIELDS)))
        return found

    def beginning(self, start: str) -> Iterator[tuple[str, dict[int, int]]]:
        """The words with a prefix, and the tools that have each."""
        for place in range(bisect_left(self._sorted, start), len(self._sorted)):
            word = self._sorted[place]
            if not word.startswith(start):
                return
            yield word, self._found[word]

    def nearest(self, wrong: str, also: Iterable[str] = ()) -> list[str]:
        """The words that an unknown word, typed completely or in part, probably means; only the nearest."""
        if len(wrong) < _SHORTEST_MISSPELT or not wrong.isascii():
            return []
        most = 1 if len(wrong) < _LONG else 2
        near: dict[str, int] = {}
        for word in (*self._sorted, *also):
            if len(word) < len(wrong) - most or wrong[0] not in word[:2]:
                continue
            away = OSA.distance(wrong, word, score_cutoff=most)
            if away <= most:
                near[word] = away
            elif len(word) > len(wrong) and OSA.distance(wrong, word[: len(wrong)], score_cutoff=1) == 1:
                near[word] = most + 1  # an incomplete word with an error: a whole word is the better guess
        nearest = min(near.values(), default=0)
        return [word for word, away in near.items() if away == nearest]


def stem(word: str) -> str:
    """A word without its plural ending: ``policies`` and ``policy`` have the same."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word
