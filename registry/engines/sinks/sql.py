"""The common parts of tables in both databases: names of columns, Callboard's own tables, and the steps of a sink.

A batch, its columns and the record are one transaction. The databases differ in how rows are inserted, and in their types.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar

from registry.engines.sinks.address import TableName, quoted
from registry.engines.sinks.columns import KEY, NULLS, PASS, Batch, Column, Growth, json_text, said
from registry.engines.sinks.failure import NotStored
from registry.engines.sinks.kinds import Kind
from registry.engines.sinks.sink import RUNS, SyncRun, Written

SYNCS = "callboard_syncs"

RECORDS = "(target text PRIMARY KEY, record text NOT NULL)"
RUN_COLUMNS = (
    "(target text, tool text, account text, kind text, started {time}, ended {time}, "
    "items bigint, inserted bigint, updated bigint, outcome text)"
)
"""`time` is the type of a moment."""

OWN = (KEY, PASS, NULLS)


class TableSink(ABC):
    """A table; see `registry.engines.sinks.sink.Sink`. Values are ``$1``, ``$2`` and so on in statements.

    Attributes:
        types: the type of each kind of column.
        key: the constraint of the key.
    """

    replaces = True
    types: ClassVar[Mapping[Kind, str]]
    key: ClassVar[str]

    def __init__(self, shown: str, table: TableName, target: str) -> None:
        """Make it; `target` identifies the table in `SYNCS`."""
        self.shown = shown
        self._table = table
        self._target = target
        self._error: type[Exception]
        self._there = False

    def write(
        self, batch: Batch, growth: Growth, columns: Sequence[Column], record: str, *, part: int, last: bool = False
    ) -> Written:
        """See `Sink.write`."""
        with self._step():
            self._grow(growth, columns)
            written = self._put(batch, columns) if len(batch) else Written()
            if last:
                self._run(
                    f"DELETE FROM {self._table.quoted} WHERE {quoted(KEY)} LIKE '#%' AND {quoted(KEY)} NOT LIKE '##%' "
                    f"AND {quoted(PASS)} < $1",
                    [batch.number],
                )
            self._run(
                f"INSERT INTO {self._own(SYNCS)} VALUES ($1, $2) ON CONFLICT (target) DO UPDATE SET record = excluded.record",
                [self._target, record],
            )
        self._there = True
        return written

    def keys_before(self, part: int) -> Collection[str]:
        """See `Sink.keys_before`: rows replace each other."""
        return ()

    def empty(self) -> None:
        """See `Sink.empty`."""
        with self._step():
            self._run(f"DROP TABLE IF EXISTS {self._table.quoted}")
            self._run(f"DELETE FROM {self._own(SYNCS)} WHERE target = $1", [self._target])
        self._there = False

    def note(self, run: SyncRun) -> None:
        """See `Sink.note`."""
        values = list(run.values.values())
        places = ", ".join(f"${place}" for place in range(1, len(values) + 1))
        self._run(f"INSERT INTO {self._own(RUNS)} VALUES ({places})", values)

    def _own(self, name: str) -> str:
        """The name of one of Callboard's own tables beside the target."""
        return f"{quoted(self._table.schema)}.{name}" if self._table.schema is not None else name

    def _known(self, *, there: bool) -> str | None:
        """The result of `open`, given whether a table with that name exists."""
        self._there = there
        kept = self._rows(f"SELECT record FROM {self._own(SYNCS)} WHERE target = $1", [self._target])
        if there and not kept:
            raise NotStored(
                f"{self.shown}: there is a table of that name, and Callboard did not make it.",
                "Choose another name for the table.",
            )
        return str(kept[0][0]) if there else None

    def _grow(self, growth: Growth, columns: Sequence[Column]) -> bool:
        """Make sure that the table has the columns; returns whether anything was changed."""
        table, types = self._table.quoted, self.types
        if not self._there:
            own = [
                f"{quoted(KEY)} {types['text']} {self.key}",
                f"{quoted(PASS)} bigint NOT NULL",
                f"{quoted(NULLS)} {types['json']}",
            ]
            self._run(f"CREATE TABLE {table} ({', '.join([*own, *map(self._defined, columns)])})")
            return True
        widened = [(old, new) for old, new in growth.widened if types[old.kind] != types[new.kind]]
        for column in growth.added:
            self._run(f"ALTER TABLE {table} ADD COLUMN {self._defined(column)}")
        for old, new in widened:
            how = f"SET DATA TYPE {types[new.kind]} USING {self._wider(quoted(old.name), old.kind, new.kind)}"
            self._run(f"ALTER TABLE {table} ALTER COLUMN {quoted(old.name)} {how}")
        return bool(growth.added or widened)

    def _defined(self, column: Column) -> str:
        return f"{quoted(column.name)} {self.types[column.kind]}"

    def _run(self, statement: str, values: Sequence[object] | None = None) -> None:
        try:
            self._execute(statement, values)
        except self._error as error:
            raise self._failed(error) from None

    def _rows(self, statement: str, values: Sequence[object] | None = None) -> list[tuple[Any, ...]]:
        try:
            return list(self._execute(statement, values).fetchall())
        except self._error as error:
            raise self._failed(error) from None

    @abstractmethod
    def _put(self, batch: Batch, columns: Sequence[Column]) -> Written:
        """Insert rows, or replace them."""

    @abstractmethod
    def _wider(self, name: str, old: Kind, new: Kind) -> str:
        """The value of a column in a wider type, exactly."""

    @abstractmethod
    def _step(self) -> AbstractContextManager[None]:
        """A transaction."""

    @abstractmethod
    def _execute(self, statement: str, values: Sequence[object] | None) -> Any:
        """Run a statement; raises `_error`."""

    @abstractmethod
    def _failed(self, error: Exception) -> NotStored:
        """The database's message, without values of rows and without a password."""


def texts(column: Column, values: Sequence[bytes | None], *, strict: bool) -> list[str | None]:
    """The values of a column as texts that can be cast to the column's type."""
    if column.kind == "text":
        return [None if one is None else said(one) for one in values]
    if column.kind == "json":
        return [None if one is None else json_text(one, strict=strict) for one in values]
    return [None if one is None else one.decode("ascii", errors="replace") for one in values]


def names(batch: Batch) -> list[str]:
    """The quoted names of the columns that a batch fills, the extra ones first."""
    return [quoted(one) for one in (*OWN, *(column.name for column in batch.columns))]
