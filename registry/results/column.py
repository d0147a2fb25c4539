"""A column of a table, and how its cells are read out of items."""

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from msgspec import Struct

from registry.calling.sensitive import mask
from registry.results.cells import Cell, ValueKind, cell, currency_of, quoted, tells_state
from registry.results.picking import Path, pick, string, values_of
from registry.results.templates import Context, decimal, fill, path_of, paths_in
from registry.text.readings import currency_names, money
from registry.text.safe_text import visible_line

# A value with its context: its name as JSON, its JSON text (None: absent), the currency beside it.
Value = tuple[str | None, bytes | None, str | None]

_EMPTY = (None, b"null", b'""')
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SPARED = re.compile(r"(?<=\w) (?:date|at)$")
_KEYS: dict[ValueKind, str] = {"money": '"amount"', "time": '"created"'}


class Column(Struct, frozen=True, dict=True):
    """A column of a table.

    Attributes:
        path: the names that lead to its values; empty if the items themselves are the values.
        kind: the kind of most of its values.
        called: its declared heading; empty to use the property's name.
        also: further paths: its value is the first one that is there.
        shows: texts with values in them, shown in place of the value; the first one whose values all exist.
        hides_zero: its amounts are shown only if they are not zero.
        shared: names, as JSON texts, that several objects of the list have: shown with the id beside them.
    """

    path: Path
    kind: ValueKind
    called: str = ""
    also: tuple[Path, ...] = ()
    shows: tuple[str, ...] = ()
    hides_zero: bool = False
    shared: frozenset[bytes] = frozenset()

    @cached_property
    def title(self) -> str:
        """Its name as shown and as used in filters: ``card``, ``address.city``."""
        return self.called or visible_line(".".join(self.path)) or "value"

    @cached_property
    def heading(self) -> str:
        """Its heading in a table, in words."""
        if self.called:
            return self.called
        words = _in_words(self.title)
        return _SPARED.sub("", words) if self.kind in ("time", "text") else words

    @property
    def is_state(self) -> bool:
        """Whether its values are states of the items."""
        return self.kind == "text" and bool(self.path) and (tells_state(self.called) or tells_state(self.path[-1]))

    @cached_property
    def key(self) -> str | None:
        """The last name as in JSON text; for declared amounts and times a name that says what they are."""
        if self.called and self.kind in _KEYS:
            return _KEYS[self.kind]
        return quoted(self.path[-1]) if self.path else None

    @cached_property
    def paths(self) -> tuple[Path, ...]:
        """The paths of all values that it shows."""
        if self.shows:
            return tuple(dict.fromkeys(path_of(path) for text in self.shows for path in paths_in(text)))
        return (self.path, *self.also)

    def names_in(self, item: bytes) -> Iterator[tuple[bytes | None, bytes | None]]:
        """Its values that are inside other objects of an item, each with the id beside it: the names of these objects."""
        paths = [path for path in self.paths if len(path) > 1]
        return zip(pick(item, paths), pick(item, [(*path[:-1], "id") for path in paths]), strict=True)

    @cached_property
    def currency_paths(self) -> tuple[Path, ...]:
        """Where the currencies of its amounts may be: beside each, and for a declared column also around what holds it."""
        if self.kind != "money":
            return ()
        deep = 99 if self.called else 1
        places = [(path, end) for path in self.paths for end in range(len(path) - 1, -1, -1)[:deep]]
        return tuple((*path[:end], name) for path, end in places for name in currency_names(path[end]))

    @property
    def usual_currency(self) -> Path:
        """Where the currency of most amounts is: beside it."""
        return (*self.paths[0][:-1], "currency")

    @property
    def to_the_right(self) -> bool:
        """Whether its cells are aligned to the right, as for numbers and amounts."""
        return self.kind in ("number", "money")


class CellReader:
    """Reads the cells of some columns out of items."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns
        paths = [path for column in columns if not column.shows for path in (*column.paths, *column.currency_paths)]
        self._paths = tuple(dict.fromkeys(paths))
        self._fills = any(column.shows for column in columns)

    def values(self, item: bytes) -> list[Value]:
        """The value of each column."""
        picked = dict(zip(self._paths, pick(item, self._paths), strict=True))
        context = Context(values_of(mask(item)[0]), now=time.time()) if self._fills else Context({})
        found = [self._value(column, picked, context) for column in self._columns]
        return [
            _told_apart(column, value, item) if value[1] in column.shared else value
            for column, value in zip(self._columns, found, strict=True)
        ]

    def _value(self, column: Column, picked: Mapping[Path, bytes | None], context: Context) -> Value:
        if column.shows:
            text = fill(column.shows, context)
            return column.key if column.kind == "money" else None, json.dumps(text).encode() if text else None, None
        values = [picked[path] for path in column.paths]
        value = next((one for one in values if one not in _EMPTY), values[0])
        if column.hides_zero and value == b"0":
            value = None
        codes = (currency_of(picked[path]) for path in column.currency_paths)
        currency = next(filter(None, codes), None)
        if column.called and currency and (part := decimal(string(value) if value else None)) is not None:
            value = json.dumps(money(part, currency)).encode()
        return column.key, value, currency

    def cells(self, item: bytes) -> list[Cell]:
        """The cell of each column."""
        return [cell(*value) for value in self.values(item)]


def _told_apart(column: Column, value: Value, item: bytes) -> Value:
    """A name that several objects have, with the id of the one that it names here, if that has one: a text or a number."""
    key, name, currency = value
    for one, id_ in column.names_in(item):
        if one == name and id_ is not None and (id_.isdigit() or string(id_)):
            words = f"{string(name or b'')} ({string(id_) or id_.decode()})"
            return key, json.dumps(words).encode(), currency
    return value


def _in_words(name: str) -> str:
    return _CAPITAL.sub(" ", name).lower().replace("_", " ").replace(".", " ")
