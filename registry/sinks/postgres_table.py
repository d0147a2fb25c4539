"""A table in PostgreSQL. A batch, its columns and the record are one transaction; rows come by COPY into a temporary table."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

from registry.connections.secrets import MASK
from registry.display.safe_text import visible_line
from registry.sinks import sql
from registry.sinks.address import PostgresTable, TableName, quoted
from registry.sinks.columns import KEY, NULLS, PASS, Batch, Column, Growth, json_text
from registry.sinks.failure import NotStored, missing
from registry.sinks.kinds import Kind
from registry.sinks.sink import SyncRun, Written

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


class PostgresSink:
    """See `registry.sinks.sink.Sink`."""

    most_items, most_pages, replaces = 2_000, 20, True
    patience = 5
    """Seconds to wait for a table to which another run writes."""

    def __init__(self, address: PostgresTable) -> None:
        try:
            import psycopg
        except ImportError:
            raise missing("postgres", "psycopg", "PostgreSQL") from None
        self.shown = address.shown
        self._psycopg = psycopg
        self._address = address
        self._connection: psycopg.Connection[tuple[Any, ...]] | None = None
        self._table = address.table
        self._there = self._has_batch = False

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
            )
        except (self._psycopg.Error, ValueError) as error:
            raise self._failed(error, "Check the address, and that the password is in PGPASSWORD or ~/.pgpass.") from None
        schema = self._table.schema or self._rows("SELECT current_schema()")[0][0]
        if schema is None or not self._rows("SELECT 1 FROM pg_namespace WHERE nspname = %s", [schema]):
            name = visible_line(str(schema)) if schema is not None else "public"
            raise NotStored(f"{self.shown}: there is no schema {name}.", "Create it, or name another one: #SCHEMA.TABLE.")
        self._table = TableName(self._table.name, schema)
        self._lock()
        for name, columns in ((sql.SYNCS, sql.RECORDS), (sql.RUNS, sql.RUN_COLUMNS.format(time="timestamptz"))):
            if not self._rows("SELECT to_regclass(%s)", [f"{quoted(schema)}.{name}"])[0][0]:
                self._run(f"CREATE TABLE IF NOT EXISTS {quoted(schema)}.{name} {columns}")
        self._there = self._rows("SELECT to_regclass(%s)", [self._table.quoted])[0][0] is not None
        kept = self._rows(f"SELECT record FROM {self._own(sql.SYNCS)} WHERE target = %s", [self._table.name])
        if self._there and not kept:
            raise sql.foreign(self.shown)
        return str(kept[0][0]) if kept and self._there else None

    def _lock(self) -> None:
        """See that nobody else writes to the table, for as long as the connection is open."""
        # A server needs a moment to see that a program before this one is gone.
        assert self._connection is not None
        self._run(f"SET lock_timeout = '{self.patience}s'")
        try:
            self._connection.execute("SELECT pg_advisory_lock(hashtextextended(%s, 0))", [f"callboard {self._table.quoted}"])
        except self._psycopg.errors.LockNotAvailable:
            raise NotStored(f"{self.shown}: another run writes to this table.", "Wait until it has ended.") from None
        self._run("SET lock_timeout = DEFAULT")

    def write(
        self, batch: Batch, growth: Growth, columns: Sequence[Column], record: str, *, part: int, last: bool = False
    ) -> Written:
        """See `Sink.write`."""
        with self._step():
            self._grow(growth, columns)
            written = self._upsert(batch, columns) if len(batch) else Written()
            if last:
                self._run(
                    f"DELETE FROM {self._escaped} WHERE {quoted(KEY)} LIKE '#%%' AND {quoted(KEY)} NOT LIKE '##%%' "
                    f"AND {quoted(PASS)} < %s",
                    [batch.number],
                )
            self._run(
                f"INSERT INTO {self._own(sql.SYNCS)} VALUES (%s, %s) "
                "ON CONFLICT (target) DO UPDATE SET record = excluded.record",
                [self._table.name, record],
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
            self._run(f"DELETE FROM {self._own(sql.SYNCS)} WHERE target = %s", [self._table.name])
        self._there = self._has_batch = False

    def note(self, run: SyncRun) -> None:
        """See `Sink.note`."""
        values = list(run.values.values())
        self._run(f"INSERT INTO {self._own(sql.RUNS)} VALUES ({', '.join(['%s'] * len(values))})", values)

    @property
    def _escaped(self) -> str:
        """The table's name in a statement with values."""
        return self._table.quoted.replace("%", "%%")

    def _own(self, name: str) -> str:
        """A table of Callboard's beside the target, in a statement with values."""
        return f"{quoted(self._table.schema or '').replace('%', '%%')}.{name}"

    def _grow(self, growth: Growth, columns: Sequence[Column]) -> None:
        table = self._table.quoted
        changed = False
        if not self._there:
            self._run(f"CREATE TABLE {table} ({sql.definitions(columns, TYPES, 'PRIMARY KEY')})")
            changed = True
        else:
            for column in growth.added:
                self._run(f"ALTER TABLE {table} ADD COLUMN {quoted(column.name)} {TYPES[column.kind]}")
                changed = True
            for old, new in growth.widened:
                if TYPES[old.kind] != TYPES[new.kind]:
                    how = f"TYPE {TYPES[new.kind]} USING {_wider(quoted(old.name), old.kind, new.kind)}"
                    self._run(f"ALTER TABLE {table} ALTER COLUMN {quoted(old.name)} {how}")
                    changed = True
        if changed or not self._has_batch:
            self._run(f"DROP TABLE IF EXISTS {_BATCH}")
            self._run(f"CREATE TEMPORARY TABLE callboard_batch (LIKE {table}) ON COMMIT DELETE ROWS")

    def _upsert(self, batch: Batch, columns: Sequence[Column]) -> Written:
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

    def _rows(self, statement: str, values: Sequence[object] | None = None) -> list[tuple[Any, ...]]:
        assert self._connection is not None
        try:
            return self._connection.execute(statement.encode(), values).fetchall()
        except self._psycopg.Error as error:
            raise self._failed(error) from None

    def _run(self, statement: str, values: Sequence[object] | None = None) -> None:
        assert self._connection is not None
        try:
            self._connection.execute(statement.encode(), values)
        except self._psycopg.Error as error:
            raise self._failed(error) from None

    def _failed(
        self, error: Exception, way_out: str = "Check the database and your rights in it, then run it again."
    ) -> NotStored:
        """The server's words, without values of rows and without the password."""
        text = str(error).strip().split("\n")[0]
        for secret in reversed(self._address.secrets):
            text = text.replace(secret, MASK)
        return NotStored(f"{self.shown}: {visible_line(text)[:300].rstrip('.')}.", way_out)


def _taken_over(columns: Sequence[Column]) -> str:
    """What an existing row takes over: every column, also those that the item does not have."""
    return ", ".join(f"{name} = excluded.{name}" for name in (quoted(one) for one in (PASS, NULLS, *(c.name for c in columns))))


def _wider(name: str, old: Kind, new: Kind) -> str:
    """The value of a column in a wider type, exactly. A double is cast by its digits: a cast to numeric keeps 15 of them."""
    if old == "none":
        return f"NULL::{TYPES[new]}"
    if new == "json":
        return f"to_jsonb({name})"
    return f"{name}::text::{TYPES[new]}" if old == "double" else f"{name}::{TYPES[new]}"
