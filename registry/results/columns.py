"""The columns of a list: those that its toolkit declares, else the ones that people look for, found in a sample of the items.

Properties of the items are columns, and so are scalars in objects inside them (``address.city``): all can be chosen. Without a
declaration six properties of the items themselves are shown: those with a known name (`_LOOKED_FOR`) in that order, then the
others as they come, the id last; without those that are mostly empty, web addresses, or the same everywhere.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from registry.results.cells import Cell, ValueKind, cell, currency_of, quoted, tells_state
from registry.results.column import CellReader, Column
from registry.results.declared import Texts
from registry.results.picking import Path, members, string
from registry.results.templates import path_of, paths_in
from registry.text.readings import currency_beside

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
    seen: dict[Path, _Seen] = {}
    left_out: set[Path] = set()
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


def _declared(heading: str, texts: Texts, seen: Mapping[Path, _Seen]) -> Column:
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


def _look_into(text: bytes, above: Path, seen: dict[Path, _Seen], left_out: set[Path]) -> None:
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
