"""A table in a DuckDB file, or in PostgreSQL, as a sink: both take Arrow tables (ADBC) and nearly the same SQL.

A batch, its columns and the record are one transaction. Rows that come again are deleted before they are inserted. A table in
DuckDB has no primary key: its index must fit into memory, and at 1.6 million rows it takes more than 128 MB; no other program
can write to the file meanwhile, so no key is there twice.
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, ClassVar

from registry.accounts.secrets import MASK
from registry.engines.address import DuckDBTable, PostgresTable, TableName
from registry.engines.columns import DUCKDB_TYPES, KEY, PASS, Column, Growth, Written, type_in
from registry.engines.problems import NotStored, needs, quoted
from registry.text.shown import visible_line

SYNCS = "callboard_syncs"
"""The table beside the target with the records of all targets in it."""

_BATCH = "callboard_batch"
_SECONDS = 10


class TableSink(ABC):
    """A table, as `ParquetSink` is a folder. Values are ``$1``, ``$2`` and so on in statements.

    Attributes:
        types: the database's name of each type of column; `decimal` has the scale in braces.
        key: the constraint of the key.
    """

    replaces = True
    most_items: int
    most_pages: int
    types: ClassVar[Mapping[str, str]]
    decimal: ClassVar[str]
    key: ClassVar[str]

    def __init__(self, shown: str, table: TableName, target: str) -> None:
        """Make it; `target` identifies the table in `SYNCS`."""
        self.shown, self._table, self._target = shown, table, target
        self._connection: Any = None
        self._error: type[Exception]
        self._there = False

    def write(
        self, batch: Any, growth: Growth, columns: Sequence[Column], record: str, *, number: int, part: int, last: bool = False
    ) -> Written:
        """See `ParquetSink.write`."""
        table = self._table.quoted
        with self._step():
            self._grow(growth, columns)
            written = self._put(batch, columns) if len(batch) else Written()
            if last:
                self._sql(f"DELETE FROM {table} WHERE {KEY} LIKE '#%' AND {KEY} NOT LIKE '##%' AND {PASS} < {number:d}")
            self._sql(f"DELETE FROM {self._syncs} WHERE target = $1", self._target)
            self._sql(f"INSERT INTO {self._syncs} VALUES ($1, $2)", self._target, record)
        self._there = True
        return written

    def close(self) -> None:
        """Let others use the table."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def empty(self) -> None:
        """Remove everything that Callboard created for this target."""
        with self._step():
            self._sql(f"DROP TABLE IF EXISTS {self._table.quoted}")
            self._sql(f"DELETE FROM {self._syncs} WHERE target = $1", self._target)
        self._there = False

    @property
    def _syncs(self) -> str:
        return f"{quoted(self._table.schema)}.{SYNCS}" if self._table.schema is not None else SYNCS

    def _known(self, *, there: bool) -> str | None:
        """The result of `open`, given whether a table with that name exists."""
        with self._step():
            self._sql(f"CREATE TABLE IF NOT EXISTS {self._syncs} (target text PRIMARY KEY, record text NOT NULL)")
        self._there = there
        kept = self._sql(f"SELECT record FROM {self._syncs} WHERE target = $1", self._target)
        if there and not kept:
            raise NotStored(
                f"{self.shown}: there is a table of that name, and Callboard did not make it.",
                "Choose another name for the table.",
            )
        return str(kept[0][0]) if there else None

    def _grow(self, growth: Growth, columns: Sequence[Column]) -> None:
        """Make sure that the table has the columns."""
        defined = [f"{quoted(one.name)} {self._type(one)}" for one in (columns if not self._there else growth.added)]
        if not self._there:
            own = [f"{KEY} {self.types['text']} {self.key}", f"{PASS} bigint NOT NULL"]
            self._sql(f"CREATE TABLE {self._table.quoted} ({', '.join([*own, *defined])})")
            return
        for one in defined:
            self._sql(f"ALTER TABLE {self._table.quoted} ADD COLUMN {one}")
        for old, new in growth.widened:
            if self._type(old) != self._type(new):
                how = f"SET DATA TYPE {self._type(new)} USING {self._wider(quoted(old.name), old, new)}"
                self._sql(f"ALTER TABLE {self._table.quoted} ALTER COLUMN {quoted(old.name)} {how}")

    def _put(self, batch: Any, columns: Sequence[Column]) -> Written:
        """Insert rows, or replace them."""
        names = batch.column_names
        casts = ["c0", "c1", *(f"CAST(c{place} AS {self._type(column)})" for place, column in enumerate(columns, 2))]
        numbered = batch.rename_columns([f"c{place}" for place in range(len(names))])
        try:
            with self._connection.cursor() as cursor:
                cursor.adbc_ingest(_BATCH, numbered, mode="create", temporary=True)
        except self._error as error:
            raise self._failed(error) from None
        again = f"{self._table.quoted} WHERE {KEY} IN (SELECT c0 FROM {_BATCH})"
        before = int(self._sql(f"SELECT count(*) FROM {again}")[0][0])
        if before:
            self._sql(f"DELETE FROM {again}")
        into = f"{self._table.quoted} ({', '.join(map(quoted, names))})"
        self._sql(f"INSERT INTO {into} SELECT {', '.join(casts)} FROM {_BATCH}")
        self._sql(f"DROP TABLE {_BATCH}")
        return Written(len(batch) - before, before)

    def _type(self, column: Column) -> str:
        return type_in(self.types, column.type, self.decimal)

    @contextmanager
    def _step(self) -> Iterator[None]:
        """A transaction."""
        self._sql("BEGIN TRANSACTION")
        try:
            yield
            self._sql("COMMIT")
        except BaseException:
            with suppress(self._error):  # a transaction whose commit failed has already ended
                self._execute("ROLLBACK", ())
            raise

    def _sql(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """The rows of a statement."""
        try:
            return self._execute(statement, values)
        except self._error as error:
            raise self._failed(error) from None

    def _execute(self, statement: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        """The rows of a statement; raises `_error`."""
        with self._connection.cursor() as cursor:
            cursor.execute(statement, list(values) or None)
            return list(cursor.fetchall()) if cursor.description else []

    @abstractmethod
    def _wider(self, name: str, old: Column, new: Column) -> str:
        """The value of a column in a wider type, exactly."""

    @abstractmethod
    def _failed(self, error: Exception) -> NotStored:
        """The database's message, without values of rows and without a password."""


class DuckDBSink(TableSink):
    """A table in a DuckDB file, which may not exist yet."""

    most_items, most_pages = 5_000, 50
    key = "NOT NULL"
    types, decimal = DUCKDB_TYPES, "DECIMAL(38,{})"
    # No downloads, and a table of millions of rows needs no more memory than a small one.
    _settings = (
        "autoinstall_known_extensions = false",
        "autoload_known_extensions = false",
        "memory_limit = '128MB'",
        "threads = 1",
    )

    def __init__(self, address: DuckDBTable) -> None:
        needs("A DuckDB file", "duckdb", "adbc_driver_duckdb", "adbc_driver_manager", "pyarrow")
        from adbc_driver_duckdb import dbapi

        table = address.table
        super().__init__(visible_line(f"duckdb:{address.file}#{table}"), table, str(table).lower())
        self._connect, self._error = dbapi.connect, dbapi.Error
        self._file = address.file

    def open(self) -> str | None:
        """See `ParquetSink.open`."""
        before = os.umask(0o077)
        try:
            self._connection = self._connect(str(self._file), autocommit=True)
        except (self._error, OSError) as error:
            text = str(error)
            if "lock" in text.lower():
                raise NotStored(f"{self.shown}: another program uses the file.", "Close it there, and try again.") from None
            if "not a valid" in text:
                raise NotStored(f"{self.shown}: the file is not a DuckDB database.", "Choose another file.") from None
            raise self._failed(error) from None
        finally:
            os.umask(before)
        for one in self._settings:
            self._sql(f"SET {one}")
        found = self._sql(
            "SELECT 1 FROM information_schema.tables WHERE table_catalog = current_database() AND "
            "lower(table_schema) = lower(coalesce($1, current_schema())) AND lower(table_name) = lower($2)",
            self._table.schema,
            self._table.name,
        )
        return self._known(there=bool(found))

    def _failed(self, error: Exception) -> NotStored:
        text = visible_line(str(error).removeprefix("INTERNAL: ").strip().split("\n")[0])[:300].rstrip(".")
        return NotStored(f"{self.shown}: {text}.", "Check the file and the space on its disk, then run it again.")

    def _wider(self, name: str, old: Column, new: Column) -> str:
        if new.type != "json":
            return f"CAST({name} AS {self._type(new)})"
        return f"to_json({name})" if old.type == "text" else f"CAST(CAST({name} AS VARCHAR) AS JSON)"


class PostgresSink(TableSink):
    """A table in PostgreSQL."""

    most_items, most_pages = 2_000, 20
    key = "PRIMARY KEY"
    types: ClassVar = {"null": "text", "bool": "boolean", "integer": "bigint", "text": "text", "json": "jsonb"}
    decimal = "numeric"
    patience = 5
    """Seconds to wait for a table to which another run writes: a server needs a moment to notice that a program has ended."""

    def __init__(self, address: PostgresTable) -> None:
        needs("PostgreSQL", "adbc_driver_postgresql", "pyarrow")
        from adbc_driver_postgresql import dbapi

        super().__init__(address.shown, address.table, address.table.name)
        self._connect, self._error = dbapi.connect, dbapi.Error
        self._address = address

    def open(self) -> str | None:
        """See `ParquetSink.open`."""
        location = self._address.location
        location += f"{'&' if '?' in location else '?'}connect_timeout={_SECONDS}&application_name=callboard"
        try:
            self._connection = self._connect(location, autocommit=True)
        except (self._error, ValueError) as error:
            raise self._failed(error, "Check the address, and that the password is in PGPASSWORD or ~/.pgpass.") from None
        schema = self._table.schema or self._sql("SELECT current_schema()::text")[0][0]
        if schema is None or not self._sql("SELECT 1 FROM pg_namespace WHERE nspname = $1", schema):
            raise NotStored(
                f"{self.shown}: there is no schema {visible_line(str(schema)) if schema is not None else 'public'}.",
                "Create it, or name another one: #SCHEMA.TABLE.",
            )
        self._table = TableName(self._table.name, schema)
        # No other program writes to the table while the connection is open.
        self._sql(f"SET lock_timeout = '{self.patience}s'")
        try:
            self._execute("SELECT pg_advisory_lock(hashtextextended($1, 0))::text", [f"callboard {self._table.quoted}"])
        except self._error as error:
            if getattr(error, "sqlstate", None) != "55P03":  # lock_not_available
                raise self._failed(error) from None
            raise NotStored(f"{self.shown}: another run writes to this table.", "Wait until it has ended.") from None
        self._sql("SET lock_timeout = DEFAULT")
        return self._known(there=self._sql("SELECT to_regclass($1)::text", self._table.quoted)[0][0] is not None)

    def _failed(
        self, error: Exception, way_out: str = "Check the database and your rights in it, then run it again."
    ) -> NotStored:
        text = str(error).strip().split("\n")[0].rpartition("[libpq] ")[2]
        for secret in reversed(self._address.secrets):
            text = text.replace(secret, MASK)
        return NotStored(f"{self.shown}: {visible_line(text)[:300].rstrip('.')}.", way_out)

    def _wider(self, name: str, old: Column, new: Column) -> str:
        return f"to_jsonb({name})" if new.type == "json" else f"{name}::{self._type(new)}"
