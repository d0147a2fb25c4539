"""The sandbox's memory: the objects of one service in one SQLite database.

Each kind of object has its own table, ordered by creation. A body holds what is particular to the object; what every
object of the kind has in common is filled in by the service when it is read, so that a large world stays small. Fields that
lists filter by are named when the store is made and get an index each: a page of a filtered list costs the same in a world
of sixty customers and of a hundred thousand.

The store is used from several threads at once (services answer in worker threads); every method takes the database's lock.

The database is in memory, in a file that somebody keeps (`keeping`), or in an unnamed temporary file of SQLite, which is gone
when the program ends, however it ends.
"""

import json
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple
from weakref import finalize

import msgspec
from msgspec.json import Encoder

MEMORY, PASSING = ":memory:", ""
"""In memory; and in a file that nobody sees and that does not outlive the program."""

_CACHE = 32 * 1024
"""Kilobytes of a database on disk that are kept in memory."""


class Database:
    """A database. Safe to use from several threads, which take turns.

    Args:
        path: a file, which nobody else can use from the first statement on, `MEMORY` or `PASSING`.

    Attributes:
        lock: must be held while the connection is used.
        connection: commits every statement by itself, outside of `changes`.
    """

    def __init__(self, path: str = MEMORY) -> None:
        self.lock = threading.RLock()
        self.connection = sqlite3.connect(path, timeout=0, check_same_thread=False, isolation_level=None)
        # A sandbox in memory lasts as long as its application, which nobody closes.
        finalize(self, self.connection.close).atexit = False
        try:
            if path != MEMORY:
                # Set before the first read: otherwise SQLite would create a file for a journal shared between connections.
                self.connection.execute("PRAGMA locking_mode = EXCLUSIVE")
                self.connection.execute(f"PRAGMA cache_size = -{_CACHE}")
            self.connection.execute("PRAGMA synchronous = OFF")
            self.connection.create_function("fold", 1, fold, deterministic=True)
        except sqlite3.Error:
            self.connection.close()
            raise

    def close(self) -> None:
        """Close it; it cannot be used afterwards."""
        with self.lock:
            self.connection.close()

    def tables(self) -> list[str]:
        """The names of all tables."""
        with self.lock:
            return [name for (name,) in self.connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]

    @contextmanager
    def changes(self) -> Iterator[None]:
        """Everything inside happens at once or not at all."""
        with self.lock:
            if self.connection.in_transaction:
                yield
                return
            self.connection.execute("BEGIN")
            try:
                yield
            except BaseException:
                self.connection.execute("ROLLBACK")
                raise
            self.connection.execute("COMMIT")

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Lets an interrupt from the keyboard end a statement that takes long, and not only wait for its end."""
        with self.lock:
            self.connection.set_progress_handler(lambda: 0, 100_000)
            try:
                yield
            except sqlite3.OperationalError as error:
                # An exception in the handler reaches us as an interrupted statement.
                if "interrupted" in str(error):
                    raise KeyboardInterrupt from error
                raise
            finally:
                self.connection.set_progress_handler(None, 0)


def fold(text: Any) -> Any:
    """A text in one case and with normalized spaces, for comparing; other values are returned unchanged."""
    return " ".join(text.casefold().split()) if isinstance(text, str) else text


Body = dict[str, Any]
Rows = list[tuple[str, int, Body]]
Scalar = str | int | float | bool | None
Place = tuple[int, int]


class Other(NamedTuple):
    """In a condition: anything but this value; an absent or null field counts as something else."""

    value: Scalar


class OneOf(NamedTuple):
    """In a condition: one of these values."""

    values: tuple[Scalar, ...]


FieldCondition = Scalar | Other | OneOf
Where = Mapping[str, FieldCondition]


class StoredRow(msgspec.Struct, frozen=True):
    """One stored object: its id, creation time in Unix seconds, and the fields particular to it."""

    id: str
    created: int
    body: Body


class Store:
    """Objects by kind and id.

    Args:
        filters: for each kind, the dotted paths inside a body that lists filter by. Kinds that are not named hold objects
            as well; they are only not indexed.
        database: where they are kept; by default a new database in memory.
        space: what the names of this store's tables begin with, in a database that others share.
    """

    def __init__(self, filters: Mapping[str, Sequence[str]], database: Database | None = None, space: str = "") -> None:
        self._filters = filters
        self._keeper = database or Database()
        self._lock = self._keeper.lock
        self._database = self._keeper.connection
        self._space = space
        self._filled: list[str] | None = None
        with self._lock:
            self._database.execute(
                f'CREATE TABLE IF NOT EXISTS "{space}_numbers" (name TEXT PRIMARY KEY, number INTEGER NOT NULL)'
            )
        self._kinds = self._there()

    @contextmanager
    def changes(self) -> Iterator[None]:
        """Everything inside happens at once or not at all."""
        try:
            with self._keeper.changes():
                yield
        except BaseException:
            # Tables that were made inside are gone again.
            self._kinds = self._there()
            raise

    @contextmanager
    def filling(self, tell: Callable[[float], None]) -> Iterator[None]:
        """Add very many objects of kinds that are not stored yet, all or none of them.

        Nothing can be looked for inside. Indexes are made when everything is there, which takes a fraction of the time that
        keeping them in order would; `tell` is called with the part that is made, from 0 to 1.
        """
        filled: list[str] = []
        with self.changes():
            self._filled = filled
            try:
                yield
                rows = {kind: self.count(kind) for kind in filled}
                done = 0
                for kind in filled:
                    self._index(kind)
                    done += rows[kind]
                    tell(done / max(1, sum(rows.values())))
            finally:
                self._filled = None
            # Have SQLite analyse the distribution of values, so that it chooses the most selective index.
            self._database.execute("PRAGMA analysis_limit = 400")
            self._database.execute("ANALYZE")

    def add(self, kind: str, rows: Iterable[tuple[str, int, Body | str]]) -> None:
        """Store new objects of a kind: (id, creation time in Unix seconds, body or its JSON text). Ids must be new."""
        # Three times as fast as the standard library's, which is a fifth of making a world.
        encode = Encoder().encode
        with self.changes():
            new = kind not in self._kinds
            if new:
                self._database.execute(
                    f'CREATE TABLE "{self._space}{kind}" '
                    "(seq INTEGER PRIMARY KEY, id TEXT NOT NULL, created INTEGER NOT NULL, body TEXT NOT NULL)"
                )
                self._kinds.add(kind)
            self._database.executemany(
                f'INSERT INTO "{self._space}{kind}" (id, created, body) VALUES (?, ?, ?)',
                ((id_, made, body if isinstance(body, str) else encode(body).decode()) for id_, made, body in rows),
            )
            # Indexes of what is there already take a fraction of the time that keeping them in order would.
            if new and self._filled is not None:
                self._filled.append(kind)
            elif new:
                self._index(kind)

    def next(self, name: str) -> int:
        """The next whole number of a sequence, from 1 on; none is returned twice."""
        with self.changes():
            self._database.execute(
                f'INSERT INTO "{self._space}_numbers" VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET number = number + 1',
                (name,),
            )
            (number,) = self._database.execute(f'SELECT number FROM "{self._space}_numbers" WHERE name = ?', (name,)).fetchone()
        return int(number)

    def get(self, kind: str, id_: str) -> StoredRow | None:
        """The object of that kind and id, or None."""
        found = self._select(kind, _ROW, "id = ?", [id_])
        return _row(found[0]) if found else None

    def replace(self, kind: str, id_: str, body: Body) -> None:
        """Give an object a new body. Its place in lists stays."""
        with self._lock:
            text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
            self._database.execute(f'UPDATE "{self._space}{kind}" SET body = ? WHERE id = ?', (text, id_))

    def remove(self, kind: str, id_: str) -> bool:
        """Take an object away; False when it was not there."""
        with self._lock:
            if kind not in self._kinds:
                return False
            return self._database.execute(f'DELETE FROM "{self._space}{kind}" WHERE id = ?', (id_,)).rowcount > 0

    def every(self, kind: str, where: Where | None = None, *, oldest_first: bool = False) -> list[StoredRow]:
        """All objects of a kind that match, newest first unless asked otherwise."""
        condition, values = _condition(where)
        return [_row(one) for one in self._select(kind, _ROW, f"{condition} {_order(oldest_first)}", values)]

    def slice(
        self,
        kind: str,
        where: Where | None = None,
        *,
        limit: int,
        after: str | None = None,
        before: str | None = None,
        oldest_first: bool = False,
    ) -> tuple[list[StoredRow], bool] | None:
        """One page of the objects that match, and whether the list goes on in the direction that was asked for.

        Args:
            kind: which objects.
            where: dotted path inside the body → the value it must have (None: absent or null), an `Other` or a `OneOf`.
            limit: the most objects to return.
            after: the page starts just after this object's place.
            before: the page ends just before this object's place (in the same order).
            oldest_first: the list runs from the oldest to the newest.

        Returns:
            None when `after` or `before` names no object of this kind that matches.
        """
        condition, values = _condition(where)
        upwards = oldest_first != (before is not None)
        cursor = after if before is None else before
        with self._lock:
            if cursor is not None:
                place = self._select(kind, "created, seq", f"id = ? AND {condition}", [cursor, *values])
                if not place:
                    return None
                condition += f" AND (created, seq) {'>' if upwards else '<'} (?, ?)"
                values += place[0]
            found = self._select(kind, _ROW, f"{condition} {_order(upwards)} LIMIT ?", [*values, limit + 1])
        rows = [_row(one) for one in found[:limit]]
        return rows if before is None else rows[::-1], len(found) > limit

    def find(
        self, kind: str, condition: str, values: Sequence[Any], *, limit: int, after: Place | None = None, offset: int = 0
    ) -> tuple[list[StoredRow], Place | None]:
        """The newest objects that meet a condition, and the place of the last one if there are more after it.

        Args:
            kind: which objects.
            condition: SQL over `id`, `created` and `body`, in the program's own words, with ``?`` for each value. `fold`
                makes texts that differ in case or spacing only the same.
            values: the values for the ``?`` of the condition, in order.
            limit: the most objects to return.
            after: where the search continues, from an earlier result.
            offset: how many matching objects to pass over first, without reading them.
        """
        older = " AND (created, seq) < (?, ?)" if after else ""
        page = f"({condition}){older} {_order(False)} LIMIT ? OFFSET ?"
        found = self._select(kind, f"{_ROW}, seq", page, [*values, *(after or ()), limit + 1, offset])
        last = found[limit - 1] if len(found) > limit else None
        return [_row(one) for one in found[:limit]], (last[1], last[3]) if last else None

    def count(self, kind: str, condition: str = "1", values: Sequence[Any] = ()) -> int:
        """How many objects of a kind meet a condition as `find` takes it."""
        return sum(number for (number,) in self._select(kind, "count(*)", condition, values))

    def _select(self, kind: str, what: str, condition: str, values: Sequence[Any]) -> list[Any]:
        """Rows of a kind; none for a kind of which nothing was stored."""
        with self._lock:
            if kind not in self._kinds:
                return []
            return self._database.execute(f'SELECT {what} FROM "{self._space}{kind}" WHERE {condition}', values).fetchall()

    def _there(self) -> set[str]:
        return {name.removeprefix(self._space) for name in self._keeper.tables() if name.startswith(self._space)}

    def _index(self, kind: str) -> None:
        table = f"{self._space}{kind}"
        self._database.execute(f'CREATE UNIQUE INDEX "{table} by id" ON "{table}" (id)')
        self._database.execute(f'CREATE INDEX "{table} by time" ON "{table}" (created, seq)')
        for path in self._filters.get(kind, ()):
            self._database.execute(f'CREATE INDEX "{table} by {path}" ON "{table}" ({_field(path)}, created, seq)')


_ROW = "id, created, body"


def _row(found: Sequence[Any]) -> StoredRow:
    return StoredRow(found[0], found[1], json.loads(found[2]))


def _order(oldest_first: bool) -> str:
    return "ORDER BY created, seq" if oldest_first else "ORDER BY created DESC, seq DESC"


def _field(path: str) -> str:
    """A body's field as SQL. Paths come from the services' own tables, never from a request."""
    if not path.replace(".", "").replace("_", "").isalnum():
        raise ValueError(f"not a field path: {path!r}")
    return f"json_extract(body, '$.{path}')"


def _condition(where: Where | None) -> tuple[str, list[Any]]:
    parts: list[str] = ["1"]
    values: list[Any] = []
    for path, value in (where or {}).items():
        match value:
            case None:
                parts.append(f"{_field(path)} IS NULL")
            case OneOf():
                parts.append(f"{_field(path)} IN ({', '.join('?' * len(value.values))})")
                values += value.values
            case Other():
                parts.append(f"{_field(path)} IS NOT ?")
                values.append(value.value)
            case _:
                parts.append(f"{_field(path)} = ?")
                values.append(value)
    return " AND ".join(parts), values
