"""Tables of named sources, and queries on them: DuckDB in memory, without external access.

Memory is limited (1 GB); what a query needs beyond that is in a private folder, removed with the database. Once a query
runs, the database reads only the files that were added, loads no extension, and its settings cannot be changed.
"""

from __future__ import annotations

import atexit
import gc
import json
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from registry.calling.sensitive import mask
from registry.engines.sql.language import first_word, quoted, string
from registry.engines.sql.problem import SqlCancelled, SqlProblem, problem_of
from registry.engines.sql.rows import ResultColumn, row_writer, selected
from registry.engines.sql.spill import SpillFolder
from registry.engines.sql.typed_columns import Items, TypedColumns, columns_of

if TYPE_CHECKING:
    import duckdb

_SETTINGS = {
    "memory_limit": "1GB",
    "allow_community_extensions": False,
    "allow_persistent_secrets": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "enable_external_file_cache": False,
    "errors_as_json": True,
    "pandas_analyze_sample": 0,
    "python_enable_replacements": False,
}
MASKED = "callboard_masked"
"""An SQL function that returns JSON text with secrets masked; it exists only if secrets are masked."""

INTERRUPTED_EVERY = 0.05
"""Seconds after which a running query is interrupted again: an interruption between two statements has no effect."""

_ROWS_AT_A_TIME, _CHECKED_EVERY = 2_000, 500


@dataclass(frozen=True, slots=True)
class AddedTable:
    """A table that was added: its name, its columns with their types, and the number of its rows."""

    name: str
    columns: Sequence[tuple[str, str]]
    count: int


@dataclass(frozen=True, slots=True)
class QueryRows:
    """A query's result: its columns, and its rows one by one, as JSON objects. Rows are read when they are requested."""

    columns: Sequence[ResultColumn]
    rows: Iterator[bytes]


class Database:
    """One database. Its methods block: in a program with a screen, call them in a thread. Must be closed.

    Args:
        masked: redact secrets, before any query sees them.

    Raises:
        SqlProblem: DuckDB is not installed.
    """

    def __init__(self, *, masked: bool = True) -> None:
        library = _library()
        self.masked = masked
        self._error: type[Exception] = library.Error
        self._interrupted = library.InterruptException
        self._select = library.StatementType.SELECT
        self._cancelled = threading.Event()
        self._locked = False
        self.busy = threading.Lock()
        """Held by the thread that uses the database; see `registry.engines.sql.waiting`."""
        self._files: list[str] = []
        self._spill = SpillFolder()
        try:
            self.connection: duckdb.DuckDBPyConnection = library.connect(
                ":memory:", config={**_SETTINGS, "temp_directory": str(self._spill.path)}
            )
            if masked:
                self.connection.create_function(MASKED, lambda text: mask(text.encode())[0].decode(), ["VARCHAR"], "VARCHAR")
        except BaseException:
            self._spill.remove()
            raise

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database; a query in another thread is interrupted first."""
        while not self.busy.acquire(timeout=INTERRUPTED_EVERY):
            self.interrupt()
        try:
            self.connection.close()
            self._spill.remove()
        finally:
            self.busy.release()

    def temporary_file(self) -> IO[bytes]:
        """A private temporary file, removed when it is closed."""
        return tempfile.TemporaryFile(dir=self._spill.path)

    def remove_files(self) -> None:
        """Remove the temporary files if the database cannot be closed, because a running query cannot be interrupted."""
        self._spill.remove()

    def interrupt(self) -> None:
        """Interrupt the running query, from another thread: it raises `SqlCancelled`, and so does every call until `again`."""
        self._cancelled.set()
        self.connection.interrupt()

    def again(self) -> None:
        """Accept queries again after `interrupt`."""
        self._cancelled.clear()

    # Sources

    def add_items(self, name: Sequence[str], items: Items, types: Mapping[str, str] | None = None) -> AddedTable:
        """Make a table of items.

        Args:
            name: its name, or its schema and its name.
            items: the items, one JSON text each.
            types: known types of columns, by name; these columns exist even without items, and come first.

        Raises:
            SqlProblem: an item is not JSON.
            SqlCancelled: it was interrupted.
        """
        source = ".".join(name)

        def texts(*, masked: bool) -> Iterable[bytes]:
            for place, item in enumerate(items()):
                if place % _CHECKED_EVERY == 0 and self._cancelled.is_set():
                    raise SqlCancelled
                yield mask(item)[0] if masked else item

        found = columns_of(texts(masked=False), source)  # unmasked: a mask would change a column's type to text
        columns = found.of_types(types) if types else found.columns
        self._schema(name)
        self.run_own(f"CREATE TABLE {full_name(name)} ({', '.join(f'{quoted(one.name)} {one.type}' for one in columns)})")
        casts = ", ".join(f"CAST(c{place} AS {one.type})" for place, one in enumerate(columns))
        going = TypedColumns(columns, found.count).rows(texts(masked=self.masked))
        while some := list(islice(going, _ROWS_AT_A_TIME)):
            arrays = {f"c{place}": np.array(values, dtype=object) for place, values in enumerate(zip(*some, strict=True))}
            self.connection.register("_loaded", arrays)
            self.run_own(f"INSERT INTO {full_name(name)} SELECT {casts} FROM _loaded", source)
            self.connection.unregister("_loaded")
        return AddedTable(source, [(one.name, one.type) for one in columns], found.count)

    def add_view(self, name: Sequence[str], select: str, files: Iterable[Path] = ()) -> AddedTable:
        """Make a view of files that are not loaded.

        Args:
            name: its name, or its schema and its name.
            select: its statement.
            files: the files that it reads.

        Raises:
            SqlProblem: a file cannot be read.
        """
        source = ".".join(name)
        self._files += [str(file) for file in files]
        self._schema(name)
        self.run_own(f"CREATE VIEW {full_name(name)} AS {select}", source)
        return self.described(name)

    def make_table(self, name: Sequence[str], select: str) -> None:
        """Make a table from one of the program's own statements.

        Raises:
            SqlProblem: a source cannot be read.
        """
        self._schema(name)
        self.run_own(f"CREATE TABLE {full_name(name)} AS {select}", ".".join(name))

    def described(self, name: Sequence[str]) -> AddedTable:
        """An existing table: its columns, and the number of its rows."""
        source = ".".join(name)
        columns = [(str(row[0]), str(row[1])) for row in self.run_own(f"DESCRIBE {full_name(name)}", source).fetchall()]
        (count,) = self.run_own(f"SELECT count(*) FROM {full_name(name)}", source).fetchone() or (0,)
        return AddedTable(source, columns, int(count))

    def run_own(self, statement: str, source: str = "") -> duckdb.DuckDBPyConnection:
        """Run one of the program's own statements.

        Raises:
            SqlProblem: DuckDB cannot read the source.
            SqlCancelled: it was interrupted.
        """
        try:
            return self.connection.execute(statement)
        except self._interrupted:
            raise SqlCancelled from None
        except self._error as error:
            if not source:
                raise
            raise SqlProblem(f"{source}: {problem_of(error, '').words}", kind="source") from None

    def _schema(self, name: Sequence[str]) -> None:
        if len(name) > 1:
            self.run_own(f"CREATE SCHEMA IF NOT EXISTS {quoted(name[0])}")

    # Queries

    def tables_in(self, query: str) -> list[tuple[str, ...]]:
        """The tables that a query names, each with its schema, if any, and its name.

        Raises:
            SqlProblem: it is not SQL, or not a single query.
        """
        text = self._one_query(query)
        try:
            (tree,) = self.connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [text]).fetchone() or ("",)
            return _tables_in(json.loads(tree))
        except self._error as error:
            raise problem_of(error, query) from None
        except RecursionError:
            raise SqlProblem("the query is nested too deeply") from None

    def lock(self) -> None:
        """From now on allow only the added sources. `query` also does this."""
        if not self._locked:
            self._locked = True
            self.connection.execute(f"SET allowed_paths = [{', '.join(map(string, self._files))}]")
            self.connection.execute("SET enable_external_access = false")
            self.connection.execute("SET lock_configuration = true")

    def query(self, query: str) -> QueryRows:
        """Run a query; its rows are read on request, and only until the next query.

        Raises:
            SqlProblem: the query is wrong; raised here or while reading rows.
            SqlCancelled: it was interrupted, here or while reading rows.
        """
        self.lock()
        text = self._one_query(query)
        start = "SELECT * FROM (\n"
        try:
            if self._cancelled.is_set():
                raise SqlCancelled
            found = self.connection.execute(f"{start}{text}\n) LIMIT 0").description or []
            columns, start = selected([(str(one[0]), str(one[1])) for one in found])
            names = ", ".join(f"c{place}" for place in range(len(columns)))
            self.connection.execute(f"{start}{text}\n) AS result({names})")
        except self._interrupted:
            raise SqlCancelled from None
        except self._error as error:
            raise problem_of(error, query, self._before(start, query, text)) from None
        return QueryRows(columns, self._rows(columns, query, self._before(start, query, text)))

    def _rows(self, columns: Sequence[ResultColumn], query: str, before: int) -> Iterator[bytes]:
        write = row_writer(columns)
        while True:
            try:
                some = self.connection.fetchmany(_ROWS_AT_A_TIME)
            except self._interrupted:
                raise SqlCancelled from None
            except self._error as error:
                raise problem_of(error, query, before) from None
            if self._cancelled.is_set():
                raise SqlCancelled
            if not some:
                return
            yield from map(write, some)

    def _one_query(self, query: str) -> str:
        """The text of the only statement.

        Raises:
            SqlProblem: there is no statement, there are several, or it is not a query.
        """
        try:
            query.encode()
            found = self.connection.extract_statements(query)
        except UnicodeEncodeError as error:
            raise SqlProblem("half of a character, which no query can hold", position=error.start) from None
        except self._error as error:
            raise problem_of(error, query) from None
        if not found:
            raise SqlProblem("the query is empty", "type one, such as select count(*) from history")
        if len(found) > 1:
            place = len(found[0].query)
            raise SqlProblem("one query at a time: there is more after the semicolon", position=min(place, len(query)))
        if found[0].type != self._select:
            # DuckDB often names another statement: LOAD for install, CALL for checkpoint.
            kind, (word, place) = str(found[0].type.name), first_word(query)
            what = word.upper() if word and kind not in query.upper().split() else kind.replace("_", " ")
            raise SqlProblem(f"{what} is not allowed: a query only reads", "begin it with select, with or from", position=place)
        return str(found[0].query).rstrip().rstrip(";")

    @staticmethod
    def _before(start: str, query: str, text: str) -> int:
        """The number of bytes put before the query, minus those removed from its start."""
        return len(start.encode()) - len(query[: max(query.find(text), 0)].encode("utf-8", "replace"))


def full_name(name: Sequence[str]) -> str:
    """A name with its schema, quoted for SQL."""
    return ".".join(map(quoted, name))


def _tables_in(tree: object) -> list[tuple[str, ...]]:
    """The tables in the tree of a query, without those that the query itself defines."""
    found: set[tuple[str, ...]] = set()
    defined: set[str] = set()
    waiting = [tree]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            if one.get("type") == "BASE_TABLE":
                names = (one.get("catalog_name"), one.get("schema_name"), one.get("table_name"))
                found.add(tuple(name for name in names if name))
            if isinstance(own := one.get("cte_map"), dict):
                defined |= {str(entry.get("key")).casefold() for entry in own.get("map", ())}
        waiting += one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
    return sorted(name for name in found if len(name) > 1 or name[0].casefold() not in defined)


def needs_library() -> None:
    """Check that DuckDB is installed, without importing it.

    Raises:
        SqlProblem: it is not installed.
    """
    if find_spec("duckdb") is None:
        raise _without_library()


def _library() -> Any:
    try:
        import duckdb
    except ImportError:  # not installed, or built for another Python
        raise _without_library() from None

    # Objects frozen for the garbage collector (`registry.results.jmespath_query` does that) would remain at exit, and
    # DuckDB's bindings would print a list of it.
    atexit.unregister(gc.unfreeze)
    atexit.register(gc.unfreeze)
    return duckdb


def _without_library() -> SqlProblem:
    from registry.files.extras import how_to_install

    return SqlProblem("SQL needs DuckDB, which is not installed", f"install {how_to_install('sql')}", kind="library")
