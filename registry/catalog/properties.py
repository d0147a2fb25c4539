"""The properties by which people know a service's objects, from the ``properties.json`` of the toolkits' folders.

Usual names, such as ``status`` and ``email``, are known without it. In every place the declared names come first, in their
order, then the usual ones that are not among them.
"""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from registry.catalog.loader import ToolkitFile, of_toolkit
from registry.catalog.reading import CatalogProblem, of_files

Names = tuple[str, ...]
_FORMER = "columns"  # of former versions: a list's columns are declared in its lists.json


class Shown(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The properties that one place shows first, each kind in its order; upper and lower case are the same.

    Attributes:
        about: whom or what an object is about; before a deletion or a change, also its state.
        amounts: whole numbers in the smallest unit of the object's currency; a sentence says the first that it has.
        moments: Unix times, in seconds.
    """

    about: Names = ()
    amounts: Names = ()
    moments: Names = ()


class Properties(msgspec.Struct, frozen=True):
    """What is declared about properties.

    Attributes:
        owners: properties with the id of whom an object belongs to; ``<name>_name`` beside one is that person's name.
        sentence: for the sentence above one object: amounts.
        facts: for what is shown before an object is deleted or changed: about, amounts, moments.
    """

    owners: Names = ()
    sentence: Shown = Shown()
    facts: Shown = Shown()


def properties_of(toolkit: str) -> Properties:
    """A toolkit's declarations; empty for one without a folder or without the file."""
    return of_toolkit(toolkit, read_properties, Properties())


def in_order(declared: Iterable[str], usual: Iterable[str]) -> Names:
    """The declared names, then the usual ones that are not among them."""
    return tuple(dict.fromkeys((*declared, *usual)))


@of_files
def read_properties(folder: Path) -> tuple[Properties, tuple[CatalogProblem, ...]]:
    """The content of the ``properties.json`` of a toolkit's folder, empty if there is no such file, and its problems."""
    file = ToolkitFile(folder, "properties.json", (*Properties.__struct_fields__, _FORMER))
    places = (file.value(place, Shown, Shown()) for place in ("sentence", "facts"))
    return Properties(file.value("owners", Names, ()), *places), tuple(file.problems)
