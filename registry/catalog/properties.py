"""The properties by which people know a service's objects, from the ``properties.json`` of the toolkits' folders.

Usual names, such as ``status`` and ``email``, are known without it. In every place the declared names come first, in their
order, then the usual ones that are not among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from registry.catalog.problems import CatalogProblem
from registry.catalog.reading import of_files
from registry.catalog.toolkit_files import ToolkitFile, data_folders, folder_of

FILE = "properties.json"
Names = tuple[str, ...]


class InColumns(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Properties that the table of a list shows first, each kind in this order; upper and lower case are the same.

    Attributes:
        states: they tell a state.
        about: whom or what an object is about.
        amounts: amounts of money.
    """

    states: Names = ()
    about: Names = ()
    amounts: Names = ()


class InSentences(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Properties in the sentence above one object.

    Attributes:
        amounts: whole numbers in the smallest unit of the object's currency; the first that it has is said.
    """

    amounts: Names = ()


class InFacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Properties that are shown before an object is deleted or changed.

    Attributes:
        about: they follow the object's names: its state, and what else distinguishes it.
        amounts: whole numbers in the smallest unit of the object's currency.
        moments: Unix times, in seconds.
    """

    about: Names = ()
    amounts: Names = ()
    moments: Names = ()


class Properties(msgspec.Struct, frozen=True):
    """What is declared about properties.

    Attributes:
        owners: properties with the id of whom an object belongs to; ``<name>_name`` beside one is that person's name.
        columns: for tables.
        sentence: for sentences.
        facts: for deletions and changes.
    """

    owners: Names = ()
    columns: InColumns = InColumns()
    sentence: InSentences = InSentences()
    facts: InFacts = InFacts()


def properties_of(toolkit: str) -> Properties:
    """A toolkit's declarations; empty for one without a folder or without the file."""
    folder = folder_of(toolkit)
    return _read(folder)[0] if folder is not None else Properties()


def every_property() -> Properties:
    """The owners, columns and sentences of all toolkits together: for rows whose toolkit is not known, such as a query's."""
    return _together(data_folders())


def property_problems(folder: Path) -> list[CatalogProblem]:
    """The errors in the ``properties.json`` of a folder; empty if there is no such file."""
    return list(_read(folder)[1])


def in_order(declared: Iterable[str], usual: Iterable[str]) -> Names:
    """The declared names, then the usual ones that are not among them."""
    return tuple(dict.fromkeys((*declared, *usual)))


@of_files
def _together(folders: tuple[Path, ...]) -> Properties:
    every = [Properties(), *(_read(folder)[0] for folder in folders)]
    merged: Properties = _merged(every)
    return msgspec.structs.replace(merged, facts=InFacts())


def _merged(every: Sequence[Any]) -> Any:
    """Records of one type as one, with all their names."""
    if isinstance(every[0], tuple):
        return in_order(chain.from_iterable(every), ())
    return type(every[0])(*(_merged([getattr(one, name) for one in every]) for name in every[0].__struct_fields__))


@of_files
def _read(folder: Path) -> tuple[Properties, tuple[CatalogProblem, ...]]:
    file = ToolkitFile(folder, FILE, Properties.__struct_fields__)
    found = Properties(
        file.value("owners", Names, ()),
        file.value("columns", InColumns, InColumns()),
        file.value("sentence", InSentences, InSentences()),
        file.value("facts", InFacts, InFacts()),
    )
    return found, tuple(file.problems)
