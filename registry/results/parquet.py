"""Parquet files, through the optional pyarrow.

A column's type is inferred from the data and holds every value exactly (`registry.results.arrow`). Columns of mixed types, and
objects and lists, are text: strings unchanged, other values as JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any, BinaryIO

from registry.files.extras import how_to_install
from registry.results.arrow import arrow_array, arrow_type, both, type_of
from registry.results.formats import NotExported

_ROWS_AT_A_TIME = 10_000


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


def write_parquet(file: BinaryIO, titles: Sequence[str], rows: Callable[[], Iterable[Sequence[bytes | None]]]) -> None:
    """Write a table.

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
