"""The properties by which people know a service's objects, from the ``properties.json`` of the toolkits' folders.

Usual names, such as ``status`` and ``email``, are known without it. In every place the declared names come first, in their
order, then the usual ones that are not among them.
"""

from collections.abc import Iterable

import msgspec

from registry.catalog.loader import declarations

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


def in_order(declared: Iterable[str], usual: Iterable[str]) -> Names:
    """The declared names, then the usual ones that are not among them."""
    return tuple(dict.fromkeys((*declared, *usual)))


properties_of, read_properties = declarations(
    "properties.json",
    (*Properties.__struct_fields__, _FORMER),
    lambda file: Properties(
        file.value("owners", Names, ()), file.value("sentence", Shown, Shown()), file.value("facts", Shown, Shown())
    ),
)
