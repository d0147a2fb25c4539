"""Scores entries against typed words: by the rarity of words, the weight of their field, and the kind of match.

An entry is a tool or a ready call. Each has words with a weight by the field that they are from; a ready call also has
phrases, and scores higher the more of one phrase was typed. A typed word matches itself, its synonyms, words that it begins,
and, if there are none of these, the most similar words.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import NamedTuple

from rapidfuzz import process
from rapidfuzz.distance import OSA

from registry.catalog.synonyms import Vocabulary
from registry.finding.terms import Term, stem_of

ITSELF, MEANT, BEGUN, MISSPELT = 1.0, 0.9, 0.72, 0.8
_FILLER, _LESS_LIKELY, _NAMES, _AROUND = 0.12, 0.05, 0.9, 0.55
_SHORTEST_BEGUN, _SHORTEST_MISSPELT, _LONG = 2, 4, 8
_OF_TYPED = 0.65
"""The weight of the share of typed words that a phrase contains, against the share of the phrase that was typed."""


class Entry(NamedTuple):
    """Something that can be found.

    Attributes:
        words: its stems, each with a weight up to 1 and its field, in words.
        phrases: what people call it, as stems; a slot is its name in braces.
    """

    words: Mapping[str, tuple[float, str]]
    phrases: Sequence[Sequence[str]] = ()


class Meaning(NamedTuple):
    """A meaning of a typed word: stems that must all occur, its certainty, and why, in words."""

    stems: tuple[str, ...]
    sure: float
    reason: str = ""


_Meant = tuple[Term, list[Meaning], float]
"""A typed word, its meanings, and its weight."""


@dataclass(slots=True)
class Fit:
    """How well an entry matches: at most about 1. `words` are the typed words that matched, each with the reason."""

    score: float
    words: dict[str, str] = field(default_factory=dict)


class Scorer:
    """Scores entries against words.

    Args:
        entries: everything that can be found.
        vocabulary: the meanings of words.
    """

    def __init__(self, entries: Sequence[Entry], vocabulary: Vocabulary) -> None:
        self._entries = entries
        self._vocabulary = vocabulary
        self._fillers = frozenset(map(stem_of, vocabulary.fillers))
        self._having: dict[str, list[int]] = {}
        for place, entry in enumerate(entries):
            for stem in {*entry.words, *(stem for phrase in entry.phrases for stem in phrase)}:
                self._having.setdefault(stem, []).append(place)
        self._meanings: dict[str, list[tuple[str, ...]]] = {}
        self._spoken: dict[tuple[str, ...], str] = {}
        for said, meant in vocabulary.meanings.items():
            found = self._meanings.setdefault(stem_of(said), [])
            for text in meant:
                stems = tuple(map(stem_of, text.split()))
                self._spoken.setdefault(stems, text)
                if stems not in found:
                    found.append(stems)
        self._known = sorted({*self._having, *self._meanings})
        # An incomplete word is completed only to words in names, and not to all words of the entries.
        named = {stem for entry in entries for stem, (weight, _) in entry.words.items() if weight >= _NAMES}
        self._begins = sorted({*named, *self._meanings})

    def is_known(self, term: Term) -> bool:
        """Whether a word is in any entry, has meanings, or is a filler."""
        return term.stem in self._having or term.stem in self._meanings or term.word in self._vocabulary.fillers

    def is_begun(self, term: Term) -> bool:
        """Whether a word is known, or the beginning of a word in a name."""
        return self.is_known(term) or bool(self._begun(term))

    def is_filler(self, term: Term) -> bool:
        """Whether a word is a filler."""
        return term.word in self._vocabulary.fillers or term.stem in self._fillers

    def meanings(self, term: Term) -> list[Meaning]:
        """The meanings of a word, most certain first; empty for an unknown word."""
        found = [Meaning((term.stem,), ITSELF)] if term.stem in self._having else []
        if self.is_filler(term):
            return found
        for place, stems in enumerate(self._meanings.get(term.stem, ())):
            found.append(Meaning(stems, MEANT - place * _LESS_LIKELY, f"{term.word} → {self._spoken[stems]}"))
        if not found or len(term.word) < 5:
            found += self._begun(term)
        return found or self._misspelt(term)

    def fits(self, terms: Sequence[Term], slots: Collection[str] = ()) -> list[Fit]:
        """How well each entry matches, in the order of the entries; 0 for no match.

        Args:
            terms: the words.
            slots: the names of the slots with a typed value.
        """
        meant = [(term, self.meanings(term), self._weight(term)) for term in terms]
        known = [one for one in meant if one[1]]
        total = sum(weight for _, _, weight in known) or 1.0
        sought = {stem for _, meanings, _ in known for one in meanings for stem in one.stems} | {
            f"{{{slot}}}" for slot in slots
        }
        found = [Fit(0.0)] * len(self._entries)  # one shared value for all without a match
        for place in {place for stem in sought for place in self._having.get(stem, ())}:
            found[place] = self._fit(self._entries[place], known, total, sought)
        return found

    def _fit(self, entry: Entry, meant: Sequence[_Meant], total: float, sought: AbstractSet[str]) -> Fit:
        fit, got, words = Fit(0.0), 0.0, entry.words
        for term, meanings, weight in meant:
            best, reason = 0.0, ""
            for one in meanings:
                if one.sure <= best or one.stems[0] not in words:
                    continue  # no word has a weight above 1
                places = [words[stem] for stem in one.stems if stem in words]
                if len(places) == len(one.stems) and (worth := one.sure * min(place[0] for place in places)) > best:
                    where = places[0][1]
                    best, reason = worth, one.reason + (f", {where}" if one.reason and where else where)
            if best:
                got += weight * best
                if weight > _FILLER:
                    fit.words[term.word] = reason
        fit.score = got / total
        if entry.phrases:
            touched = [phrase for phrase in entry.phrases if not sought.isdisjoint(phrase)]
            scores = [self._phrase(phrase, meant, total, fit.score, sought) for phrase in touched]
            fit.score = max(scores, default=_AROUND * fit.score)
        return fit

    def _phrase(
        self, phrase: Sequence[str], meant: Sequence[_Meant], total: float, around: float, sought: AbstractSet[str]
    ) -> float:
        """How well a phrase matches: how much of it was typed, and how much of the typed text is in it or around it."""
        sure = {stem: float(stem[0] == "{" and stem in sought) for stem in phrase}
        said = 0.0
        for _, meanings, weight in meant:
            inside = [one for one in meanings if all(stem in sure for stem in one.stems)]
            for one in inside:
                sure |= {stem: max(sure[stem], one.sure) for stem in one.stems}
            said += weight * max((one.sure for one in inside), default=0.0)
        weights = {stem: self._weight_of(stem) for stem in sure}
        of_phrase = sum(weights[stem] * sure[stem] for stem in sure) / (sum(weights.values()) or 1.0)
        of_typed = max(said / total, 0.92 * around) if meant else 1.0
        if not of_phrase:
            return _AROUND * around
        # A complete phrase and nothing else is the best match.
        return _OF_TYPED * of_typed + (1 - _OF_TYPED) * of_phrase + (0.1 * of_typed * of_phrase if said else 0.0)

    def _weight(self, term: Term) -> float:
        return _FILLER if self.is_filler(term) else self._rarity(term.stem)

    def _weight_of(self, stem: str) -> float:
        return 1.0 if stem[0] == "{" else _FILLER if stem in self._fillers else self._rarity(stem)

    def _rarity(self, stem: str) -> float:
        meant = (len(self._having.get(one[0], (0,))) for one in self._meanings.get(stem, ()))
        count = len(self._having.get(stem, ())) or max(meant, default=1)
        return 0.35 + math.log(1 + len(self._entries) / (1 + count)) / math.log(1 + len(self._entries))

    def _begun(self, term: Term) -> list[Meaning]:
        word = term.word
        if len(word) < _SHORTEST_BEGUN or word.isdigit():
            return []
        found: list[Meaning] = []
        for known in self._begins:
            if known.startswith(word) and known != term.stem:
                found += self._through(known, BEGUN + 0.2 * len(word) / len(known), f"{word}… → {known}")
        found.sort(key=lambda one: -one.sure)
        return found[:12]

    def _misspelt(self, term: Term) -> list[Meaning]:
        word = term.stem
        if len(term.word) < _SHORTEST_MISSPELT or not word.isascii() or word.isdigit():
            return []
        most = 1 if len(term.word) < _LONG else 2
        found = process.extract(word, self._known, scorer=OSA.distance, score_cutoff=most, limit=None)
        near = [(known, away) for known, away, _ in found if known.isalpha() and len(known) > 3 and word[0] in known[:2]]
        least = min((away for _, away in near), default=0)
        alike = [known for known, away in near if away == least]
        return [one for known in alike for one in self._through(known, MISSPELT, f"{term.word} ≈ {known}")]

    def _through(self, known: str, sure: float, reason: str) -> Iterable[Meaning]:
        """A known word, and its meanings."""
        if known in self._having:
            yield Meaning((known,), sure, reason)
        for place, stems in enumerate(self._meanings.get(known, ())):
            yield Meaning(stems, sure * (MEANT - place * _LESS_LIKELY), f"{reason} → {self._spoken[stems]}")
