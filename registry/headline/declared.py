"""What a toolkit declares about lists of its objects, in the ``lists.json`` of its folder. A toolkit works without the file."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from registry.catalog.reading import of_files
from registry.catalog.toolkit_files import ToolkitFile, folder_of

if TYPE_CHECKING:
    from registry.catalog.problems import CatalogProblem

_FILE = "lists.json"
_KEYS = ("objects",)


class Notice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A reason why an object needs attention.

    Attributes:
        when: the values that properties have then.
        says: the reason, as it follows a number: ``with a failed payment``.
        has: properties that are not null then.
    """

    when: dict[str, str | int | float | bool | None]
    says: str
    has: tuple[str, ...] = ()

    def holds(self, values: Mapping[str, Any]) -> bool:
        """Whether it is so for an object with these properties."""
        return all(_is(values.get(name), wanted) for name, wanted in self.when.items()) and all(
            values.get(name) is not None for name in self.has
        )


class ListedObject(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One type of object.

    Attributes:
        one: what people call one of them; the type's own words where it is empty.
        many: what they call several.
        notices: why somebody should look at one; the first that holds counts.
        sum: the property whose amounts say something when they are added up, each currency by itself; empty for none.
        headings: what a table calls properties whose own names would mislead, by those names.
    """

    one: str = ""
    many: str = ""
    notices: tuple[Notice, ...] = ()
    sum: str = ""
    headings: dict[str, str] = {}

    @property
    def notice(self) -> Callable[[bytes], str] | None:
        """Finds the reason why an object, given as JSON, needs attention; None where nothing is declared."""
        if not self.notices:
            return None

        def find(item: bytes) -> str:
            try:
                values: Any = json.loads(item)
            except (ValueError, RecursionError):
                return ""
            if not isinstance(values, dict):
                return ""
            return next((one.says for one in self.notices if one.holds(values)), "")

        return find


@dataclass(frozen=True, slots=True)
class Lists:
    """What a toolkit declares, by object type."""

    objects: Mapping[str, ListedObject] = field(default_factory=dict)

    def listed(self, types: Sequence[str]) -> ListedObject:
        """What is declared for the first of some types; nothing where there is none."""
        return self.objects.get(types[0], ListedObject()) if types else ListedObject()


def lists_of(toolkit: str) -> Lists:
    """What a toolkit declares; nothing for one without a folder."""
    folder = folder_of(toolkit)
    return _declared(folder)[0] if folder is not None else Lists()


def list_problems(folder: Path) -> list[CatalogProblem]:
    """What is wrong with the file of a folder."""
    return list(_declared(folder)[1])


@of_files
def _declared(folder: Path) -> tuple[Lists, tuple[CatalogProblem, ...]]:
    file = ToolkitFile(folder, _FILE, _KEYS)
    lists = Lists(file.entries("objects", ListedObject))
    return lists, tuple(file.problems)


def _is(value: object, wanted: object) -> bool:
    return value == wanted and isinstance(value, bool) == isinstance(wanted, bool)
