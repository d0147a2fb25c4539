"""Synonyms for the search of tools: other verbs, other nouns, and common abbreviations.

The words that every toolkit shares are in ``words.json`` beside this module, those of one service's trade in the ``words.json``
of its toolkit's folder. Only whole words are listed: the matcher finds beginnings of words, plurals and typing errors by
itself. Where a word has several meanings, the likeliest comes first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from registry.catalog.toolkit_files import ToolkitFile, data_folders

if TYPE_CHECKING:
    from registry.catalog.problems import CatalogProblem

_COMMON = Path(__file__).parent
_FILE = "words.json"


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words by which tools are found besides their own.

    Attributes:
        fillers: words that questions are made of, and that tell no tool from another.
        phrases: several words, and the one word that stands for them.
        meanings: a word, and what it may mean, likeliest first; a meaning of several words stands for them side by side.
    """

    fillers: frozenset[str]
    phrases: Mapping[str, str]
    meanings: Mapping[str, tuple[str, ...]]


def vocabulary() -> Vocabulary:
    """The common words together with those of every toolkit."""
    return _vocabulary(data_folders())


def word_problems(folder: Path) -> list[CatalogProblem]:
    """What is wrong with the ``words.json`` of a toolkit's folder; nothing where there is no such file."""
    file = _read(folder)
    for part in _PARTS:
        file.texts(part)
    return file.problems


_PARTS = ("phrases", "meanings")


@cache
def _vocabulary(folders: tuple[Path, ...]) -> Vocabulary:
    common = _read(_COMMON)
    phrases: dict[str, str] = {}
    meanings: dict[str, list[str]] = {}
    for file in (common, *map(_read, folders)):
        for phrase, word in file.texts("phrases").items():
            phrases.setdefault(phrase, word)
        for meant, said in file.texts("meanings").items():
            for word in said.split():
                meanings.setdefault(word, []).append(meant)
    fillers = frozenset(common.text("fillers").split())
    return Vocabulary(fillers, phrases, {word: tuple(meant) for word, meant in meanings.items()})


def _read(folder: Path) -> ToolkitFile:
    return ToolkitFile(folder, _FILE, (*_PARTS, "fillers") if folder == _COMMON else _PARTS)
