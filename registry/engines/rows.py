"""Writes rows of a query as JSON texts, with every value exact.

Times, dates, intervals and the like are DuckDB's texts; lists and structs are JSON. Infinity and NaN, which JSON does not have,
are texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from registry.engines.columns import free_name

_AS_THEY_ARE = (
    "BOOLEAN",
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "HUGEINT",
    "UTINYINT",
    "USMALLINT",
    "UINTEGER",
    "UBIGINT",
)
_NUMBERS = (*_AS_THEY_ARE[1:], "UHUGEINT", "FLOAT", "DOUBLE")
_NESTED = ("STRUCT", "MAP", "UNION")

_NO_NUMBER = re.compile(r"nan|inf", re.IGNORECASE)
_STRING_OR_NO_NUMBER = re.compile(r'"(?:[^"\\]|\\.)*"|(-?)(nan|inf(?:inity)?)', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """A column of a result: its unique name, and its type in SQL."""

    name: str
    type: str

    @property
    def is_number(self) -> bool:
        """Whether its values are numbers."""
        return not self.is_json and (self.type in _NUMBERS or self.type.startswith("DECIMAL"))

    @property
    def is_json(self) -> bool:
        """Whether its values are JSON texts."""
        return self.type == "JSON" or self.type.endswith("]") or self.type.startswith(_NESTED)


def selected(found: Sequence[tuple[str, str]]) -> tuple[list[ResultColumn], str]:
    """The columns of a result, from DuckDB's names and types, and the text to put before the query."""
    taken = set[str]()
    columns = [ResultColumn(free_name(name, taken), type_) for name, type_ in found]
    parts = []
    for place, column in enumerate(columns):
        if column.is_json and column.type != "JSON":
            parts.append(f"CAST(to_json(c{place}) AS VARCHAR)")
        elif column.is_number or column.type in ("BOOLEAN", "VARCHAR", "JSON"):
            parts.append(f"c{place}")
        else:
            parts.append(f"CAST(c{place} AS VARCHAR)")
    return columns, f"SELECT {', '.join(parts)} FROM (\n"


def row_writer(columns: Sequence[ResultColumn]) -> Callable[[Sequence[object]], bytes]:
    """Returns a function that writes a row as a JSON object."""
    parts = [(b"," * (place > 0) + _text(column.name) + b":", _written_as(column)) for place, column in enumerate(columns)]

    def write(row: Sequence[object]) -> bytes:
        values = zip(parts, row, strict=True)
        return b"{%b}" % b"".join([name + (b"null" if value is None else written(value)) for (name, written), value in values])

    return write


def _written_as(column: ResultColumn) -> Callable[[Any], bytes]:
    if column.is_json:
        return _json
    if column.type in ("FLOAT", "DOUBLE"):
        return _double
    if column.type.startswith("DECIMAL"):
        return lambda value: format(value, "f").encode()
    if column.type == "BOOLEAN":
        return lambda value: b"true" if value else b"false"
    if column.is_number:
        return lambda value: b"%d" % value
    return _text


def _double(value: float) -> bytes:
    if value - value == 0:
        return repr(value).encode()
    return b'"NaN"' if value != value else b'"Infinity"' if value > 0 else b'"-Infinity"'


def _json(text: str) -> bytes:
    """DuckDB's JSON as standard JSON: ``NaN`` and ``Infinity``, which DuckDB writes as numbers, become texts."""
    return (_STRING_OR_NO_NUMBER.sub(_as_string, text) if _NO_NUMBER.search(text) is not None else text).encode()


def _as_string(found: re.Match[str]) -> str:
    sign, name = found.groups()
    return found[0] if name is None else f'"{sign}{"NaN" if name[:1] in "nN" else "Infinity"}"'


def _text(value: object) -> bytes:
    return msgspec.json.encode(str(value))
