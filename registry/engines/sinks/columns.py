"""The columns of a sink: one for each property of the items, growing with the data; and batches of rows for them.

Every table begins with three extra columns:

* ``_key``: the row's key: the item's id; for an item without an id, ``#`` and its position in the list.
* ``_pass``: the number of the full pass through the list that wrote the row, from 1.
* ``_nulls``: a JSON list of the item's properties with the value null; NULL if there are none. So null and missing differ: a
  property that is NULL in its column and not named here was not in the item.

Properties beyond the 400th are together in ``_more``, as a JSON object. An item that is not an object is the column ``value``.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from registry.calling.items import id_of
from registry.engines.sinks.kinds import Kind, both, is_extreme, kind_of
from registry.results.tables.picking import members, string
from registry.text.safe_text import visible_line

KEY, PASS, NULLS, MORE, WHOLE = "_key", "_pass", "_nulls", "_more", "value"
MOST_COLUMNS = 400
"""A row of PostgreSQL has no room for more large values."""

_LONGEST_NAME = 63
_LONGEST_KEY = 400
# PostgreSQL's own columns, which every table has.
_TAKEN = (KEY, PASS, NULLS, MORE, "ctid", "xmin", "xmax", "cmin", "cmax", "tableoid")
_OVERFLOW = "\0"
"""The key of ``_more`` among the names of properties."""

# A surrogate pair, a half of one, or any other escape, so that an escaped backslash does not begin one.
_PAIRS = re.compile(
    rb"(?P<pair>\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\.",
    re.DOTALL,
)
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_ESCAPES = re.compile(rb"\\(?:u0000|.)", re.DOTALL)
_NUMBER = re.compile(rb'"(?:[^"\\]|\\.)*"|(-?[0-9][0-9.eE+-]*)', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its property, its own name, and its kind."""

    property: str
    name: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Growth:
    """A batch's changes of the columns: the new ones, and those with a wider kind, each before and after."""

    added: tuple[Column, ...] = ()
    widened: tuple[tuple[Column, Column], ...] = ()


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows with unique keys.

    Attributes:
        keys: the key of each row.
        nulls: its ``_nulls``.
        columns: the columns for which any row has a value.
        values: the values of each of these columns, row by row, as JSON texts; None for null and missing.
        number: the ``_pass`` of all rows.
    """

    keys: Sequence[str]
    nulls: Sequence[str | None]
    columns: Sequence[Column]
    values: Sequence[Sequence[bytes | None]]
    number: int

    def __len__(self) -> int:
        return len(self.keys)


class Columns:
    """The columns that are known so far, in order.

    Args:
        known: as `record` returns them.
    """

    def __init__(self, known: Iterable[Sequence[str]] = ()) -> None:
        self._by_property: dict[str, Column] = {}
        for name, column, kind in known:
            self._by_property[name] = Column(name, column, kind)  # type: ignore[arg-type]
        self._names = {column.name.casefold() for column in self.all}

    @property
    def all(self) -> list[Column]:
        """All columns."""
        return list(self._by_property.values())

    @property
    def record(self) -> list[list[str]]:
        """The columns as JSON values, for `known`."""
        return [[one.property, one.name, one.kind] for one in self.all]

    def batch(self, items: Sequence[bytes], keys: Sequence[str], number: int) -> tuple[Batch, Growth]:
        """Items as rows, and the changes of the columns. Of items with the same key the last one is used.

        Args:
            items: JSON texts.
            keys: their keys.
            number: the number of the pass.
        """
        before = dict(self._by_property)
        rows = {key: _row(item) for key, item in zip(keys, items, strict=True)}
        nulls: list[str | None] = []
        found: dict[str, list[bytes | None]] = {}
        for place, row in enumerate(rows.values()):
            empty: list[str] = []
            more: list[bytes] = []
            for name, raw in row.items():
                if name not in self._by_property and len(self._by_property) >= MOST_COLUMNS:
                    more.append(json.dumps(name, ensure_ascii=False).encode() + b":" + raw)
                elif self._holds(name, kind := kind_of(raw)):
                    if (values := found.get(name)) is None:
                        values = found[name] = [None] * len(rows)
                    values[place] = raw
                elif kind == "none":
                    empty.append(name)
            nulls.append(json.dumps(empty, ensure_ascii=False, separators=(",", ":")) if empty else None)
            if more:
                self._holds(_OVERFLOW, "json")
                found.setdefault(_OVERFLOW, [None] * len(rows))[place] = b"{" + b",".join(more) + b"}"
        columns = [self._by_property[name] for name in found]
        return Batch(list(rows), nulls, columns, list(found.values()), number), self._since(before)

    def _holds(self, name: str, kind: Kind) -> bool:
        """Make sure that there is a column for values of a kind; returns whether there is a value for it."""
        column = self._by_property.get(name)
        if column is None:
            self._by_property[name] = Column(name, self._free_name(name), kind)
        elif kind != column.kind and (wider := both(column.kind, kind)) != column.kind:
            self._by_property[name] = replace(column, kind=wider)
        return kind != "none"

    def _free_name(self, name: str) -> str:
        """A name for a column: valid for every engine, and unique even if case is ignored."""
        wanted = MORE if name == _OVERFLOW else visible_line(name) or "(empty)"
        taken = self._names if name == _OVERFLOW else self._names | set(_TAKEN)
        free, number = _cut(wanted, ""), 1
        while free.casefold() in taken:
            number += 1
            free = _cut(wanted, f"_{number}")
        self._names.add(free.casefold())
        return free

    def _since(self, before: Mapping[str, Column]) -> Growth:
        added = tuple(one for name, one in self._by_property.items() if name not in before)
        widened = tuple((old, self._by_property[name]) for name, old in before.items() if self._by_property[name] != old)
        return Growth(added, widened)


def key_of(item: bytes) -> str | None:
    """The key of an item by its id; None for an item without one. No such key begins with a single ``#``."""
    found = id_of(item)
    if found is None:
        return None
    text = string(found)
    key = found.decode() if text is None else clean(text)
    if len(key) > _LONGEST_KEY:
        key = key[:_LONGEST_KEY] + hashlib.sha256(key.encode()).hexdigest()
    return f"#{key}" if key.startswith("#") else key


def clean(text: str) -> str:
    """A text that every engine accepts: null characters and lone surrogates become escapes."""
    if "\0" in text:
        text = text.replace("\0", "\\u0000")
    return text if text.isascii() else text.encode("utf-8", errors="backslashreplace").decode()


def said(raw: bytes) -> str:
    """The text of a JSON string, as every engine accepts it."""
    return clean(string(raw) or "")


def json_text(raw: bytes, *, strict: bool = False) -> str:
    """A JSON value as every engine accepts it.

    Args:
        raw: the JSON.
        strict: for an engine that parses the contents: escaped null characters, and numbers that no engine can hold, become
            strings that show them.
    """
    if strict:
        if b"\\u0000" in raw:
            raw = _ESCAPES.sub(lambda one: b"\\\\u0000" if one[0] == b"\\u0000" else one[0], raw)
        if len(raw) > 1_000 or b"e" in raw or b"E" in raw:
            raw = _NUMBER.sub(lambda one: b'"%s"' % one[1] if one[1] and is_extreme(one[1]) else one[0], raw)
    return raw.decode("utf-8", errors="replace")


def _row(item: bytes) -> Mapping[str, bytes]:
    """The properties of an item; lone surrogates, which no engine accepts, become the text of their escapes."""
    if _SURROGATE.search(item) is not None:
        item = _PAIRS.sub(lambda one: b"\\" + one["half"] if one["half"] is not None else one[0], item)
    return members(item) or {WHOLE: item}


def _cut(name: str, ending: str) -> str:
    """A name with an ending, shortened to the longest name."""
    room = _LONGEST_NAME - len(ending.encode())
    encoded = name.encode()
    return (encoded if len(encoded) <= room else encoded[:room]).decode(errors="ignore") + ending
