"""Finds the columns of a list of items, and the most informative ones, in a sample of the items.

Properties of the items are columns, and so are scalars in objects inside them (``address.city``). Shown first are those that
people look for: the state, the number or name, the related person or object, amounts, the time of creation. Columns with one
value everywhere, empty or secret ones, and the object's own address can be chosen but are not shown by default; ids are shown
only if nothing else names the items, and come last.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct, field

from registry.catalog.properties import every_property, in_order
from registry.results.cells import Cell, ValueKind, cell, currency_of, quoted
from registry.results.column import CellReader, Column
from registry.results.declared import Texts
from registry.results.picking import Path, members
from registry.results.templates import path_of, paths_in

SAMPLE = 200
_SHOWN, _MOST, _DEEPEST, _DISTINCT = 6, 300, 3, 20

_NAMES = (*("number", "name", "display_name", "full_name", "firstname", "title", "summary", "nickname"),)
_ABOUT = ("user", "service", "lastname", "email", "description", "type")
_STATES = ("status", "state", "urgency", "priority", "active", "enabled", "paid")
_MADE = ("created", "created_at", "createdat", "start", "date", "timestamp", "due_date")
_FEW = (2, 1, 1, 1, 2, 1)  # states, names, whom or what it is about, amounts, moments, ids
_NAMED, _MONEY, _MOMENTS, _IDS = (1, 2), 3, 4, 5
_AMOUNTS = ("amount", "total", "net")
_WHOM = ("user", "service")
_READ_AS: dict[str, ValueKind] = {"": "text", "money": "money", "some_money": "money", "date": "time", "when": "time"}
_SAYS_NOTHING = ("object", "livemode", "currency")
_RANDOM = re.compile(r'"[a-z]{1,12}_[A-Za-z0-9]{8,}"')
_VALUE = re.compile(r"\{([^{}|]*)(?:\|(\w+))?\}")
_ADDRESS = re.compile(r'"https?://')


_Groups = tuple[Sequence[str], ...]


def _groups() -> _Groups:
    """The names of properties that people look for, usual and declared ones, in small letters and in order.

    They are states, names, whom or what an item is about, and amounts.
    """
    declared = every_property().columns
    states, about, amounts = (map(str.casefold, names) for names in (declared.states, declared.about, declared.amounts))
    return in_order(states, _STATES), _NAMES, in_order(about, _ABOUT), in_order(amounts, _AMOUNTS)


def _rank(column: Column, ids: Collection[Path], groups: _Groups) -> tuple[int, int] | None:
    """The sort key of a column that people look for: its group, and its rank in the group; None for other columns."""
    if column.path in ((), ("id",)):
        return _IDS, 0
    name = column.path[-1].casefold()
    for group, names in enumerate(groups[:_MONEY]):
        if name in names and column.kind != "word":
            return group, names.index(name) + len(names) * (column.path in ids)  # an id tells people less than any name
    if column.kind == "money":
        amounts = groups[_MONEY]
        return _MONEY, amounts.index(name) if name in amounts else len(amounts)
    if column.kind == "time" and name in _MADE:
        return _MOMENTS, _MADE.index(name)
    return None


class _Seen(Struct):
    """The statistics of one path in the sample."""

    kinds: Counter[ValueKind] = field(default_factory=Counter)
    distinct: set[str] = field(default_factory=set)
    has_address: bool = False
    has_id: bool = False

    def add(self, shown: Cell, value: bytes) -> None:
        """Count a value."""
        self.kinds[shown.kind] += 1
        if len(self.distinct) < _DISTINCT:
            self.distinct.add(shown.text)
        beginning = value[:40].decode("utf-8", errors="replace")
        self.has_address = self.has_address or _ADDRESS.match(beginning) is not None
        self.has_id = self.has_id or _RANDOM.match(beginning) is not None

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
    groups = _groups()
    found = [(Column(path, one.kind), one) for path, one in seen.items()]
    wanted = [_declared(heading, shown, seen) for heading, shown in (declared or {}).items()]
    reader = CellReader(wanted)
    rows = [reader.cells(text) for text in texts] if wanted else []
    # Without a value in any row, a column would only take room.
    shown = [one for place, one in enumerate(wanted) if any(row[place].kind != "nothing" for row in rows)]
    if any(column.path != ("id",) for column in shown):  # ids alone: the items are not what was declared
        paths = {column.path for column in shown}
        rest = (column for column, _ in found if column.path not in paths)
        return Columns((*shown, *rest), tuple(shown), len(left_out))
    ids = {column.path for column, one in found if one.has_id}
    worth = []
    for column, one in found:  # the object's own column already summarises what is inside it
        said = one.kinds.total() - one.kinds["nothing"]
        tells = len(one.distinct) > 1 or len(texts) == 1 or _rank(column, (), groups) is not None
        if not one.has_address and column.kind != "nothing" and len(column.path) < 2 and 4 * said > len(texts) and tells:
            worth.append(column)
    if any(column.is_state for column, _ in found):  # a state in words says more than a boolean
        worth = [column for column in worth if column.kind != "word"]
    every = tuple(column for column, _ in found)
    return Columns(every, tuple(_first(worth, ids, groups)) or every[:_SHOWN], len(left_out))


def _declared(heading: str, texts: Texts, seen: Mapping[Path, _Seen]) -> Column:
    """A declared column: values that are read in the same way are one value, anything else is shown as text."""
    texts = (texts,) if isinstance(texts, str) else texts
    path = next((steps for text in texts for steps in map(path_of, paths_in(text))), ())
    values = [_VALUE.fullmatch(text) for text in texts]
    readings = {one[2] or "" for one in values if one is not None}
    if None in values or len(readings) > 1 or not readings <= _READ_AS.keys():
        return Column(path, "text", heading, shows=texts)
    reading = readings.pop()
    kind = _READ_AS[reading]
    if kind == "text" and path in seen:
        kind = seen[path].kind if seen[path].kind != "nothing" else "text"
    first, *also = [path_of(one[1]) for one in values if one is not None]
    return Column(first, kind, heading, tuple(also), hides_zero=reading == "some_money")


def _look_into(text: bytes, above: Path, seen: dict[Path, _Seen], left_out: set[Path]) -> None:
    inside = members(text)
    currency = currency_of(inside.get("currency"))
    for name, value in inside.items():
        path = (*above, name)
        nested = value.startswith((b"{", b"["))
        is_column = not nested or not above
        if is_column and path not in seen and len(seen) >= _MOST:
            left_out.add(path)
        elif is_column:
            key = quoted(name)
            seen.setdefault(path, _Seen()).add(cell(key, value, currency), value)
        if value.startswith(b"{") and len(path) < _DEEPEST:
            _look_into(value, path, seen, left_out)


def _first(columns: Sequence[Column], ids: Collection[Path], groups: _Groups) -> list[Column]:
    """First a few columns of each group that people look for; then the rest in the given order. Columns at `ids` hold ids."""
    names = {column.path[-1] for column in columns if column.path}
    twice = {whom for whom in in_order(every_property().owners, _WHOM) if f"{whom}_name" in names}
    twice |= {"summary"} if names & {"name", "title"} else set()
    columns = [column for column in columns if not column.path or column.path[-1] not in twice]  # repeats the same value
    ranked = [(_rank(column, ids, groups), column) for column in columns]
    # Columns that repeat the headline do not fill a remaining place.
    ranked = [
        (rank, column)
        for rank, column in ranked
        if rank or (column.kind != "whole" and column.path and column.path[-1] not in _SAYS_NOTHING)
    ] or ranked
    first: list[Column] = []
    later: list[Column] = []
    taken: Counter[int] = Counter()
    for rank, column in sorted(ranked, key=lambda one: one[0] or (len(_FEW), 0)):
        named = rank is not None and rank[0] == _IDS and any(taken[one] for one in _NAMED)
        if rank is not None:
            taken[rank[0]] += 1
        (later if rank is None or named or taken[rank[0]] > _FEW[rank[0]] else first).append(column)
    return [*first, *later[: max(_SHOWN - len(first), 0)]]
