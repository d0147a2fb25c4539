"""A toolkit's declarations about lists of its objects, from the ``lists.json`` in its folder. The file is optional."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, field

from registry.catalog.loader import ToolkitFile, of_toolkit
from registry.catalog.reading import CatalogProblem, of_files
from registry.results.templates import template_problem

_FILE = "lists.json"
_KEYS = ("objects",)
_MOST_COLUMNS = 7
Texts = str | tuple[str, ...]


class Notice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A reason why an object needs attention.

    Attributes:
        when: the values that properties then have.
        says: the reason, in words that follow a number: ``with a failed payment``.
        has: properties that are then not null.
    """

    when: dict[str, str | int | float | bool | None]
    says: str
    has: tuple[str, ...] = ()

    def holds(self, values: Mapping[str, Any]) -> bool:
        """Whether it applies to an object with these properties."""
        return all(_is(values.get(name), wanted) for name, wanted in self.when.items()) and all(
            values.get(name) is not None for name in self.has
        )


class ListedObject(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One type of object.

    Attributes:
        one: the noun for one of them; by default the words of the type.
        many: the noun for several.
        notices: reasons to look at an object; the first that applies counts.
        sum: the property whose amounts are worth adding up, separately for each currency; empty for none.
        sum_says: what this sum is, if it has a meaning for objects in different states too: ``open``.
        columns: the columns of their tables in order, at most seven, by heading. Each is a text with values in it
            (`registry.results.templates`), or several, of which the first one whose values all exist is shown.
        conditions: what a condition of a search means, where its own words would mislead, by the condition.
    """

    one: str = ""
    many: str = ""
    notices: tuple[Notice, ...] = ()
    sum: str = ""
    sum_says: str = ""
    columns: dict[str, Texts] = {}
    conditions: dict[str, str] = {}

    def __post_init__(self) -> None:
        if len(self.columns) > _MOST_COLUMNS:
            raise ValueError(f"`columns` are at most {_MOST_COLUMNS}")
        for texts in self.columns.values():
            for text in (texts,) if isinstance(texts, str) else texts:
                if problem := template_problem(text):
                    raise ValueError(f"`columns` {problem}")

    def notice_of(self, values: Mapping[str, Any]) -> str:
        """Why an object needs attention; empty if it does not."""
        return next((one.says for one in self.notices if one.holds(values)), "")


class Lists(Struct, frozen=True):
    """A toolkit's declarations, by object type."""

    objects: Mapping[str, ListedObject] = field(default_factory=dict)

    def listed(self, types: Sequence[str]) -> ListedObject:
        """The declarations for the first of these types; empty ones if there are none."""
        return next((self.objects[one] for one in types if one in self.objects), ListedObject())


def lists_of(toolkit: str) -> Lists:
    """A toolkit's declarations; empty for one without a folder."""
    return of_toolkit(toolkit, read_lists, Lists())


@of_files
def read_lists(folder: Path) -> tuple[Lists, tuple[CatalogProblem, ...]]:
    """The content of the ``lists.json`` of a toolkit's folder, empty if there is no such file, and its problems."""
    file = ToolkitFile(folder, _FILE, _KEYS)
    return Lists(file.entries("objects", ListedObject)), tuple(file.problems)


def _is(value: object, wanted: object) -> bool:
    return value == wanted and isinstance(value, bool) == isinstance(wanted, bool)
