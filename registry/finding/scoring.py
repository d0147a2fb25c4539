"""Texts as words for comparison, and entries scored by them: by the rarity of words, their field, and the kind of match.

Words have no endings, and several words with one meaning become one: ``Why was Ada's card declined?`` → the words ``why was ada
card declined``, compared as ``why was ada card declin``. Tools have the words of their names, operations, types and summaries,
ready calls those of their phrases.

An entry is a tool or a ready call. Each has words with a weight by the field that they are from; a ready call also has
phrases, and scores higher the more of one phrase was typed. A typed word matches itself, its synonyms, words that it begins,
and, if there are none of these, the most similar words.
"""

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from heapq import nlargest
from pathlib import Path
from typing import NamedTuple

from jellyfish import damerau_levenshtein_distance

from registry.calling.search_queries import query_fields
from registry.catalog.listing import CONTENTS, Vocabulary, vocabulary
from registry.catalog.loader import folder_of
from registry.catalog.model import Tool
from registry.finding.ready_calls import SLOT, ReadyCall
from registry.text.filter_line import plain

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[a-z0-9à-öø-ÿāăąćčďđēęěğīıłńňőřśşšťūůűźżžșț]+", re.IGNORECASE)
_APOSTROPHE = re.compile(r"[’'`]s?\b")
_DOUBLED = re.compile(r"([bdglmnprt])\1$")
_MOST_TERMS, _MOST_LETTERS = 24, 300


class Term(NamedTuple):
    """A word as typed, in lower case, and its stem."""

    word: str
    stem: str


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
        *(value for one in tool.parameters for value in one.enum or ()),
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

    score: float
    reasons: Collection[str]
    used: Collection[str]


_Typed = tuple[Term, list[Meaning], float]  # a typed word, its meanings, and its weight


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
        word, stem = term
        found += self._meant(stem, 1.0, word)
        if (not found or len(word) < 5) and len(word) >= _SHORTEST_BEGUN and not word.isdigit():
            begins = [known for known in self._begins if known.startswith(word) and known != stem]
            begun = [one for known in begins for one in self._through(known, BEGUN, f"{word}… → {known}")]
            found += sorted(begun, key=lambda one: -one.sure)[:12]
        if found or len(word) < _SHORTEST_MISSPELT or not stem.isascii() or stem.isdigit():
            return found
        most = 1 if len(word) < _LONG else 2
        # A typing mistake leaves the first letter, or exchanges it with the second.
        near = [one for one in self._known if abs(len(one) - len(stem)) <= most and stem[0] in one[:2] and len(one) > 3]
        away = {one: damerau_levenshtein_distance(stem, one) for one in near if one.isalpha()}
        least = min(away.values(), default=most)
        alike = [known for known, distance in away.items() if distance == least <= most]
        return [one for known in alike for one in self._through(known, MISSPELT, f"{word} ≈ {known}")]

    def fits(self, terms: Sequence[Term], slots: Collection[str], most: int) -> dict[int, Fit]:
        """How well entries match words and the names of slots with a typed value, by their places, in their order.

        All that have phrases are among them, and of the others those that match `most`.
        """
        typed = [(term, meanings, self._weight(term.stem)) for term in terms if (meanings := self.meanings(term))]
        total = sum(weight for *_, weight in typed) or 1.0
        best = [self._best(meanings) for _, meanings, _ in typed]
        scores = {place: 0.0 for slot in slots for place in self._having.get(f"{{{slot}}}", ())}
        for (*_, weight), found in zip(typed, best, strict=True):
            for place, (worth, _) in found.items():
                scores[place] = scores.get(place, 0.0) + weight * worth / total
        spoken = [place for place in scores if self._entries[place].phrases]
        others = nlargest(most, (place for place in scores if not self._entries[place].phrases), key=scores.__getitem__)
        sought = {stem for _, meanings, _ in typed for meaning in meanings for stem in meaning.stems}
        sought |= {f"{{{one}}}" for one in slots}
        fits = {place: self._fit(place, scores[place], typed, best, total, sought) for place in sorted((*spoken, *others))}
        return {place: fit for place, fit in fits.items() if fit.score > 0}

    def _best(self, meanings: Sequence[Meaning]) -> dict[int, tuple[float, Meaning]]:
        """The entries that have a typed word, each with the best of its meanings there and what that is worth."""
        found: dict[int, tuple[float, Meaning]] = {}
        for meaning in meanings:
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
        for (term, *_), found in zip(typed, best, strict=True):
            if place in found:
                _, meaning = found[place]
                if meaning.reason:
                    reasons.append(meaning.reason)
                if meaning.stems[0] in entry.about:
                    used.add(term.word)
        if entry.phrases:
            touched = [phrase for phrase in entry.phrases if not sought.isdisjoint(phrase)]
            score = max((self._phrase(one, typed, total, score, sought) for one in touched), default=score)
            spoken = {stem for phrase in touched for stem in phrase}
            used |= {term.word for term, meanings, _ in typed if any(spoken.issuperset(one.stems) for one in meanings)}
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

    def _weight(self, stem: str) -> float:
        """The weight of a typed or spoken word: the rarer it is, the more."""
        if stem[0] == "{":
            return 1.0
        if stem in self._fillers:
            return _FILLER
        count = len(self._having.get(stem, (0,)))
        return 0.35 + math.log(1 + len(self._entries) / (1 + count)) / math.log(1 + len(self._entries))

    def _through(self, known: str, sure: float, reason: str) -> Iterator[Meaning]:
        """A known word, and its meanings."""
        if known in self._having:
            yield Meaning((known,), sure, reason)
        yield from self._meant(known, sure, reason)

    def _meant(self, stem: str, sure: float, reason: str) -> Iterator[Meaning]:
        for stems in self._meanings.get(stem, ()):
            yield Meaning(stems, sure * MEANT, f"{reason} → {self._spoken[stems]}")
