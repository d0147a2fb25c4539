"""Scores entries against typed words: by the rarity of words, the weight of their field, and the kind of match.

An entry is a tool or a ready call. Each has words with a weight by the field that they are from; a ready call also has
phrases, and scores higher the more of one phrase was typed. A typed word matches itself, its synonyms, words that it begins,
and, if there are none of these, the most similar words.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from heapq import nlargest
from typing import NamedTuple

from jellyfish import damerau_levenshtein_distance

from registry.catalog.synonyms import Vocabulary
from registry.finding.words import Entry, Term, stem_of

ITSELF, MEANT, BEGUN, MISSPELT = 1.0, 0.9, 0.72, 0.8
_FILLER, _NAMES = 0.12, 0.9
_SHORTEST_BEGUN, _SHORTEST_MISSPELT, _LONG = 2, 4, 8
_OF_TYPED = 0.65
"""The weight of the share of typed words that a phrase contains, against the share of the phrase that was typed."""


class Meaning(NamedTuple):
    """A meaning of a typed word: stems that must all occur, its certainty, and why, in words."""

    stems: tuple[str, ...]
    sure: float
    reason: str = ""


class Fit(NamedTuple):
    """How well an entry matches: at most about 1; the reasons of the typed words that matched, and the words that it uses."""

    score: float = 0.0
    reasons: Collection[str] = ()
    used: Collection[str] = ()


class _Typed(NamedTuple):
    """A typed word, its meanings, and its weight."""

    term: Term
    meanings: list[Meaning]
    weight: float


class Scorer:
    """Scores entries, which are everything that can be found, against words, whose meanings are in the vocabulary."""

    def __init__(self, entries: Sequence[Entry], vocabulary: Vocabulary) -> None:
        self._entries = entries
        self._fillers = vocabulary.fillers | set(map(stem_of, vocabulary.fillers))
        # The entries that have a word, by their places, with its weight there; none for a slot in a phrase.
        self._having: dict[str, dict[int, float]] = {}
        for place, entry in enumerate(entries):
            for stem in (stem for phrase in entry.phrases for stem in phrase):
                self._having.setdefault(stem, {})[place] = 0.0
            for stem, weight in entry.words.items():
                self._having.setdefault(stem, {})[place] = weight
        self._meanings: dict[str, dict[tuple[str, ...], None]] = {}
        self._spoken: dict[tuple[str, ...], str] = {}
        for said, meant in vocabulary.meanings.items():
            for text in meant:
                stems = tuple(map(stem_of, text.split()))
                self._spoken.setdefault(stems, text)
                self._meanings.setdefault(stem_of(said), {})[stems] = None
        self._known = sorted({*self._having, *self._meanings})
        # An incomplete word is completed only to words in names, and not to all words of the entries.
        named = {stem for stem, having in self._having.items() if max(having.values()) >= _NAMES}
        self._begins = sorted({*named, *self._meanings})
        self.meanings = lru_cache(maxsize=4096)(self._all_meanings)

    def is_filler(self, term: Term) -> bool:
        """Whether a word does not distinguish entries."""
        return term.word in self._fillers or term.stem in self._fillers

    def is_known(self, term: Term) -> bool:
        """Whether a word is in any entry, has meanings, or is a filler."""
        return term.stem in self._having or term.stem in self._meanings or term.word in self._fillers

    def _all_meanings(self, term: Term) -> list[Meaning]:
        """The meanings of a word, most certain first; empty for an unknown word."""
        found = [Meaning((term.stem,), ITSELF)] if term.stem in self._having else []
        if self.is_filler(term):
            return found
        found += self._meant(term.stem, 1.0, term.word)
        if not found or len(term.word) < 5:
            found += self._begun(term)
        return found or self._misspelt(term)

    def fits(self, terms: Sequence[Term], slots: Collection[str], most: int) -> dict[int, Fit]:
        """How well entries match words and the names of slots with a typed value, by their places, in their order.

        All that have phrases are among them, and of the others those that match `most`.
        """
        typed = [_Typed(term, meanings, self._weight(term.stem, term)) for term in terms if (meanings := self.meanings(term))]
        total = sum(one.weight for one in typed) or 1.0
        best = list(map(self._best, typed))
        scores = {place: 0.0 for slot in slots for place in self._having.get(f"{{{slot}}}", ())}
        for one, found in zip(typed, best, strict=True):
            for place, (worth, _) in found.items():
                scores[place] = scores.get(place, 0.0) + one.weight * worth / total
        spoken = [place for place in scores if self._entries[place].phrases]
        others = nlargest(most, (place for place in scores if not self._entries[place].phrases), key=scores.__getitem__)
        sought = {stem for one in typed for meaning in one.meanings for stem in meaning.stems} | {f"{{{one}}}" for one in slots}
        fits = {place: self._fit(place, scores[place], typed, best, total, sought) for place in sorted((*spoken, *others))}
        return {place: fit for place, fit in fits.items() if fit.score > 0}

    def _best(self, typed: _Typed) -> dict[int, tuple[float, Meaning]]:
        """The entries that have a typed word, each with the best of its meanings there and what that is worth."""
        found: dict[int, tuple[float, Meaning]] = {}
        for meaning in typed.meanings:
            having, *others = (self._having.get(stem, {}) for stem in meaning.stems)
            for place, weight in having.items():
                for other in others:
                    weight = min(weight, other.get(place, 0.0))
                if (worth := meaning.sure * weight) > (found[place][0] if place in found else 0.0):
                    found[place] = worth, meaning
        return found

    def _fit(
        self,
        place: int,
        score: float,
        typed: Sequence[_Typed],
        best: Sequence[Mapping[int, tuple[float, Meaning]]],
        total: float,
        sought: AbstractSet[str],
    ) -> Fit:
        entry, reasons, used = self._entries[place], list[str](), set[str]()
        for (term, _, weight), found in zip(typed, best, strict=True):
            if place in found:
                _, meaning = found[place]
                if weight > _FILLER and meaning.reason:
                    reasons.append(meaning.reason)
                if meaning.stems[0] in entry.about:
                    used.add(term.word)
        if entry.phrases:
            touched = [phrase for phrase in entry.phrases if not sought.isdisjoint(phrase)]
            score = max((self._phrase(one, typed, total, score, sought) for one in touched), default=score)
            spoken = {stem for phrase in touched for stem in phrase}
            used |= {one.term.word for one in typed if any(spoken.issuperset(meant.stems) for meant in one.meanings)}
        return Fit(score, dict.fromkeys(reasons), used)

    def _phrase(
        self, phrase: Sequence[str], typed: Sequence[_Typed], total: float, around: float, sought: AbstractSet[str]
    ) -> float:
        """How well a phrase matches: how much of it was typed, and how much of the typed text is in it or around it."""
        sure = {stem: float(stem[0] == "{" and stem in sought) for stem in phrase}
        said = 0.0
        for _, meanings, weight in typed:
            inside = [one for one in meanings if all(stem in sure for stem in one.stems)]
            for one in inside:
                sure |= {stem: max(sure[stem], one.sure) for stem in one.stems}
            said += weight * max((one.sure for one in inside), default=0.0)
        weights = {stem: self._weight(stem) for stem in sure}
        of_phrase = sum(weights[stem] * sure[stem] for stem in sure) / (sum(weights.values()) or 1.0)
        of_typed = max(said / total, 0.92 * around) if typed else 1.0
        # A complete phrase and nothing else is the best match.
        return _OF_TYPED * of_typed + (1 - _OF_TYPED) * of_phrase + (0.1 * of_typed * of_phrase if said else 0.0)

    def _weight(self, stem: str, term: Term | None = None) -> float:
        """The weight of a typed or spoken word: the rarer it is, the more."""
        if stem[0] == "{":
            return 1.0
        if stem in self._fillers or (term is not None and term.word in self._fillers):
            return _FILLER
        count = len(self._having.get(stem, (0,)))
        return 0.35 + math.log(1 + len(self._entries) / (1 + count)) / math.log(1 + len(self._entries))

    def _begun(self, term: Term) -> list[Meaning]:
        word = term.word
        if len(word) < _SHORTEST_BEGUN or word.isdigit():
            return []
        begun = [known for known in self._begins if known.startswith(word) and known != term.stem]
        found = [one for known in begun for one in self._through(known, BEGUN, f"{word}… → {known}")]
        return sorted(found, key=lambda one: -one.sure)[:12]

    def _misspelt(self, term: Term) -> list[Meaning]:
        word = term.stem
        if len(term.word) < _SHORTEST_MISSPELT or not word.isascii() or word.isdigit():
            return []
        most = 1 if len(term.word) < _LONG else 2
        # A typing mistake leaves the first letter, or exchanges it with the second.
        near = [one for one in self._known if abs(len(one) - len(word)) <= most and word[0] in one[:2] and len(one) > 3]
        away = {one: damerau_levenshtein_distance(word, one) for one in near if one.isalpha()}
        least = min(away.values(), default=most)
        alike = [known for known, distance in away.items() if distance == least <= most]
        return [one for known in alike for one in self._through(known, MISSPELT, f"{term.word} ≈ {known}")]

    def _through(self, known: str, sure: float, reason: str) -> Iterator[Meaning]:
        """A known word, and its meanings."""
        if known in self._having:
            yield Meaning((known,), sure, reason)
        yield from self._meant(known, sure, reason)

    def _meant(self, stem: str, sure: float, reason: str) -> Iterator[Meaning]:
        for stems in self._meanings.get(stem, ()):
            yield Meaning(stems, sure * MEANT, f"{reason} → {self._spoken[stems]}")
