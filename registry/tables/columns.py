"""Which columns a list of items has, and which of them say most: found in a sample of the items.

Members of the items are columns, and so are scalars in objects inside them (``address.city``). The first to be shown are those
that people look for: the id, names, the status, amounts, when it was made. What is the same everywhere, empty, secret or an
address of the thing itself is there to be chosen and not shown at first.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from registry.calling.sensitive import is_sensitive
from registry.tables.cells import Cell, Look, cell, currency_of, quoted
from registry.tables.picking import Path, members
from registry.text import visible_line

SAMPLE = 200
_SHOWN, _MOST, _DEEPEST, _DISTINCT = 10, 300, 3, 20

_NAMES = re.compile(
    r"name|full_name|first_?name|last_?name|title|summary|display_name|nickname|email|number|incident_number", re.I
)
_STATES = re.compile(r"status|state|urgency|priority|escalation_level|super_?admin|active|enabled|paid", re.I)
_MADE = re.compile(r"created|created_?at|start|date|timestamp", re.I)
_ADDRESS = re.compile(r'"https?://')


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        path: the names that lead to its values; empty when the items are values themselves.
        look: what most of its values are.
    """

    path: Path
    look: Look

    @cached_property
    def title(self) -> str:
        """Its name as it is shown and asked for: ``address.city``."""
        return visible_line(".".join(self.path)) or "value"

    @cached_property
    def key(self) -> str | None:
        """The last name as it stands in JSON text."""
        return quoted(self.path[-1]) if self.path else None

    @property
    def currency_path(self) -> Path:
        """Where the currency of its amounts stands."""
        return (*self.path[:-1], "currency")

    @property
    def to_the_right(self) -> bool:
        """Whether its cells end in line: numbers and amounts do."""
        return self.look in ("number", "money")


@dataclass
class _Seen:
    """What the sample says of one path."""

    looks: Counter[Look] = field(default_factory=Counter)
    distinct: set[str] = field(default_factory=set)
    addresses: int = 0
    secrets: int = 0

    def add(self, shown: Cell, key: str | None, value: bytes) -> None:
        """Count a value."""
        self.looks[shown.look] += 1
        if len(self.distinct) < _DISTINCT:
            self.distinct.add(shown.text)
        beginning = value[:40].decode("utf-8", errors="replace")
        self.addresses += _ADDRESS.match(beginning) is not None
        self.secrets += is_sensitive(key, value.decode("utf-8", errors="replace"))

    @property
    def look(self) -> Look:
        """What most values are, those that say nothing left aside."""
        told = Counter({look: count for look, count in self.looks.items() if look != "nothing"})
        return told.most_common(1)[0][0] if told else "nothing"


@dataclass(frozen=True, slots=True)
class Columns:
    """All columns that were found, those that are shown at first among them in their order."""

    all: tuple[Column, ...]
    first: tuple[Column, ...]


def sample(items: Sequence[bytes], size: int = SAMPLE) -> list[bytes]:
    """The first items, and as many from all over the rest."""
    count = len(items)
    if count <= size:
        return [items[place] for place in range(count)]
    near = size // 2
    return [items[place] for place in (*range(near), *range(near, count, (count - near) // (size - near) + 1))]


def columns_in(texts: Sequence[bytes]) -> Columns:
    """The columns of items, found in a sample of them."""
    seen: dict[Path, _Seen] = {}
    for text in texts:
        if text.startswith(b"{"):
            _look_into(text, (), seen)
        else:
            seen.setdefault((), _Seen()).add(cell(None, text), None, text)
    found = [(Column(path, one.look), one) for path, one in seen.items()]
    worth = [column for column, one in found if _is_worth_it(column, one, len(texts))]
    every = tuple(column for column, _ in found)
    return Columns(every, tuple(sorted(worth, key=_group)[:_SHOWN]) or every[:_SHOWN])


def _look_into(text: bytes, above: Path, seen: dict[Path, _Seen]) -> None:
    inside = members(text)
    currency = currency_of(inside.get("currency"))
    for name, value in inside.items():
        path = (*above, name)
        if path not in seen and len(seen) >= _MOST:
            continue
        nested = value.startswith((b"{", b"["))
        if not nested or not above:
            key = quoted(name)
            seen.setdefault(path, _Seen()).add(cell(key, value, currency), key, value)
        if value.startswith(b"{") and len(path) < _DEEPEST:
            _look_into(value, path, seen)


def _is_worth_it(column: Column, seen: _Seen, count: int) -> bool:
    """Whether a column says enough to be shown at first; what stands inside an object is told in short by the object's own."""
    if seen.secrets or seen.addresses or column.look == "nothing" or len(column.path) > 1:
        return False
    if _group(column) < len(_GROUPS):
        return True
    said = sum(seen.looks.values()) - seen.looks["nothing"]
    return (len(seen.distinct) > 1 or count == 1) and 4 * said > count


_GROUPS: tuple[Callable[[Column], bool], ...] = (
    lambda column: column.path in ((), ("id",)),
    lambda column: _NAMES.fullmatch(column.path[-1]) is not None,
    lambda column: _STATES.fullmatch(column.path[-1]) is not None,
    lambda column: column.look == "money",
    lambda column: column.look == "time" and _MADE.fullmatch(column.path[-1]) is not None,
)


def _group(column: Column) -> int:
    """Which of the kinds of columns that people look for it is; the number of kinds for all others."""
    return next((place for place, belongs in enumerate(_GROUPS) if belongs(column)), len(_GROUPS))
