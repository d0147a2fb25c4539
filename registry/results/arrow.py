"""Arrow, the language between items and engines: which type holds JSON values exactly; the values as arrays, and as Parquet.

A column has one of these types, and a value that does not fit into it gives the column the next type that holds both:

=============  ========================================================================  ================================
type           values                                                                    Arrow
=============  ========================================================================  ================================
``null``       nothing but null so far                                                   string
``bool``       true, false                                                               bool
``integer``    whole numbers of 64 bits                                                  int64
``B.S``        numbers with up to B digits before the point and S behind it, 38 in all   decimal128(38, S)
``text``       strings; also larger numbers, and values of several of these types        string
``json``       objects and lists, and everything else in the same column                 string
=============  ========================================================================  ================================
"""

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from itertools import islice
from typing import Any, BinaryIO

from registry.files.folders import how_to_install
from registry.results.formats import NotExported
from registry.results.spool import string

_ROWS_AT_A_TIME = 10_000
_BEGINS = {b'"': "text", b"{": "json", b"[": "json", b"t": "bool", b"f": "bool", b"n": "null"}
_DIGITS = 38
_DIGITS_OF_INTEGERS = 19


def type_of(raw: bytes) -> str:
    """The type of one JSON value, given as its text."""
    if (type_ := _BEGINS.get(raw[:1])) is not None:
        return type_
    digits = raw.removeprefix(b"-")
    if digits.isdigit() and len(digits) <= _DIGITS:
        return "integer" if len(raw) < _DIGITS_OF_INTEGERS or -(2**63) <= int(raw) < 2**63 else f"{len(digits)}.0"
    try:
        _, figures, exponent = Decimal(raw.decode("ascii", "replace")).as_tuple()
    except ArithmeticError:  # an exponent of nineteen digits
        return "text"
    before, scale = max(len(figures) + int(exponent), 0), max(-int(exponent), 0)
    return f"{before}.{scale}" if before + scale <= _DIGITS else "text"


def both(one: str, other: str) -> str:
    """The type that holds the values of two types exactly."""
    if one == other or other == "null":
        return one
    if one == "null":
        return other
    if "json" in (one, other):
        return "json"
    if "text" in (one, other) or "bool" in (one, other):
        return "text"
    parts = [(_DIGITS_OF_INTEGERS, 0) if type_ == "integer" else tuple(map(int, type_.split("."))) for type_ in (one, other)]
    before, scale = (max(sizes) for sizes in zip(*parts, strict=True))
    return f"{before}.{scale}" if before + scale <= _DIGITS else "text"


def scale_of(type_: str) -> int | None:
    """The digits behind the point of a decimal; None for other types."""
    _, point, scale = type_.partition(".")
    return int(scale) if point else None


def library() -> Any:
    """The pyarrow library.

    Raises:
        NotExported: it is not installed; says how to install it.
    """
    try:
        import pyarrow.parquet
    except ImportError:
        way_out = f"Install {how_to_install('engines')}"
        raise NotExported("Parquet needs pyarrow, which is not installed.", way_out, "format") from None
    return pyarrow


def arrow_type(type_: str) -> Any:
    """The Arrow type of a type."""
    arrow = library()
    if (scale := scale_of(type_)) is not None:
        return arrow.decimal128(_DIGITS, scale)
    return {"bool": arrow.bool_(), "integer": arrow.int64()}.get(type_, arrow.string())


def arrow_array(type_: str, values: Sequence[bytes | None]) -> Any:
    """JSON values, given as their texts, as an Arrow array of a type that holds them; null and missing ones are null."""
    others = _text if scale_of(type_) is None else _decimal
    read: Any = {"bool": b"true".__eq__, "integer": int, "json": _json}.get(type_, others)
    held = [None if raw is None or raw == b"null" else read(raw) for raw in values]
    return library().array(held, arrow_type(type_))


def write_parquet(file: BinaryIO, titles: Sequence[str], rows: Callable[[], Iterable[Sequence[bytes | None]]]) -> None:
    """Write a table as Parquet; objects and lists are text: their JSON.

    Args:
        file: the file to write to.
        titles: the names of the columns.
        rows: returns all rows; called twice, to find the types and to write.
    """
    arrow = library()
    types = ["null"] * len(titles)
    for row in rows():
        types = [type_ if raw is None else both(type_, type_of(raw)) for type_, raw in zip(types, row, strict=True)]
    types = ["text" if type_ == "json" else type_ for type_ in types]
    schema = arrow.schema([(title, arrow_type(type_)) for title, type_ in zip(titles, types, strict=True)])
    going = iter(rows())
    with arrow.parquet.ParquetWriter(file, schema) as writer:
        while some := list(islice(going, _ROWS_AT_A_TIME)):
            arrays = [arrow_array(type_, [row[place] for row in some]) for place, type_ in enumerate(types)]
            writer.write_table(arrow.Table.from_arrays(arrays, schema=schema))


def _decimal(raw: bytes) -> Decimal:
    return Decimal(raw.decode())


def _json(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _text(raw: bytes) -> str:
    """A string without its quotes, any other value as JSON; halves of surrogate pairs, which UTF-8 cannot hold, as escapes."""
    text = string(raw)
    return _json(raw) if text is None else text.encode("utf-8", "backslashreplace").decode()
