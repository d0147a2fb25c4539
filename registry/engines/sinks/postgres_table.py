"""A table in PostgreSQL. Rows come by COPY into a temporary table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

from registry.accounts.secrets import MASK
from registry.engines.sinks import sql
from registry.engines.sinks.address import PostgresTable, TableName, quoted
from registry.engines.sinks.columns import KEY, NULLS, PASS, Batch, Column, Growth, json_text
from registry.engines.sinks.failure import NotStored, missing
from registry.engines.sinks.kinds import Kind
from registry.engines.sinks.sink import RUNS, Written
from registry.text.safe_text import visible_line

if TYPE_CHECKING:
    import psycopg

TYPES: Mapping[Kind, str] = {
    "none": "text",
    "bool": "boolean",
    "int53": "bigint",
    "int64": "bigint",
    "int38": "numeric",
    "double": "double precision",
    "number": "numeric",
    "text": "text",
    "json": "jsonb",
}
_BATCH = "pg_temp.callboard_batch"
_SECONDS = 10


class PostgresSink(sql.TableSink):
    """See `registry.engines.sinks.sink.Sink`."""

    most_items, most_pages = 2_000, 20
    types, key = TYPES, "PRIMARY KEY"
    patience = 5
    """Seconds to wait for a table to which another run writes."""

    def __init__(self, address: PostgresTable) -> None:
        try:
            import psycopg
        except ImportError:
            raise missing("postgres", "psycopg", "PostgreSQL") from None
        super().__init__(address.shown, address.table, address.table.name)
        self._psycopg = psycopg
        self._error = psycopg.Error
        self._address = address
        self._connection: psycopg.Connection[tuple[Any, ...]] | None = None
        self._has_batch = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def open(self) -> str | None:
        """See `Sink.open`."""
        try:
            self._connection = self._psycopg.connect(
                self._address.location,
                autocommit=True,
                connect_timeout=_SECONDS,
                application_name="callboard",
                client_encoding="utf8",
                cursor_factory=self._psycopg.RawCursor,
            )
        except (self._psycopg.Error, ValueError) as error:
            raise self._failed(error, "Check the address, and that the password is in PGPASSWORD or ~/.pgpass.") from None
        schema = self._table.schema or self._rows("SELECT current_schema()")[0][0]
        if schema is None or not self._rows("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema]):
            name = visible_line(str(schema)) if schema is not None else "public"
            raise NotStored(f"{self.shown}: there is no schema {name}.", "Create it, or name another one: #SCHEMA.TABLE.")
        self._table = TableName(self._table.name, schema)
        self._lock()
        for name, columns in ((sql.SYNCS, sql.RECORDS), (RUNS, sql.RUN_COLUMNS.format(time="timestamptz"))):
            if not self._is_there(self._own(name)):
                self._run(f"CREATE TABLE IF NOT EXISTS {self._own(name)} {columns}")
        return self._known(there=self._is_there(self._table.quoted))

    def _is_there(self, name: str) -> bool:
        return self._rows("SELECT to_regclass($1)", [name])[0][0] is not None

    def _lock(self) -> None:
        """Make sure that no other program writes to the table while the connection is open."""
        # A server needs a moment to notice that an earlier program has ended.
        assert self._connection is not None
        self._run(f"SET lock_timeout = '{self.patience}s'")
        try:
            self._connection.execute("SELECT pg_advisory_lock(hashtextextended($1, 0))", [f"callboard {self._table.quoted}"])
        except self._psycopg.errors.LockNotAvailable:
            raise NotStored(f"{self.shown}: another run writes to this table.", "Wait until it has ended.") from None
        self._run("SET lock_timeout = DEFAULT")

    def _grow(self, growth: Growth, columns: Sequence[Column]) -> bool:
        changed = super()._grow(growth, columns)
        if changed or not self._has_batch:
            self._run(f"DROP TABLE IF EXISTS {_BATCH}")
            self._run(f"CREATE TEMPORARY TABLE callboard_batch (LIKE {self._table.quoted}) ON COMMIT DELETE ROWS")
        return changed

    def _put(self, batch: Batch, columns: Sequence[Column]) -> Written:
        assert self._connection is not None
        named = ", ".join(sql.names(batch))
        number = str(batch.number)
        nulls = [None if one is None else json_text(one.encode(), strict=True) for one in batch.nulls]
        values = [
            nulls,
            *(sql.texts(column, raw, strict=True) for column, raw in zip(batch.columns, batch.values, strict=True)),
        ]
        try:
            copying = f"COPY {_BATCH} ({named}) FROM STDIN".encode()
            with self._connection.cursor() as cursor, cursor.copy(copying) as copy:
                for key, *row in zip(batch.keys, *values, strict=True):
                    copy.write_row((key, number, *row))
        except self._psycopg.Error as error:
            raise self._failed(error) from None
        found = self._rows(
            f"WITH written AS (INSERT INTO {self._table.quoted} ({named}) SELECT {named} FROM {_BATCH} "
            f"ON CONFLICT ({quoted(KEY)}) DO UPDATE SET {_taken_over(columns)} RETURNING (xmax = 0) AS fresh) "
            "SELECT count(*) FILTER (WHERE fresh), count(*) FILTER (WHERE NOT fresh) FROM written"
        )[0]
        return Written(int(found[0]), int(found[1]))

    @contextmanager
    def _step(self) -> Iterator[None]:
        assert self._connection is not None
        try:
            with self._connection.transaction():
                yield
        except self._psycopg.Error as error:
            raise self._failed(error) from None
        self._has_batch = True

    def _execute(self, statement: str, values: Sequence[object] | None) -> Any:
        assert self._connection is not None
        return self._connection.execute(statement.encode(), values)

    def _failed(
        self, error: Exception, way_out: str = "Check the database and your rights in it, then run it again."
    ) -> NotStored:
        text = str(error).strip().split("\n")[0]
        for secret in reversed(self._address.secrets):
            text = text.replace(secret, MASK)
        return NotStored(f"{self.shown}: {visible_line(text)[:300].rstrip('.')}.", way_out)

    def _wider(self, name: str, old: Kind, new: Kind) -> str:
        if old == "none":
            return f"NULL::{TYPES[new]}"
        if new == "json":
            return f"to_jsonb({name})"
        # A cast of a double to numeric keeps 15 digits; its text has all of them.
        return f"{name}::text::{TYPES[new]}" if old == "double" else f"{name}::{TYPES[new]}"


def _taken_over(columns: Sequence[Column]) -> str:
    """The columns that an existing row takes from the new one: all, also those that the item does not have."""
    return ", ".join(f"{name} = excluded.{name}" for name in (quoted(one) for one in (PASS, NULLS, *(c.name for c in columns))))
