"""The properties by which people know a service's objects, from the ``properties.json`` of the toolkits' folders.

Usual names, such as ``status`` and ``email``, are known without it. In every place the declared names come first, in their
order, then the usual ones that are not among them.
"""

from collections.abc import Iterable
from itertools import chain
from pathlib import Path

import msgspec

from registry.catalog.loader import ToolkitFile, data_folders, of_toolkit
from registry.catalog.reading import CatalogProblem, of_files

Names = tuple[str, ...]


class Shown(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The properties that one place shows first, each kind in its order; upper and lower case are the same.

    Attributes:
        states: they tell a state.
        about: whom or what an object is about; before a deletion or a change, also its state.
        amounts: whole numbers in the smallest unit of the object's currency; a sentence says the first that it has.
        moments: Unix times, in seconds.
    """

    states: Names = ()
    about: Names = ()
    amounts: Names = ()
    moments: Names = ()


class Properties(msgspec.Struct, frozen=True):
    """What is declared about properties.

    Attributes:
        owners: properties with the id of whom an object belongs to; ``<name>_name`` beside one is that person's name.
        columns: for the table of a list: states, about, amounts.
        sentence: for the sentence above one object: amounts.
        facts: for what is shown before an object is deleted or changed: about, amounts, moments.
    """

    owners: Names = ()
    columns: Shown = Shown()
    sentence: Shown = Shown()
    facts: Shown = Shown()


def properties_of(toolkit: str) -> Properties:
    """A toolkit's declarations; empty for one without a folder or without the file."""
    return of_toolkit(toolkit, read_properties, Properties())


def every_property() -> Properties:
    """The owners, columns and sentences of all toolkits together: for rows whose toolkit is not known, such as a query's."""
    return _together(data_folders())


def in_order(declared: Iterable[str], usual: Iterable[str]) -> Names:
    """The declared names, then the usual ones that are not among them."""
    return tuple(dict.fromkeys((*declared, *usual)))


@of_files
def _together(folders: tuple[Path, ...]) -> Properties:
    every = [read_properties(folder)[0] for folder in folders]
    columns, sentence = (
        Shown(*(_names(getattr(getattr(one, place), kind) for one in every) for kind in Shown.__struct_fields__))
        for place in ("columns", "sentence")
    )
    return Properties(_names(one.owners for one in every), columns, sentence)


def _names(every: Iterable[Names]) -> Names:
    return in_order(chain.from_iterable(every), ())


@of_files
def read_properties(folder: Path) -> tuple[Properties, tuple[CatalogProblem, ...]]:
    """The content of the ``properties.json`` of a toolkit's folder, empty if there is no such file, and its problems."""
    file = ToolkitFile(folder, "properties.json", Properties.__struct_fields__)
    places = (file.value(place, Shown, Shown()) for place in ("columns", "sentence", "facts"))
    return Properties(file.value("owners", Names, ()), *places), tuple(file.problems)
