"""Synonyms for the search of tools: other verbs, other nouns, common abbreviations; and whether a query asks for a deletion.

The words that every toolkit shares are in ``words.json`` next to this module, those of one service in the ``words.json``
of its toolkit's folder. Only whole words are listed: the search finds prefixes, plurals and typing errors by
itself. If a word has several meanings, the most likely comes first.
"""

import re
from collections.abc import Mapping
from pathlib import Path

import msgspec
from jellyfish import damerau_levenshtein_distance

from registry.catalog.loader import ToolkitFile, data_folders
from registry.catalog.reading import CatalogProblem, of_files

_COMMON = Path(__file__).parent
_AROUND = " \t\n\"'`“”‘’<>()[],;:?!"
_MAY = re.compile(r"\b(?:who|whom|which \w+|what role)\s+(?:can|may|could|is allowed|are allowed|has|have)\b", re.IGNORECASE)


class Vocabulary(msgspec.Struct, frozen=True):
    """Words that find tools, in addition to the tools' own words.

    Attributes:
        fillers: words of questions that do not distinguish tools.
        phrases: several words, and the one word that replaces them.
        meanings: a word, and what it may mean, most likely first; a meaning of several words must be adjacent in a tool.
        deletion: the verbs that ask for a deletion.
        contents: what objects contain, by the folder of the toolkit: for each of `CONTENTS` the words by type of object.
    """

    fillers: frozenset[str]
    phrases: Mapping[str, str]
    meanings: Mapping[str, tuple[str, ...]]
    deletion: frozenset[str] = frozenset()
    contents: Mapping[Path, Mapping[str, Mapping[str, str]]] = msgspec.field(default_factory=dict)


def vocabulary() -> Vocabulary:
    """The common words together with those of every toolkit."""
    return _vocabulary(data_folders())


def word_problems(folder: Path) -> list[CatalogProblem]:
    """The errors in the ``words.json`` of a toolkit's folder; empty if there is no such file."""
    file = _read(folder)
    for part in _PARTS:
        file.texts(part)
    return file.problems


CONTENTS = ("states", "fields", "errors")
"""What a type's objects contain besides names: the values of states and kinds, the names of fields, the codes of errors."""

_PARTS = ("phrases", "meanings", *CONTENTS)
_COMMON_PARTS = ("fillers", "deletion")


@of_files
def _vocabulary(folders: tuple[Path, ...]) -> Vocabulary:
    common, *files = map(_read, (_COMMON, *folders))
    phrases: dict[str, str] = {}
    meanings: dict[str, list[str]] = {}
    for file in (common, *files):
        for phrase, word in file.texts("phrases").items():
            phrases.setdefault(phrase, word)
        for meant, said in file.texts("meanings").items():
            for word in said.split():
                meanings.setdefault(word, []).append(meant)
    fillers, deletion = (frozenset(common.value(key, str, "").split()) for key in _COMMON_PARTS)
    contents = {folder: {part: file.texts(part) for part in CONTENTS} for folder, file in zip(folders, files, strict=True)}
    return Vocabulary(fillers, phrases, {word: tuple(meant) for word, meant in meanings.items()}, deletion, contents)


def _read(folder: Path) -> ToolkitFile:
    return ToolkitFile(folder, "words.json", (*_PARTS, *_COMMON_PARTS) if folder == _COMMON else _PARTS)


def asks_for_deletion(text: str) -> bool:
    """Whether a text contains a verb of deletion, also misspelt or as a part of a tool's name."""
    verbs = vocabulary().deletion
    if _MAY.search(text):
        return False  # it asks who may do it
    words = [part.strip(_AROUND).lower() for part in re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).split()]
    plain = [word.removesuffix("ing").removesuffix("l") for word in words if word.endswith("ing")]
    # A past participle is a state and not a request: deleted, removed.
    return (
        "get rid of" in text.lower()
        or not verbs.isdisjoint((*words, *plain, *(f"{word}e" for word in words + plain)))
        or any(
            damerau_levenshtein_distance(word, verb) == 1 and word.endswith("d") == verb.endswith("d")
            for word in words
            for verb in verbs
            if min(len(word), len(verb)) > 4 and abs(len(word) - len(verb)) < 2
        )
    )
