"""A table in a DuckDB file. A batch, its columns and the record are one transaction.

There is no primary key: DuckDB holds its index in memory, and at 1.6 million rows it takes more than 128 MB. Rows that come
again are deleted before they are inserted, in the same transaction; nobody else writes to the file meanwhile, so no key is
there twice.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Self

from registry.display.safe_text import visible_line
from registry.sinks import sql
from registry.sinks.address import DuckDBTable, quoted
from registry.sinks.columns import KEY, PASS, Batch, Column, Growth
from registry.sinks.failure import NotStored, missing
from registry.sinks.kinds import Kind
from registry.sinks.sink import SyncRun, Written

TYPES: Mapping[Kind, str] = {
    "none": "VARCHAR",
    "bool": "BOOLEAN",
    "int53": "BIGINT",
    "int64": "BIGINT",
    "int38": "DECIMAL(38,0)",
    "double": "DOUBLE",
    "number": "VARCHAR",
    "text": "VARCHAR",
    "json": "JSON",
}
# Nothing is downloaded, and a table of millions of rows takes no more memory than a small one.
_SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "memory_limit": "128MB",
    "threads": 1,
}


class DuckDBSink:
    """See `registry.sinks.sink.Sink`."""

    most_items, most_pages, replaces = 5_000, 50, True

    def __init__(self, address: DuckDBTable) -> None:
        try:
            import duckdb
        except ImportError:
            raise missing("sql", "duckdb", "A DuckDB file") from None
        self.shown = address.shown
        self._connect: Callable[..., Any] = duckdb.connect
        self._error = duckdb.Error
        self._address = address
        self._database: Any = None
        self._there = False
        schema = address.table.schema
        self._syncs, self._runs = (f"{quoted(schema)}.{name}" if schema is not None else name for name in (sql.SYNCS, sql.RUNS))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None

    def open(self) -> str | None:
        """See `Sink.open`."""
        file, before = self._address.file, os.umask(0o077)
        try:
            self._database = self._connect(str(file), config=_SETTINGS)
        except (self._error, OSError) as error:
            text = str(error)
            if "lock" in text.lower():
                raise NotStored(f"{self.shown}: another program uses the file.", "Close it there, and try again.") from None
            if "not a valid" in text:
                raise NotStored(f"{self.shown}: the file is no DuckDB database.", "Choose another file.") from None
            raise self._failed(error) from None
        finally:
            os.umask(before)
        with self._step():
            self._run(f"CREATE TABLE IF NOT EXISTS {self._syncs} {sql.RECORDS}")
            self._run(f"CREATE TABLE IF NOT EXISTS {self._runs} {sql.RUN_COLUMNS.format(time='timestamp')}")
            table = self._address.table
            self._there = bool(
                self._rows(
                    "SELECT 1 FROM duckdb_tables() WHERE NOT internal AND database_name = current_database() "
                    "AND lower(schema_name) = lower(coalesce($1, current_schema())) AND lower(table_name) = lower($2) "
                    "UNION ALL SELECT 1 FROM duckdb_views() WHERE NOT internal AND database_name = current_database() "
                    "AND lower(schema_name) = lower(coalesce($1, current_schema())) AND lower(view_name) = lower($2)",
                    [table.schema, table.name],
                )
            )
            kept = self._rows(f"SELECT record FROM {self._syncs} WHERE target = $1", [self._target])
        if self._there and not kept:
            raise sql.foreign(self.shown)
        return str(kept[0][0]) if kept and self._there else None

    def write(
        self, batch: Batch, growth: Growth, columns: Sequence[Column], record: str, *, part: int, last: bool = False
    ) -> Written:
        """See `Sink.write`."""
        with self._step():
            self._grow(growth, columns)
            written = self._replace(batch) if len(batch) else Written()
            if last:
                self._run(
                    f"DELETE FROM {self._name} WHERE {quoted(KEY)} LIKE '#%' AND {quoted(KEY)} NOT LIKE '##%' "
                    f"AND {quoted(PASS)} < $1",
                    [batch.number],
                )
            self._run(
                f"INSERT INTO {self._syncs} VALUES ($1, $2) ON CONFLICT (target) DO UPDATE SET record = excluded.record",
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
            self._run(f"DROP TABLE IF EXISTS {self._name}")
            self._run(f"DELETE FROM {self._syncs} WHERE target = $1", [self._target])
        self._there = False

    def note(self, run: SyncRun) -> None:
        """See `Sink.note`."""
        values = [str(one) for one in run.values.values()]
        with self._step():
            self._run(f"INSERT INTO {self._runs} VALUES ({', '.join(f'${place + 1}' for place in range(len(values)))})", values)

    @property
    def _name(self) -> str:
        return self._address.table.quoted

    @property
    def _target(self) -> str:
        return str(self._address.table).lower()

    def _grow(self, growth: Growth, columns: Sequence[Column]) -> None:
        if not self._there:
            self._run(f"CREATE TABLE {self._name} ({sql.definitions(columns, TYPES, 'NOT NULL')})")
            return
        for column in growth.added:
            self._run(f"ALTER TABLE {self._name} ADD COLUMN {quoted(column.name)} {TYPES[column.kind]}")
        for old, new in growth.widened:
            if TYPES[old.kind] != TYPES[new.kind]:
                how = f"SET DATA TYPE {TYPES[new.kind]} USING {_wider(quoted(old.name), old.kind, new.kind)}"
                self._run(f"ALTER TABLE {self._name} ALTER COLUMN {quoted(old.name)} {how}")

    def _replace(self, batch: Batch) -> Written:
        keys: list[str | None] = list(batch.keys)
        before = self._rows(f"DELETE FROM {self._name} WHERE {quoted(KEY)} IN (SELECT unnest($1::VARCHAR[]))", [keys])[0][0]
        values: list[list[str | None]] = [keys, list(batch.nulls)]
        selected = ["unnest($1::VARCHAR[])", f"{batch.number:d}", "unnest($2::VARCHAR[])::JSON"]
        for column, raw in zip(batch.columns, batch.values, strict=True):
            values.append(sql.texts(column, raw, strict=False))
            selected.append(f"unnest(${len(values)}::VARCHAR[])::{TYPES[column.kind]}")
        self._run(f"INSERT INTO {self._name} ({', '.join(sql.names(batch))}) SELECT {', '.join(selected)}", values)
        return Written(len(batch) - before, before)

    @contextmanager
    def _step(self) -> Iterator[None]:
        self._run("BEGIN TRANSACTION")
        try:
            yield
            self._run("COMMIT")
        except BaseException:
            with suppress(self._error):  # a transaction whose end has failed is over
                self._database.execute("ROLLBACK")
            raise

    def _rows(self, statement: str, values: Sequence[object] | None = None) -> list[Any]:
        try:
            return list(self._database.execute(statement, values).fetchall())
        except self._error as error:
            raise self._failed(error) from None

    def _run(self, statement: str, values: Sequence[object] | None = None) -> None:
        try:
            self._database.execute(statement, values)
        except self._error as error:
            raise self._failed(error) from None

    def _failed(self, error: Exception) -> NotStored:
        text = visible_line(str(error).strip().split("\n")[0])[:300].rstrip(".")
        return NotStored(f"{self.shown}: {text}.", "Check the file and the space on its disk, then run it again.")


def _wider(name: str, old: Kind, new: Kind) -> str:
    """The value of a column in a wider type, exactly."""
    if new != "json":
        return f"CAST({name} AS {TYPES[new]})"
    if old in ("int38", "number"):
        return f"CAST(CAST({name} AS VARCHAR) AS JSON)"
    return f"to_json({name})"
