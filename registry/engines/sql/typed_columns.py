"""Columns of items for SQL, with types found in all of the items, so that every value is exact.

Whole numbers are BIGINT, or HUGEINT where 64 bits are too few; numbers with fractions are DECIMAL, so that sums of amounts are
exact as well, or DOUBLE if only that holds each of them as written; true and false are BOOLEAN. A property that is an
object or a list in any item is JSON in all of them. Everything else is VARCHAR: strings unchanged, times as the service sent
them, and properties of mixed types. Null and missing are both NULL.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import msgspec

from registry.engines.sql.problem import SqlProblem
from registry.results.tables.picking import string
from registry.text.safe_text import visible_line

Items = Callable[[], Iterable[bytes]]
"""Returns the items from the first one on, one JSON text each; called more than once."""

_TEXT, _WHOLE, _FRACTION, _WORD, _NESTED = 1, 2, 4, 8, 16
_MOST = 1_000  # columns
_QUOTE = 0x22
_ALWAYS_64_BITS, _MOST_DIGITS, _SMALL = 18, 38, 18
_EXACT_IN_A_DOUBLE = 2**53
_ESCAPES = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)

_object = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


@dataclass(frozen=True, slots=True)
class TypedColumn:
    """A column: the property that it holds (None for the whole item), its name in SQL, and its type there.

    `reads` is the type of all values of the property; `msgspec.Raw` if they differ.
    """

    property: str | None
    name: str
    type: str
    reads: Any = msgspec.Raw


@dataclass(frozen=True, slots=True)
class TypedColumns:
    """The columns of some items, and the number of items."""

    columns: Sequence[TypedColumn]
    count: int

    def of_types(self, types: Mapping[str, str]) -> list[TypedColumn]:
        """The columns with known types, then the others."""
        others = [column for column in self.columns if column.property is not None and column.property not in types]
        return [*(TypedColumn(name, name, type_) for name, type_ in types.items()), *others]

    def rows(self, items: Iterable[bytes]) -> Iterator[Sequence[object]]:
        """The values of each item, in a form that DuckDB can cast to the columns' types; None for NULL."""
        fast = _decoder(self.columns)
        texts = [(place, _text_of(column.type)) for place, column in enumerate(self.columns) if column.reads is msgspec.Raw]
        for item in map(_readable, items):
            try:
                if fast is not None:
                    row: Sequence[object] = msgspec.structs.astuple(fast(item))
                    yield _with_texts(row, texts) if texts else row
                    continue
            except (msgspec.MsgspecError, RecursionError, ValueError):
                pass  # only the slower way can read it
            yield self._careful(item)

    def _careful(self, item: bytes) -> Sequence[object]:
        found = _object(item) if item.startswith(b"{") else {}
        row: list[object] = []
        for column in self.columns:
            raw = found.get(column.property) if column.property is not None else item
            if column.property is None and column.name != "item" and item.startswith(b"{"):
                raw = None
            row.append(None if raw is None or (value := bytes(raw)) == b"null" else _text_of(column.type)(value))
        return row


class _Seen:
    """The statistics of one property."""

    __slots__ = ("digits", "doubles", "flags", "high", "low", "scale")

    def __init__(self) -> None:
        self.flags = self.digits = self.scale = self.low = self.high = 0
        self.doubles = True

    def add(self, value: bytes) -> None:
        """Add a value."""
        match value[0]:
            case 0x22:
                self.flags |= _TEXT
            case 0x7B | 0x5B:
                self.flags |= _NESTED
            case 0x74 | 0x66:
                self.flags |= _WORD
            case 0x6E:
                pass
            case _:
                self._number(value)

    def _number(self, value: bytes) -> None:
        digits = len(value) - (value[0] == 0x2D)
        if not value.lstrip(b"-").isdigit():
            self.flags |= _FRACTION
            try:
                number = Decimal(value.decode("ascii"))
            except ArithmeticError:  # an exponent of nineteen digits
                self.scale, self.doubles = _MOST_DIGITS + 1, False
                return
            _, figures, exponent = number.as_tuple()
            assert isinstance(exponent, int), "JSON has neither infinities nor NaN"
            self.scale = max(self.scale, -exponent)
            self.digits = max(self.digits, len(figures) + exponent)
            self.doubles = self.doubles and Decimal(repr(float(number))) == number
            return
        self.flags |= _WHOLE
        if digits > self.digits:
            self.digits = digits
        if digits > 15 and (digits > _MOST_DIGITS + 1 or abs(int(value)) > _EXACT_IN_A_DOUBLE):
            self.doubles = False
            if digits > _MOST_DIGITS + 1:
                self.high = 2**128
            else:
                self.low, self.high = min(self.low, int(value)), max(self.high, int(value))

    @property
    def reads(self) -> Any:
        """The type of its values, if all have one type that the decoder reads; otherwise `msgspec.Raw`."""
        return {_TEXT: str | None, _WHOLE: int | None, _WORD: bool | None}.get(self.flags, msgspec.Raw)

    @property
    def type(self) -> str:
        """The SQL type that holds all its values."""
        if self.flags & _NESTED:
            return "JSON"
        if self.flags == _WORD:
            return "BOOLEAN"
        if self.flags == _WHOLE:
            bits = next((bits for bits in (63, 127) if -(2**bits) <= self.low and self.high < 2**bits), None)
            return "BIGINT" if self.digits <= _ALWAYS_64_BITS or bits == 63 else "HUGEINT" if bits else "VARCHAR"
        if self.flags and not self.flags & ~(_WHOLE | _FRACTION):
            width = self.digits + self.scale
            if width <= _MOST_DIGITS:
                return f"DECIMAL({_SMALL if width <= _SMALL else _MOST_DIGITS},{self.scale})"
            return "DOUBLE" if self.doubles else "VARCHAR"
        return "VARCHAR"


def columns_of(items: Iterable[bytes], source: str) -> TypedColumns:
    """The columns of some items, in the order of their properties.

    Items that are not objects are a column ``value``; with more than 1,000 different properties, each item is one JSON value.

    Raises:
        SqlProblem: an item is not JSON; `source` names the list in it.
    """
    seen: dict[str, _Seen] = {}
    whole = _Seen()
    count = 0
    going = map(_readable, items)
    for count, item in enumerate(going, 1):
        try:
            if not item.startswith(b"{"):
                whole.add(bytes(msgspec.json.decode(item, type=msgspec.Raw)))
                continue
            for name, raw in _object(item).items():
                value = bytes(raw)
                one = seen.get(name)
                if one is None:
                    if len(seen) >= _MOST:
                        return TypedColumns((TypedColumn(None, "item", "JSON"),), sum(1 for _ in going) + count)
                    one = seen[name] = _Seen()
                if value[0] == _QUOTE:
                    one.flags |= _TEXT
                else:
                    one.add(value)
        except (msgspec.MsgspecError, RecursionError, ValueError, IndexError):
            raise SqlProblem(f"{source}: item {count:,} is not JSON that can be read", kind="source") from None
    named = zip(seen.items(), titles(seen), strict=True)
    columns = [TypedColumn(name, title, one.type, one.reads) for (name, one), title in named]
    if whole.flags or not columns:
        columns.append(TypedColumn(None, titles([*seen, "value"])[-1], "JSON" if seen else whole.type))
    return TypedColumns(columns, count)


def titles(names: Iterable[str]) -> list[str]:
    """A unique SQL name for each property; SQL ignores case."""
    used: set[str] = set()
    named = []
    for name in names:
        title = first = visible_line(name) or "unnamed"
        number = 0
        while title.casefold() in used:
            number += 1
            title = f"{first}_{number}"
        used.add(title.casefold())
        named.append(title)
    return named


def _decoder(columns: Sequence[TypedColumn]) -> Callable[[bytes], Any] | None:
    """A decoder for all properties in one step; None if a name, or the whole item, cannot be read this way."""
    names = [column.property for column in columns]
    if any(name is None or not name.isprintable() or '"' in name or "\\" in name for name in names):
        return None
    fields = [(f"c{place}", column.reads, None) for place, column in enumerate(columns)]
    rename = {f"c{place}": name for place, name in enumerate(names) if name is not None}
    return msgspec.json.Decoder(msgspec.defstruct("Row", fields, rename=rename, gc=False)).decode


def _with_texts(row: Sequence[object], texts: Iterable[tuple[int, Callable[[bytes], str]]]) -> list[object]:
    values = list(row)
    for place, text_of in texts:
        raw = values[place]
        if isinstance(raw, msgspec.Raw):
            value = bytes(raw)
            values[place] = None if value == b"null" else text_of(value)
    return values


def _text_of(type_: str) -> Callable[[bytes], str]:
    return {"JSON": _json, "VARCHAR": _plain, "TIMESTAMPTZ": _plain}.get(
        type_, _number if type_.startswith("DECIMAL") else _ascii
    )


def _readable(item: bytes) -> bytes:
    """An item with lone surrogates as the text of their escapes, because no engine reads them."""
    if b"\\ud" in item or b"\\uD" in item:
        item = _ESCAPES.sub(lambda found: b"\\\\" + found[1] if found[1] else found[0], item)
    return item


def _json(value: bytes) -> str:
    return value.decode("utf-8", errors="replace")


def _plain(value: bytes) -> str:
    said = string(value)
    return said if said is not None else value.decode("utf-8", errors="replace")


def _number(value: bytes) -> str:
    text = value.decode("ascii")
    return format(Decimal(text), "f") if "e" in text or "E" in text else text


def _ascii(value: bytes) -> str:
    return value.decode("ascii")
