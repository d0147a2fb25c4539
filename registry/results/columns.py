"""The columns of a list, declared by its toolkit or those that people look for, and how cells are read out of items.

Properties of the items are columns, and so are scalars in objects inside them (``address.city``): all can be chosen. Without a
declaration six properties of the items themselves are shown: those with a known name (`_LOOKED_FOR`) in that order, then the
others as they come, the id last; without those that are mostly empty, web addresses, or the same everywhere.
"""

import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from registry.calling.listing import listing_in
from registry.calling.receiving import mask
from registry.calling.result import id_of
from registry.json_text import NotJson, read_json
from registry.results.cells import Cell, ValueKind, cell, currency_of, quoted, tells_state
from registry.results.declared import Texts
from registry.results.spool import PropertyPath, members, pick, string, values_of
from registry.results.templates import Context, decimal, fill, path_of, paths_in
from registry.text.shown import currency_beside, currency_names, money, visible_line

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

    path: PropertyPath
    kind: ValueKind
    called: str = ""
    also: tuple[PropertyPath, ...] = ()
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
        words = _CAPITAL.sub(" ", self.title).lower().replace("_", " ").replace(".", " ")
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
    def paths(self) -> tuple[PropertyPath, ...]:
        """The paths of all values that it shows."""
        if self.shows:
            return tuple(dict.fromkeys(path_of(path) for text in self.shows for path in paths_in(text)))
        return (self.path, *self.also)

    def names_in(self, item: bytes) -> Iterator[tuple[bytes | None, bytes | None]]:
        """Its values that are inside other objects of an item, each with the id beside it: the names of these objects."""
        paths = [path for path in self.paths if len(path) > 1]
        return zip(pick(item, paths), pick(item, [(*path[:-1], "id") for path in paths]), strict=True)

    @cached_property
    def currency_paths(self) -> tuple[PropertyPath, ...]:
        """Where the currencies of its amounts may be: beside each, and for a declared column also around what holds it."""
        if self.kind != "money":
            return ()
        deep = 99 if self.called else 1
        places = [(path, end) for path in self.paths for end in range(len(path) - 1, -1, -1)[:deep]]
        return tuple((*path[:end], name) for path, end in places for name in currency_names(path[end]))

    @property
    def usual_currency(self) -> PropertyPath:
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
            _named_apart(column, value, item) if value[1] in column.shared else value
            for column, value in zip(self._columns, found, strict=True)
        ]

    def _value(self, column: Column, picked: Mapping[PropertyPath, bytes | None], context: Context) -> Value:
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


def _named_apart(column: Column, value: Value, item: bytes) -> Value:
    """A name that several objects have, with the id of the one that it names here, if that has one: a text or a number."""
    key, name, currency = value
    for one, id_ in column.names_in(item):
        if one == name and id_ is not None and (id_.isdigit() or string(id_)):
            words = f"{string(name or b'')} ({string(id_) or id_.decode()})"
            return key, json.dumps(words).encode(), currency
    return value


SAMPLE = 200
_SHOWN, _MOST, _DEEPEST = 6, 300, 3
_LOOKED_FOR = (
    *("status", "number", "name", "display_name", "full_name", "firstname", "lastname", "title", "summary"),
    *("user", "owner", "assignee", "service", "email", "amount"),
    *("created", "created_at", "createdat", "start", "date", "timestamp", "due_date"),
)
_READ_AS: dict[str, ValueKind] = {"": "text", "money": "money", "some_money": "money", "date": "time", "when": "time"}
_VALUE = re.compile(r"\{([^{}|]*)(?:\|(\w+))?\}")
_AMOUNT = re.compile(r"\{[^{}|]*\|(?:some_)?money\}")
_ADDRESS = (b'"http://', b'"https://')


class _Seen(Struct):
    """The statistics of one path in the sample: the kinds of its values, and whether they are web addresses or differ."""

    kinds: Counter[ValueKind] = field(default_factory=Counter)
    first: Cell | None = None
    has_address: bool = False
    differs: bool = False

    def add(self, shown: Cell, value: bytes) -> None:
        """Count a value."""
        self.kinds[shown.kind] += 1
        self.has_address = self.has_address or value.startswith(_ADDRESS)
        self.differs = self.differs or shown != (self.first or shown)
        self.first = self.first or shown

    @property
    def kind(self) -> ValueKind:
        """The kind of most values, without null and empty ones."""
        return next((kind for kind, _ in self.kinds.most_common() if kind != "nothing"), "nothing")


class Columns(Struct, frozen=True):
    """The columns that can be shown, and those that are shown by default, in order.

    `left_out` counts the columns beyond the first 300 of the sample, which cannot be shown.
    """

    all: tuple[Column, ...]
    first: tuple[Column, ...]
    left_out: int = 0


def sample(items: Sequence[bytes], size: int = SAMPLE) -> list[bytes]:
    """The first items, and as many spread over the rest."""
    count = len(items)
    if count <= size:
        return [items[place] for place in range(count)]
    near = size // 2
    return [items[place] for place in (*range(near), *range(near, count, (count - near) // (size - near) + 1))]


def columns_in(texts: Sequence[bytes], declared: Mapping[str, Texts] | None = None) -> Columns:
    """The columns of items, found in a sample of them; `declared`: the columns to show, by heading."""
    seen: dict[PropertyPath, _Seen] = {}
    left_out: set[PropertyPath] = set()
    for text in texts:
        if text.startswith(b"{"):
            _look_into(text, (), seen, left_out)
        else:
            seen.setdefault((), _Seen()).add(cell(None, text), text)
    found = [Column(path, one.kind) for path, one in seen.items()]
    wanted = [_declared(heading, shown, seen) for heading, shown in (declared or {}).items()]
    reader = CellReader(wanted)
    rows = [reader.cells(text) for text in texts] if wanted else []
    # Without a value in any row, a column would only take room.
    shown = [one for place, one in enumerate(wanted) if any(row[place].kind != "nothing" for row in rows)]
    if any(column.path != ("id",) for column in shown):  # ids alone: the items are not what was declared
        shown = [_told_apart(column, texts) for column in shown]
        paths = {column.path for column in shown}
        return Columns((*shown, *(one for one in found if one.path not in paths)), tuple(shown), len(left_out))
    worth = [column for column in found if _tells(column, seen[column.path], len(texts))]
    return Columns(tuple(found), tuple(sorted(worth, key=_rank)[:_SHOWN] or found[:_SHOWN]), len(left_out))


def _tells(column: Column, seen: _Seen, count: int) -> bool:
    """Whether a column is worth its room: one with a known name, others if they are short and differ."""
    filled = seen.kinds.total() - seen.kinds["nothing"]
    tells = _rank(column) < len(_LOOKED_FOR) or (column.kind != "whole" and (seen.differs or count == 1))
    return len(column.path) < 2 and not seen.has_address and 4 * filled > count and tells


def _rank(column: Column) -> int:
    """The sort key of a column: the place of its name in what people look for, then that of all others, then that of ids."""
    name = column.path[-1].casefold() if column.path else "id"
    if name == "id":
        return len(_LOOKED_FOR) + 1
    name = "status" if tells_state(name) else "amount" if column.kind == "money" else name
    return _LOOKED_FOR.index(name) if name in _LOOKED_FOR else len(_LOOKED_FOR)


def _declared(heading: str, texts: Texts, seen: Mapping[PropertyPath, _Seen]) -> Column:
    """A declared column: values that are read in the same way are one value, anything else is shown as text."""
    texts = (texts,) if isinstance(texts, str) else texts
    path = next((steps for text in texts for steps in map(path_of, paths_in(text))), ())
    values = [_VALUE.fullmatch(text) for text in texts]
    readings = {one[2] or "" for one in values if one is not None}
    if None in values or len(readings) > 1 or not readings <= _READ_AS.keys():
        return Column(path, "money" if _AMOUNT.match(texts[0]) else "text", heading, shows=texts)
    reading = readings.pop()
    kind = _READ_AS[reading]
    if kind == "text" and path in seen:
        kind = seen[path].kind if seen[path].kind != "nothing" else "text"
    first, *also = [path_of(one[1]) for one in values if one is not None]
    return Column(first, kind, heading, tuple(also), hides_zero=reading == "some_money")


def _told_apart(column: Column, texts: Sequence[bytes]) -> Column:
    """A column with the names in it that several objects have."""
    ids: dict[bytes, set[bytes]] = {}
    for name, id_ in (one for text in texts for one in column.names_in(text)):
        if name is not None and string(name) and id_ is not None:
            ids.setdefault(name, set()).add(id_)
    return replace(column, shared=frozenset(name for name, of in ids.items() if len(of) > 1))


def _look_into(text: bytes, above: PropertyPath, seen: dict[PropertyPath, _Seen], left_out: set[PropertyPath]) -> None:
    inside = members(text)
    for name, value in inside.items():
        path = (*above, name)
        nested = value.startswith((b"{", b"["))
        is_column = not nested or not above
        if is_column and path not in seen and len(seen) >= _MOST:
            left_out.add(path)
        elif is_column:
            currency = currency_beside(name, lambda one: currency_of(inside.get(one)))
            seen.setdefault(path, _Seen()).add(cell(quoted(name), value, currency), value)
        if value.startswith(b"{") and len(path) < _DEEPEST:
            _look_into(value, path, seen, left_out)


# The items of pages as rows for choosing an id: the id, and the most informative other columns


class Candidate(NamedTuple):
    """An id, and the words of the other columns; safe to show."""

    id: str
    cells: tuple[str, ...]

    @property
    def name(self) -> str:
        """The most informative words; may be empty."""
        return next(filter(None, self.cells), "")

    @property
    def texts(self) -> tuple[str, ...]:
        """All its words, the most informative first."""
        return (*self.cells, self.id)


class Candidates:
    """Rows from several pages, each id once. The first page with rows decides which of the `declared` columns are shown."""

    def __init__(self, holds: Callable[[object], bool], declared: Mapping[str, Texts]) -> None:
        self.rows: list[Candidate] = []
        self.titles: tuple[str, ...] = ()
        self._holds, self._declared = holds, declared
        self._columns: list[Column] | None = None

    def add(self, body: bytes, at: str | None = None) -> None:
        """Add the items of a page, whose list is at the path `at`; a response without a list adds nothing."""
        try:
            listing = listing_in(body, at)
        except NotJson:
            return
        items = [bytes(item) for item in listing.items if self._holds(read_json(item))] if listing is not None else []
        if self._columns is None and items:
            columns = [column for column in columns_in(sample(items), self._declared).first if column.path != ("id",)]
            cells = zip(*map(CellReader(columns).cells, items), strict=True)
            # Only columns with a value in at least half of the rows: the space of the others is better used for names.
            filled = [sum(one.kind != "nothing" and bool(one.text) for one in column) for column in cells]
            self._columns = [column for column, count in zip(columns, filled, strict=False) if 2 * count >= len(items)]
            self.titles = tuple(column.title for column in self._columns)
        reader = CellReader(self._columns or [])
        there = {row.id for row in self.rows}
        for item in items:
            text = id_of(item)
            id_ = str(read_json(text)) if text is not None else ""
            if id_ and id_ not in there:
                there.add(id_)
                self.rows.append(Candidate(id_, tuple("" if one.kind == "nothing" else one.text for one in reader.cells(item))))
