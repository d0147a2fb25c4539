"""Items as Arrow tables: a column for each property, with a type (`registry.results.arrow`) that grows with the data.

Tables that are kept begin with two more columns:

* ``_key``: the item's id; for an item without an id, ``#`` and its position in the list.
* ``_pass``: the number of the full pass through the list that wrote the row, from 1.

An item that is not an object is the column ``value``.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from registry.calling.result import id_of, readable
from registry.results.arrow import arrow_array, arrow_type, both, library, scale_of, type_of
from registry.results.spool import members, string
from registry.text.shown import visible_line

KEY, PASS = "_key", "_pass"
_LONGEST_NAME = 63  # bytes in PostgreSQL
_LONGEST_KEY = 400
# The last six are PostgreSQL's own columns, which every table has; former versions had `_nulls`.
_RESERVED = (KEY, PASS, "_nulls", "ctid", "xmin", "xmax", "cmin", "cmax", "tableoid")


class Column(NamedTuple):
    """A column: the property that it holds, its own name, and its type."""

    source: str
    name: str
    type: str


class Growth(NamedTuple):
    """A batch's changes of the columns: the new ones, and those with a wider type, each before and after."""

    added: Sequence[Column] = ()
    widened: Sequence[tuple[Column, Column]] = ()


class Written(NamedTuple):
    """What a sink has written: the number of new rows, and of rows that replaced an earlier one."""

    inserted: int = 0
    updated: int = 0


class Columns:
    """The columns that are known so far, in order.

    Args:
        known: as `all` returned them, also as JSON.
        reserved: names that no property's column may have.

    Attributes:
        large: the columns that became text because of numbers that are too large for 64 bits or 38 digits, by name.
    """

    def __init__(self, known: Iterable[Sequence[str]] = (), reserved: Iterable[str] = _RESERVED) -> None:
        self._by_property = {one.source: one for one in (Column(*one) for one in known)}
        self._names = {column.name.casefold() for column in self.all} | set(reserved)
        self.large: dict[str, None] = {}

    @property
    def all(self) -> list[Column]:
        """All columns."""
        return list(self._by_property.values())

    def rows(self, items: Iterable[bytes]) -> list[Mapping[str, bytes]]:
        """The properties of items, each as its JSON text; the columns grow by what is found.

        Raises:
            ValueError: an item is not JSON.
        """
        rows = [_properties(readable(item)) for item in items]
        for row in rows:
            for name, raw in row.items():
                self._grow(name, raw)
        return rows

    def values(self, rows: Sequence[Mapping[str, bytes]]) -> list[Any]:
        """An Arrow array for each column, with the values of rows that `rows` returned."""
        return [arrow_array(column.type, [row.get(column.source) for row in rows]) for column in self.all]

    def batch(self, items: Sequence[bytes], keys: Sequence[str], number: int) -> tuple[Any, Growth]:
        """Items as an Arrow table with all columns, and the changes of the columns. Of items with the same key the last counts.

        Raises:
            ValueError: an item is not JSON.
        """
        arrow, before = library(), dict(self._by_property)
        rows = dict(zip(keys, self.rows(items), strict=True))
        own = [arrow.array(list(rows), arrow.string()), arrow.array([number] * len(rows), arrow.int64())]
        table = arrow.Table.from_arrays(
            [*own, *self.values(list(rows.values()))], names=[KEY, PASS, *(one.name for one in self.all)]
        )
        added = [one for name, one in self._by_property.items() if name not in before]
        return table, Growth(
            added, [(old, self._by_property[name]) for name, old in before.items() if self._by_property[name] != old]
        )

    def _grow(self, name: str, raw: bytes) -> None:
        """Make sure that there is a column that holds a value."""
        found = type_of(raw)
        column = self._by_property.get(name)
        if column is None:
            column = self._by_property[name] = Column(name, free_name(name, self._names), found)
        elif found != column.type and (wider := both(column.type, found)) != column.type:
            column = self._by_property[name] = column._replace(type=wider)
        else:
            return
        if column.type == found == "text" and raw[:1] != b'"':
            self.large[column.name] = None


def free_name(name: str, taken: set[str]) -> str:
    """A name for a column: valid for every engine, and unique even if case is ignored. Adds it to the taken ones."""
    wanted, ending, number = (visible_line(name) or "(empty)").encode(), "", 1
    while (free := wanted[: _LONGEST_NAME - len(ending)].decode(errors="ignore") + ending).casefold() in taken:
        number += 1
        ending = f"_{number}"
    taken.add(free.casefold())
    return free


def widened(array: Any, old: Column, new: Column) -> Any:
    """An Arrow array of a column's values in the column's wider type."""
    if new.type == "json" and old.type == "text":
        return library().array([None if one is None else json.dumps(one) for one in array.to_pylist()], array.type)
    return array.cast(arrow_type(new.type))


DUCKDB_TYPES = {"null": "VARCHAR", "bool": "BOOLEAN", "integer": "BIGINT", "text": "VARCHAR", "json": "JSON"}
"""DuckDB's names of the types of columns, beside `decimal`."""


def type_in(types: Mapping[str, str], type_: str, decimal: str = "DECIMAL(38,{})") -> str:
    """A database's name of a type, with its names of types; `decimal` has the scale in braces."""
    return decimal.format(scale) if (scale := scale_of(type_)) is not None else types[type_]


def key_of(item: bytes) -> str | None:
    """The key of an item by its id; None for an item without one. No such key begins with a single ``#``."""
    found = id_of(item)
    if found is None:
        return None
    key = string(found) or found.decode()
    if len(key) > _LONGEST_KEY:
        key = key[:_LONGEST_KEY] + hashlib.sha256(key.encode()).hexdigest()
    return f"#{key}" if key.startswith("#") else key


def _properties(item: bytes) -> Mapping[str, bytes]:
    found = members(item)
    if found:
        return found
    json.loads(item)  # an item that is no object, or no JSON
    return {"value": item}
