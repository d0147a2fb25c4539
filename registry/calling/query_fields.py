"""Which fields a search query may use, from the ``queries.json`` of a toolkit's folder: by tool, with types and values.

A toolkit works without the file: its queries are then sent as typed.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

from registry.catalog.model import Tool
from registry.catalog.problems import CatalogProblem
from registry.catalog.reading import of_files
from registry.catalog.toolkit_files import ToolkitFile, folder_of

FieldType = Literal["token", "string", "number", "time"]
FILE = "queries.json"
_KEYS = ("queries",)
_SIGNS: Mapping[FieldType, tuple[str, ...]] = {
    "token": (":",),
    "string": (":", "~"),
    "number": (":", ">", ">=", "<", "<="),
    "time": (":", ">", ">=", "<", "<="),
}


class QueryField(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A field of a search query.

    Attributes:
        type: ``token`` (the same text), ``string`` (all words, or a part with ``~``), ``number``, or ``time`` in Unix seconds.
        values: its values, if they are few; other values are accepted too.
        refers: the type of the object whose id it holds.
    """

    type: FieldType
    values: tuple[str, ...] = ()
    refers: str | None = None

    @property
    def signs(self) -> tuple[str, ...]:
        """The operators that it supports."""
        return _SIGNS[self.type]


class QueryFields(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The fields of one tool's query.

    Attributes:
        fields: by name.
        keyed: a field that needs a key in brackets; None if there is no such field.
        shortest: the smallest number of characters in a ``~`` search.
    """

    fields: Mapping[str, QueryField]
    keyed: str | None = None
    shortest: int = 1


def query_fields(tool: Tool) -> QueryFields | None:
    """The fields of a tool's query; None if the tool has no query fields."""
    folder = folder_of(tool.toolkit)
    return _read(folder)[0].get(tool.own_name) if folder is not None else None


def query_problems(folder: Path) -> tuple[CatalogProblem, ...]:
    """The errors in the ``queries.json`` of a folder; empty if there is no such file."""
    return _read(folder)[1]


@of_files
def _read(folder: Path) -> tuple[Mapping[str, QueryFields], tuple[CatalogProblem, ...]]:
    file = ToolkitFile(folder, FILE, _KEYS)
    found: dict[str, QueryFields] = file.entries("queries", QueryFields)
    return found, tuple(file.problems)
