"""Tables of named sources, and queries on them: DuckDB in memory, without external access.

Memory is limited (1 GB); what a query needs beyond that is in a temporary folder, removed with the database. Once a query
runs, the database reads only the files that were added, loads no extension, and its settings cannot be changed.
"""

import asyncio
import json
import re
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, NamedTuple, TypeVar
from weakref import finalize

from msgspec import Struct

from registry.calling.receiving import mask
from registry.engines.columns import DUCKDB_TYPES, Columns, free_name, type_in
from registry.engines.problems import NotStored, SqlProblem, first_word, needs, problem_of, quoted, string
from registry.files.threads import in_daemon
from registry.results.arrow import library
from registry.results.spool import Cancelled

Value = TypeVar("Value")

_SETTINGS: Mapping[str, Any] = {
    "memory_limit": "1GB",
    "allow_community_extensions": False,
    "allow_persistent_secrets": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "enable_external_file_cache": False,
    "errors_as_json": True,
    "python_enable_replacements": False,
}
MASKED = "callboard_masked"
"""An SQL function that returns JSON text with secrets masked; it exists only if secrets are masked."""

_NUMBER = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL.*")
NESTED = ("STRUCT", "MAP", "UNION")
# In JSON of lists and structs DuckDB writes these as numbers.
_NO_NUMBERS = re.compile(r'"(?:[^"\\]|\\.)*"|(-?(?:NaN|Infinity))')
_ROWS_AT_A_TIME = 2_000
_INTERRUPTED_EVERY, _PATIENCE = 0.05, 1.0
"""Seconds after which a running query is interrupted again, and after which nobody waits for it any longer: DuckDB looks for
interruptions between values, not within one."""


class AddedTable(Struct, frozen=True):
    """A table that was added: its name, its columns with their types, and the number of its rows."""

    name: str
    columns: Sequence[tuple[str, str]]
    count: int


class ResultColumn(NamedTuple):
    """A column of a result: its unique name, and whether its values are numbers."""

    name: str
    is_number: bool


class QueryRows(NamedTuple):
    """A query's result: its columns, and its rows one by one, as JSON objects. Rows are read when they are requested."""

    columns: Sequence[ResultColumn]
    rows: Iterator[bytes]


class Database:
    """One database. Its methods block: for an event loop there is `in_thread`. Must be closed.

    If it is `masked`, no query sees secrets.

    Raises:
        SqlProblem: DuckDB is not installed.
    """

    def __init__(self, *, masked: bool = True) -> None:
        try:
            needs("SQL", "duckdb", "numpy", "pyarrow")
        except NotStored as error:
            raise SqlProblem(
                error.cause.rstrip("."), error.next_step[:1].lower() + error.next_step[1:], kind="library"
            ) from None
        import duckdb

        self.masked = masked
        self._error, self._interrupted = duckdb.Error, duckdb.InterruptException
        self._select = duckdb.StatementType.SELECT
        self._cancelled = threading.Event()
        self._locked = False
        self.is_lost = False
        """Whether a cancelled query goes on, so that nothing else can be asked."""
        self._files: list[str] = []
        spill = mkdtemp(prefix="callboard-sql-")
        self._remove_spill = finalize(self, shutil.rmtree, spill, ignore_errors=True)
        self._connection = duckdb.connect(":memory:", config={**_SETTINGS, "temp_directory": spill})
        if masked:
            self._connection.create_function(MASKED, lambda text: mask(text.encode())[0].decode(), ["VARCHAR"], "VARCHAR")

    def __enter__(self) -> "Database":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database; nothing may use it any longer."""
        self._connection.close()
        self._remove_spill()

    async def in_thread(self, work: Callable[[], Value]) -> Value:
        """The result of some work on this database, in a thread. One at a time.

        A cancellation interrupts the work and waits for its end; work that does not end within a second is left alone, and the
        database must not be used again.

        Raises:
            SqlProblem, Cancelled: as raised by the work.
        """
        self._cancelled.clear()
        done = in_daemon(work, "query")
        done.add_done_callback(lambda future: future.cancelled() or future.exception())  # it is expected after a cancellation
        try:
            return await asyncio.shield(done)
        except asyncio.CancelledError:
            self._cancelled.set()
            self.is_lost = True
            for _ in range(int(_PATIENCE / _INTERRUPTED_EVERY)):
                self._connection.interrupt()  # between two statements an interruption has no effect
                if (await asyncio.wait({done}, timeout=_INTERRUPTED_EVERY))[0]:
                    self.is_lost = False
                    break
            raise

    # Sources

    def add_items(
        self, name: Sequence[str], items: Callable[[], Iterable[bytes]], types: Mapping[str, str] | None = None
    ) -> AddedTable:
        """Make a table of items, JSON texts that are read twice. Columns with known types come first, also without items.

        Raises:
            SqlProblem: an item is not JSON.
            Cancelled: it was interrupted.
        """
        source, known = ".".join(name), dict(types or {})
        columns = Columns(((one, one, "null") for one in known), reserved=())
        count = sum(len(rows) for rows in self._rows_of(columns, items(), source))
        if not columns.all:
            columns = Columns([("value", "value", "null")])
        named = {one.name: known.get(one.name) or type_in(DUCKDB_TYPES, one.type) for one in columns.all}
        self._schema(name)
        declared = ", ".join(f"{quoted(one)} {type_}" for one, type_ in named.items())
        self.run_own(f"CREATE OR REPLACE TABLE {full_name(name)} ({declared})")
        casts = ", ".join(f"CAST(c{place} AS {type_})" for place, type_ in enumerate(named.values()))
        for rows in self._rows_of(columns, items(), source):
            arrays = columns.values(rows)
            self._connection.register(
                "_loaded", library().Table.from_arrays(arrays, [f"c{place}" for place in range(len(arrays))])
            )
            self.run_own(f"INSERT INTO {full_name(name)} SELECT {casts} FROM _loaded", source)
            self._connection.unregister("_loaded")
        return AddedTable(source, list(named.items()), count)

    def _rows_of(self, columns: Columns, items: Iterable[bytes], source: str) -> Iterator[list[Mapping[str, bytes]]]:
        """The properties of all items, some at a time."""
        going = iter(items)
        while some := list(islice(going, _ROWS_AT_A_TIME)):
            if self._cancelled.is_set():
                raise Cancelled
            try:
                yield columns.rows(mask(item)[0] for item in some) if self.masked else columns.rows(some)
            except (ValueError, RecursionError):
                raise SqlProblem(f"{source}: an item is not JSON that can be read", kind="source") from None

    def add_view(self, name: Sequence[str], select: str, files: Iterable[Path] = ()) -> AddedTable:
        """Make a view of files that are not loaded; its statement may read these files.

        Raises:
            SqlProblem: a file cannot be read.
        """
        self._files += [str(file) for file in files]
        self._schema(name)
        source = ".".join(name)
        self.run_own(f"CREATE VIEW {full_name(name)} AS {select}", source)
        columns = [(str(row[0]), str(row[1])) for row in self.run_own(f"DESCRIBE {full_name(name)}", source).fetchall()]
        (count,) = self.run_own(f"SELECT count(*) FROM {full_name(name)}", source).fetchone() or (0,)
        return AddedTable(source, columns, int(count))

    def run_own(self, statement: str, source: str = "") -> Any:
        """Run one of the program's own statements.

        Raises:
            SqlProblem: DuckDB cannot read the source.
            Cancelled: it was interrupted.
        """
        try:
            return self._connection.execute(statement)
        except self._interrupted:
            raise Cancelled from None
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
            (tree,) = self._connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [text]).fetchone() or ("",)
            return _tables_in(json.loads(tree))
        except self._error as error:
            raise problem_of(error, query) from None
        except RecursionError:
            raise SqlProblem("the query is nested too deeply") from None

    def query(self, query: str) -> QueryRows:
        """Run a query; its rows are read on request, and only until the next query. From the first one on, no source is added.

        Raises:
            SqlProblem: the query is wrong; raised here or while reading rows.
            Cancelled: it was interrupted, here or while reading rows.
        """
        if not self._locked:
            self._locked = True
            self._connection.execute(f"SET allowed_paths = [{', '.join(map(string, self._files))}]")
            self._connection.execute("SET enable_external_access = false")
            self._connection.execute("SET lock_configuration = true")
        text = self._one_query(query)
        before = len(b"SELECT * FROM (\n") - len(query[: max(query.find(text), 0)].encode("utf-8", "replace"))
        found = self._fetched(
            lambda: self._connection.execute(f"SELECT * FROM (\n{text}\n) LIMIT 0").description, query, before
        )
        taken = set[str]()
        columns = [(free_name(str(one[0]), taken), str(one[1])) for one in found or []]
        names = [f"c{place}" for place in range(len(columns))]
        values = ", ".join(_as_json(name, type_) for name, (_, type_) in zip(names, columns, strict=True))
        select = f"SELECT {values} FROM (\n"
        statement = f"{select}{text}\n) AS result({', '.join(names)})"
        before += len(select.encode()) - len(b"SELECT * FROM (\n")
        self._fetched(lambda: self._connection.execute(statement), query, before)
        return QueryRows(
            [ResultColumn(name, _NUMBER.fullmatch(type_) is not None) for name, type_ in columns],
            self._rows([name for name, _ in columns], query, before),
        )

    def _rows(self, names: Sequence[str], query: str, before: int) -> Iterator[bytes]:
        heads = [json.dumps(name, ensure_ascii=False) + ":" for name in names]
        while some := self._fetched(lambda: self._connection.fetchmany(_ROWS_AT_A_TIME), query, before):
            for row in some:
                cells = (f"{head}{'null' if value is None else value}" for head, value in zip(heads, row, strict=True))
                text = "{" + ",".join(cells) + "}"
                if "NaN" in text or "Infinity" in text:
                    text = _NO_NUMBERS.sub(lambda one: f'"{one[1]}"' if one[1] else one[0], text)
                yield text.encode()

    def _fetched(self, work: Callable[[], Value], query: str, before: int) -> Value:
        """What DuckDB returns for a query, with `before` as in `problem_of`."""
        try:
            if self._cancelled.is_set():
                raise Cancelled
            return work()
        except self._interrupted:
            raise Cancelled from None
        except self._error as error:
            raise problem_of(error, query, before) from None

    def _one_query(self, query: str) -> str:
        """The text of the only statement.

        Raises:
            SqlProblem: there is no statement, there are several, or it is not a query.
        """
        try:
            query.encode()
            found = self._connection.extract_statements(query)
        except UnicodeEncodeError as error:
            raise SqlProblem("half of a character, which no query can hold", position=error.start) from None
        except self._error as error:
            raise problem_of(error, query) from None
        if not found:
            raise SqlProblem("the query is empty", "type one, such as select count(*) from history")
        if len(found) > 1:
            raise SqlProblem(
                "one query at a time: there is more after the semicolon", position=min(len(found[0].query), len(query))
            )
        if found[0].type != self._select:
            # DuckDB often names another statement: LOAD for install, CALL for checkpoint.
            kind, (word, place) = str(found[0].type.name), first_word(query)
            what = word.upper() if word and kind not in query.upper().split() else kind.replace("_", " ")
            raise SqlProblem(f"{what} is not allowed: a query only reads", "begin it with select, with or from", position=place)
        return str(found[0].query).rstrip().rstrip(";")


def _as_json(name: str, type_: str) -> str:
    """A column's values as JSON texts: exact numbers, lists and structs as JSON, times and the like as DuckDB's texts."""
    if type_ in ("FLOAT", "DOUBLE"):
        return f"CAST(to_json({name}) AS VARCHAR)"
    if type_ in ("BOOLEAN", "JSON") or _NUMBER.fullmatch(type_) is not None:
        return f"CAST({name} AS VARCHAR)"
    nested = type_.endswith("]") or type_.startswith(NESTED)
    return f"CAST(to_json({name if nested else f'CAST({name} AS VARCHAR)'}) AS VARCHAR)"


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
