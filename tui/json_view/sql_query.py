"""SQL in the query line: the list on screen as the table ``items``, loaded once, asked as often as the text changes."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from registry.jmespath_query.completion import Completion
    from registry.sql.database import Database
    from tui.json_view.document import Document

ITEMS = "items"
"""The table that the list on screen is."""

_MOST_ROWS, _MOST_BYTES = 50_000, 50_000_000
_TYPED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*$")
_WORDS = ("select", "from", ITEMS, "where", "group by", "order by", "limit", "count(*)", "sum(", "desc")
_PLAIN = re.compile(r"[a-z_][a-z0-9_]*")


@dataclass(frozen=True, slots=True)
class SqlOutput:
    """What a query gives: its rows as JSON objects, the same as a document, and whether there are more than are shown."""

    rows: Sequence[bytes]
    document: Document
    cut: bool

    @property
    def words(self) -> str:
        """How many rows there are."""
        count = len(self.rows)
        return f"first {count:,} rows" if self.cut else f"{count:,} row{'' if count == 1 else 's'}"


class SqlQuery:
    """Asks one list. Close it.

    Args:
        items: gives the list; called in a thread.
    """

    def __init__(self, items: Callable[[], Sequence[bytes]]) -> None:
        self._items = items
        self._database: Database | None = None
        self._turn = asyncio.Lock()
        self._closed = False
        self.columns: Sequence[tuple[str, str]] = ()
        """The columns of the list with their types, once it is loaded."""

    async def load(self) -> None:
        """Load the list, where that is not done yet. Cancel it to end it.

        Raises:
            SqlProblem: the list is not JSON, or DuckDB is not installed.
            SqlCancelled: it was closed meanwhile.
        """
        from registry.sql.problem import SqlCancelled
        from registry.sql.waiting import in_thread

        async with self._turn:
            if self._database is None:
                self._database = await asyncio.to_thread(_opened)
            if self._closed:
                self._release()
                raise SqlCancelled
            database = self._database
            database.again()
            if not self.columns:
                self.columns = await in_thread(database, lambda: _loaded(database, self._items))

    async def run(self, query: str) -> SqlOutput:
        """What a query gives on the list, once it is loaded. Cancel it to end it.

        Raises:
            SqlProblem: the query is wrong.
            SqlCancelled: it was closed meanwhile.
        """
        from registry.sql.problem import SqlCancelled
        from registry.sql.waiting import in_thread

        async with self._turn:
            database = self._database
            if self._closed or database is None:
                raise SqlCancelled
            database.again()
            return await in_thread(database, lambda: _asked(database, query))

    def close(self) -> None:
        """Give everything back, without holding up the screen."""
        self._closed = True
        self._release()

    def _release(self) -> None:
        if self._database is not None:
            threading.Thread(target=self._database.close, name="closing a database").start()

    def completion(self, query: str, cursor: int) -> Completion:
        """What may stand at the cursor: columns of the list, then words of SQL."""
        from registry.jmespath_query.completion import Choice, Completion

        found = _TYPED.search(query[:cursor])
        if found is None or (query[cursor : cursor + 1] or " ").isalnum():
            return Completion(cursor)
        typed = found[0].lower()
        names = [name if _PLAIN.fullmatch(name) else f'"{name}"' for name, _ in self.columns]
        known = [one for one in (*names, *_WORDS) if one.lower().strip('"').startswith(typed)]
        return Completion(found.start(), () if typed in known else tuple(Choice(one, one) for one in known))


def _opened() -> Database:
    from registry.sql.database import Database

    return Database()


def _loaded(database: Database, items: Callable[[], Sequence[bytes]]) -> Sequence[tuple[str, str]]:
    from registry.calling.json_text import InvalidJson
    from registry.sql.problem import SqlProblem

    try:
        listed = items()
    except InvalidJson as error:
        raise SqlProblem(f"this result cannot be queried: {error}", kind="source") from None
    database.run_own(f"DROP TABLE IF EXISTS {ITEMS}")  # of a loading that was given up
    return database.add_items((ITEMS,), lambda: listed).columns


def _asked(database: Database, query: str) -> SqlOutput:
    from tui.json_view.document import Document

    rows: list[bytes] = []
    size = 0
    going = database.query(query).rows
    for row in islice(going, _MOST_ROWS):
        rows.append(row)
        size += len(row)
        if size > _MOST_BYTES:
            break
    return SqlOutput(rows, Document.of(b"[" + b",".join(rows) + b"]"), next(going, None) is not None)
