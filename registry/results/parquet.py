"""Parquet, through the optional pyarrow.

A column's type is inferred from the data and can hold every value exactly; otherwise it is text. Whole numbers that fit into 64
bits are int64; numbers that a double represents exactly as written are double; true and false are bool. Everything else, and
every column of mixed types, is text: strings unchanged, other values as JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from registry.results.formats import NotExported
from registry.results.picking import string

if TYPE_CHECKING:
    import pyarrow

ColumnKind = Literal["null", "bool", "int64", "double", "string"]
ParquetRow = Sequence[bytes | None]

_ROWS_AT_A_TIME = 10_000
_EXACT_IN_A_DOUBLE = 2**53
_LONGEST_NUMBER = 40


def library() -> Any:
    """The pyarrow library.

    Raises:
        NotExported: it is not installed; says how to install it.
    """
    try:
        import pyarrow.parquet  # slow to import, and only this format needs it
    except ImportError:
        from registry.files.extras import how_to_install

        way_out = f"Install {how_to_install('engines')}"
        raise NotExported("Parquet needs pyarrow, which is not installed.", way_out, "format") from None
    return pyarrow


def write_parquet(file: BinaryIO, titles: Sequence[str], rows: Callable[[], Iterable[ParquetRow]]) -> None:
    """Write a table.

    Args:
        file: the file to write to.
        titles: the names of the columns.
        rows: returns all rows; called twice, to find the types and to write.
    """
    arrow = library()
    kinds = _kinds(len(titles), rows())
    types = {
        "null": arrow.string(),
        "bool": arrow.bool_(),
        "int64": arrow.int64(),
        "double": arrow.float64(),
        "string": arrow.string(),
    }
    schema = arrow.schema([(title, types[kind]) for title, kind in zip(titles, kinds, strict=True)])
    with arrow.parquet.ParquetWriter(file, schema) as writer:
        for some in _some(rows()):
            writer.write_table(_table(some, kinds, schema))


def _table(rows: Sequence[ParquetRow], kinds: Sequence[ColumnKind], schema: pyarrow.Schema) -> pyarrow.Table:
    arrays = [
        library().array([_value(row[place], kind) for row in rows], type=schema.field(place).type)
        for place, kind in enumerate(kinds)
    ]
    return library().Table.from_arrays(arrays, schema=schema)


def _kinds(count: int, rows: Iterable[ParquetRow]) -> list[ColumnKind]:
    kinds: list[ColumnKind] = ["null"] * count
    # A double is exact only for smaller whole numbers, so remember whether a column had a larger one.
    long = [False] * count
    for row in rows:
        for place, value in enumerate(row):
            kind = _kind(value)
            long[place] = long[place] or (kind == "int64" and abs(int(value or b"0")) > _EXACT_IN_A_DOUBLE)
            kinds[place] = _both(kinds[place], kind)
            if kinds[place] == "double" and long[place]:
                kinds[place] = "string"
    return kinds


def _both(one: ColumnKind, other: ColumnKind) -> ColumnKind:
    if one == other or other == "null":
        return one
    if one == "null":
        return other
    return "double" if {one, other} == {"int64", "double"} else "string"


def _kind(value: bytes | None) -> ColumnKind:
    if value is None or value == b"null":
        return "null"
    if value in (b"true", b"false"):
        return "bool"
    if value[:1] in b'"{[' or len(value) > _LONGEST_NUMBER:
        return "string"
    text = value.decode("ascii", errors="replace")
    if text.lstrip("-").isdecimal() and text != "-0":
        return "int64" if -(2**63) <= int(text) < 2**63 else "string"
    return "double" if _is_double(text) else "string"


def _is_double(text: str) -> bool:
    try:
        number = float(text)
        return number - number == 0 and Decimal(repr(number)) == Decimal(text)
    except (ValueError, ArithmeticError):
        return False


def _value(value: bytes | None, kind: ColumnKind) -> bool | int | float | str | None:
    if value is None or value == b"null":
        return None
    match kind:
        case "bool":
            return value == b"true"
        case "int64":
            return int(value)
        case "double":
            return float(value)
    said = string(value)
    text = said if said is not None else value.decode("utf-8", errors="replace")
    return text.encode("utf-8", errors="backslashreplace").decode()  # lone surrogates have no UTF-8


def _some(rows: Iterable[ParquetRow]) -> Iterator[list[ParquetRow]]:
    going = iter(rows)
    while some := list(islice(going, _ROWS_AT_A_TIME)):
        yield some
