"""SQL that both databases share: names of columns, the tables that Callboard keeps, and values as texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from registry.sinks.address import quoted
from registry.sinks.columns import KEY, NULLS, PASS, Batch, Column, json_text, said
from registry.sinks.failure import NotStored
from registry.sinks.kinds import Kind

SYNCS, RUNS = "callboard_syncs", "callboard_runs"

RECORDS = "(target text PRIMARY KEY, record text NOT NULL)"
RUN_COLUMNS = (
    "(target text, tool text, account text, kind text, started {time}, ended {time}, "
    "items bigint, inserted bigint, updated bigint, outcome text)"
)
"""`time` is the type of a moment."""

OWN = (KEY, PASS, NULLS)


def texts(column: Column, values: Sequence[bytes | None], *, strict: bool) -> list[str | None]:
    """The values of a column as texts that a cast to the column's type takes."""
    if column.kind == "text":
        return [None if one is None else said(one) for one in values]
    if column.kind == "json":
        return [None if one is None else json_text(one, strict=strict) for one in values]
    return [None if one is None else one.decode("ascii", errors="replace") for one in values]


def names(batch: Batch) -> list[str]:
    """The quoted names of the columns that a batch fills, the own ones first."""
    return [quoted(one) for one in (*OWN, *(column.name for column in batch.columns))]


def definitions(columns: Sequence[Column], types: Mapping[Kind, str], key: str) -> str:
    """The columns of a new table, with the own ones; `key` is the constraint of the key."""
    own = [f"{quoted(KEY)} {types['text']} {key}", f"{quoted(PASS)} bigint NOT NULL", f"{quoted(NULLS)} {types['json']}"]
    return ", ".join([*own, *(f"{quoted(one.name)} {types[one.kind]}" for one in columns)])


def foreign(shown: str) -> NotStored:
    """That a table of that name is somebody else's."""
    return NotStored(
        f"{shown}: there is a table of that name, and Callboard did not make it.", "Choose another name for the table."
    )
