"""SQL in the query line: the list on screen as the table ``items``, loaded once and queried whenever the text changes."""

import asyncio
import re
from collections.abc import Callable, Sequence
from itertools import islice
from typing import NamedTuple, TypeVar

from registry.engines.database import Database
from registry.engines.problems import SqlProblem
from registry.files.threads import in_daemon
from registry.json_text import NotJson
from registry.results.query_completion import Choice, Completion
from tui.json_view.document import Document

Value = TypeVar("Value")

ITEMS = "items"
"""The name of the table with the list on screen."""

_MOST_ROWS, _MOST_BYTES = 50_000, 50_000_000
_TYPED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*$")
_WORDS = ("select", "from", ITEMS, "where", "group by", "order by", "limit", "count(*)", "sum(", "desc")
_PLAIN = re.compile(r"[a-z_][a-z0-9_]*")


class QueryOutput(NamedTuple):
    """A query's output.

    Attributes:
        document: the output as JSON.
        words: how much it is.
        rows: the rows of a table, each a JSON object; None if it is not one.
        notice: a warning; empty without one.
        position: the index in the query that the notice is about.
    """

    document: Document
    words: str
    rows: Sequence[bytes] | None = None
    notice: str = ""
    position: int | None = None


class SqlQuery:
    """Queries one list, in a database of its own. Close it after use. Cancelling the task ends a query.

    Args:
        items: returns the list; called in a thread.
    """

    def __init__(self, items: Callable[[], Sequence[bytes]]) -> None:
        self._items = items
        self._database: Database | None = None
        self._turn = asyncio.Lock()
        self.columns: Sequence[tuple[str, str]] = ()
        """The columns of the list with their types, once it is loaded."""

    async def load(self) -> None:
        """Load the list, if that is not done yet.

        Raises:
            SqlProblem: the list is not JSON, or DuckDB is not installed.
        """
        async with self._turn:
            await self._loaded()

    async def run(self, query: str) -> QueryOutput:
        """The output of a query on the list.

        Raises:
            SqlProblem: the query is wrong.
        """
        async with self._turn:
            database = await self._loaded()
            return await self._worked(database, lambda: _output(database, query))

    def close(self) -> None:
        """Forget the list and its database; a running query ends first."""
        database, self._database, self.columns = self._database, None, ()
        if database is not None and not self._turn.locked():
            in_daemon(database.close, "query")

    async def _loaded(self) -> Database:
        if self._database is None:
            self._database, self.columns = await asyncio.to_thread(Database), ()
        database = self._database
        if not self.columns:
            items = await asyncio.to_thread(_listed, self._items)
            self.columns = (await self._worked(database, lambda: database.add_items((ITEMS,), lambda: items))).columns
        return database

    async def _worked(self, database: Database, work: Callable[[], Value]) -> Value:
        try:
            return await database.in_thread(work)
        finally:
            if database.is_lost:
                self._database, self.columns = None, ()
            elif self._database is not database:  # closed meanwhile
                in_daemon(database.close, "query")

    def completion(self, query: str, cursor: int) -> Completion:
        """Completions at the cursor: columns of the list, then words of SQL."""
        found = _TYPED.search(query[:cursor])
        if found is None or (query[cursor : cursor + 1] or " ").isalnum():
            return Completion(cursor)
        typed = found[0].lower()
        names = [name if _PLAIN.fullmatch(name) else f'"{name}"' for name, _ in self.columns]
        known = [one for one in (*names, *_WORDS) if one.lower().strip('"').startswith(typed)]
        return Completion(found.start(), () if typed in known else tuple(Choice(one, one) for one in known))


def _output(database: Database, query: str) -> QueryOutput:
    rows: list[bytes] = []
    size = 0
    going = database.query(query).rows
    for row in islice(going, _MOST_ROWS):
        rows.append(row)
        size += len(row)
        if size > _MOST_BYTES:
            break
    is_cut = next(going, None) is not None
    words = f"first {len(rows):,} rows" if is_cut else f"{len(rows):,} row{'' if len(rows) == 1 else 's'}"
    return QueryOutput(Document(b"[" + b",".join(rows) + b"]"), words, rows)


def _listed(items: Callable[[], Sequence[bytes]]) -> Sequence[bytes]:
    try:
        return items()
    except NotJson as error:
        raise SqlProblem(f"this result cannot be queried: {error}", kind="source") from None
