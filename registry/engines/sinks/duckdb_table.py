"""A table in a DuckDB file.

There is no primary key: DuckDB holds its index in memory, and at 1.6 million rows it takes more than 128 MB. Rows that come
again are deleted before they are inserted, in the same transaction; no other program can write to the file then, so no key is
there twice.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Self

from registry.engines.sinks import sql
from registry.engines.sinks.address import DuckDBTable, quoted
from registry.engines.sinks.columns import KEY, Batch, Column
from registry.engines.sinks.failure import NotStored, missing
from registry.engines.sinks.kinds import Kind
from registry.engines.sinks.sink import RUNS, Written
from registry.text.safe_text import visible_line

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
# No downloads, and a table of millions of rows needs no more memory than a small one.
_SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "memory_limit": "128MB",
    "threads": 1,
}


class DuckDBSink(sql.TableSink):
    """See `registry.engines.sinks.sink.Sink`."""

    most_items, most_pages = 5_000, 50
    types, key = TYPES, "NOT NULL"

    def __init__(self, address: DuckDBTable) -> None:
        try:
            import duckdb
        except ImportError:
            raise missing("sql", "duckdb", "A DuckDB file") from None
        super().__init__(address.shown, address.table, str(address.table).lower())
        self._connect: Callable[..., Any] = duckdb.connect
        self._error = duckdb.Error
        self._file = address.file
        self._database: Any = None
        self._made = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._database is not None:
            try:
                if self._made and self._is_empty():
                    with suppress(OSError):  # before it is closed, so no other program can have opened it
                        os.unlink(self._file)
            finally:
                self._database.close()
                self._database = None

    def _is_empty(self) -> bool:
        """Whether nothing was stored: no other table, no sync, no run."""
        tables = "SELECT table_name FROM duckdb_tables() WHERE NOT internal AND database_name = current_database()"
        with suppress(NotStored):
            names = {name for (name,) in self._rows(tables)}
            return names <= {sql.SYNCS, RUNS} and not any(
                self._rows(f"SELECT 1 FROM {self._own(name)} LIMIT 1") for name in names
            )
        return False

    def open(self) -> str | None:
        """See `Sink.open`."""
        before = os.umask(0o077)
        self._made = not os.path.lexists(self._file)
        try:
            self._database = self._connect(str(self._file), config=_SETTINGS)
        except (self._error, OSError) as error:
            if self._made and self._file.is_file() and not self._file.stat().st_size:
                self._file.unlink()  # the disk is full
            text = str(error)
            if "lock" in text.lower():
                raise NotStored(f"{self.shown}: another program uses the file.", "Close it there, and try again.") from None
            if "not a valid" in text:
                raise NotStored(f"{self.shown}: the file is not a DuckDB database.", "Choose another file.") from None
            raise self._failed(error) from None
        finally:
            os.umask(before)
        with self._step():
            self._run(f"CREATE TABLE IF NOT EXISTS {self._own(sql.SYNCS)} {sql.RECORDS}")
            self._run(f"CREATE TABLE IF NOT EXISTS {self._own(RUNS)} {sql.RUN_COLUMNS.format(time='timestamp')}")
        found = self._rows(
            "SELECT 1 FROM duckdb_tables() WHERE NOT internal AND database_name = current_database() "
            "AND lower(schema_name) = lower(coalesce($1, current_schema())) AND lower(table_name) = lower($2) "
            "UNION ALL SELECT 1 FROM duckdb_views() WHERE NOT internal AND database_name = current_database() "
            "AND lower(schema_name) = lower(coalesce($1, current_schema())) AND lower(view_name) = lower($2)",
            [self._table.schema, self._table.name],
        )
        return self._known(there=bool(found))

    def _put(self, batch: Batch, columns: Sequence[Column]) -> Written:
        table = self._table.quoted
        keys: list[str | None] = list(batch.keys)
        before = self._rows(f"DELETE FROM {table} WHERE {quoted(KEY)} IN (SELECT unnest($1::VARCHAR[]))", [keys])[0][0]
        values: list[list[str | None]] = [keys, list(batch.nulls)]
        selected = ["unnest($1::VARCHAR[])", f"{batch.number:d}", "unnest($2::VARCHAR[])::JSON"]
        for column, raw in zip(batch.columns, batch.values, strict=True):
            values.append(sql.texts(column, raw, strict=False))
            selected.append(f"unnest(${len(values)}::VARCHAR[])::{TYPES[column.kind]}")
        self._run(f"INSERT INTO {table} ({', '.join(sql.names(batch))}) SELECT {', '.join(selected)}", values)
        return Written(len(batch) - before, before)

    @contextmanager
    def _step(self) -> Iterator[None]:
        self._run("BEGIN TRANSACTION")
        try:
            yield
            self._run("COMMIT")
        except BaseException:
            with suppress(self._error):  # a transaction whose commit failed has already ended
                self._database.execute("ROLLBACK")
            raise

    def _execute(self, statement: str, values: Sequence[object] | None) -> Any:
        return self._database.execute(statement, values)

    def _failed(self, error: Exception) -> NotStored:
        text = visible_line(str(error).strip().split("\n")[0])[:300].rstrip(".")
        return NotStored(f"{self.shown}: {text}.", "Check the file and the space on its disk, then run it again.")

    def _wider(self, name: str, old: Kind, new: Kind) -> str:
        if new != "json":
            return f"CAST({name} AS {TYPES[new]})"
        if old in ("int38", "number"):
            return f"CAST(CAST({name} AS VARCHAR) AS JSON)"
        return f"to_json({name})"
