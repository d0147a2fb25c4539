"""SQL in the query line: the list on screen as the table ``items``, loaded once and queried whenever the text changes."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from registry.engines.database import Database
from registry.engines.problems import SqlProblem
from registry.files.threads import in_daemon
from registry.json_text.reading import NotJson
from registry.results.query_completion import Choice, Completion
from tui.json_view.document import Document

Value = TypeVar("Value")

ITEMS = "items"
"""The name of the table with the list on screen."""

_MOST_ROWS, _MOST_BYTES = 50_000, 50_000_000
_TYPED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*$")
_WORDS = ("select", "from", ITEMS, "where", "group by", "order by", "limit", "count(*)", "sum(", "desc")
_PLAIN = re.compile(r"[a-z_][a-z0-9_]*")


@dataclass(frozen=True, slots=True)
class SqlOutput:
    """A query's output: its rows as JSON objects, the same as a document, and whether rows were left out."""

    rows: Sequence[bytes]
    document: Document
    cut: bool

    @property
    def words(self) -> str:
        """How many rows there are."""
        count = len(self.rows)
        return f"first {count:,} rows" if self.cut else f"{count:,} row{'' if count == 1 else 's'}"


class SqlQuery:
    """Queries one list, in a database of its own. Close it after use.

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
        """Load the list, if that is not done yet. Cancelling the task ends it.

        Raises:
            SqlProblem: the list is not JSON, or DuckDB is not installed.
        """
        async with self._turn:
            await self._loaded()

    async def run(self, query: str) -> SqlOutput:
        """The output of a query on the list. Cancelling the task ends it.

        Raises:
            SqlProblem: the query is wrong.
        """
        async with self._turn:
            database = await self._loaded()

            def asked() -> SqlOutput:
                rows: list[bytes] = []
                size = 0
                going = database.query(query).rows
                for row in islice(going, _MOST_ROWS):
                    rows.append(row)
                    size += len(row)
                    if size > _MOST_BYTES:
                        break
                return SqlOutput(rows, Document.of(b"[" + b",".join(rows) + b"]"), next(going, None) is not None)

            return await self._worked(database, asked)

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
            table = await self._worked(database, lambda: database.add_items((ITEMS,), lambda: items))
            self.columns = table.columns
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


def _listed(items: Callable[[], Sequence[bytes]]) -> Sequence[bytes]:
    try:
        return items()
    except NotJson as error:
        raise SqlProblem(f"this result cannot be queried: {error}", kind="source") from None
