"""SQL in the query line: the list on screen as the table ``items``, loaded once and queried whenever the text changes."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from registry.calling.json_text import InvalidJson
from registry.engines.sql.apart import ListApart
from registry.engines.sql.problem import SqlCancelled, SqlProblem
from registry.results.jmespath_query.completion import Choice, Completion
from tui.json_view.document import Document

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
    """Queries one list, in a process of its own. Close it after use.

    Args:
        items: returns the list; called in a thread.
    """

    def __init__(self, items: Callable[[], Sequence[bytes]]) -> None:
        self._items = items
        self._list = ListApart()
        self._turn = asyncio.Lock()
        self._closed = False

    @property
    def columns(self) -> Sequence[tuple[str, str]]:
        """The columns of the list with their types, once it is loaded."""
        return self._list.columns

    async def load(self) -> None:
        """Load the list, if that is not done yet. Cancelling the task ends it.

        Raises:
            SqlProblem: the list is not JSON, or DuckDB is not installed.
            SqlCancelled: it was closed meanwhile.
        """
        async with self._turn:
            await self._load()

    async def run(self, query: str) -> SqlOutput:
        """The output of a query on the list. Cancelling the task ends it.

        Raises:
            SqlProblem: the query is wrong.
            SqlCancelled: it was closed meanwhile.
        """
        async with self._turn:
            await self._load()
            rows, more = await self._list.ask(query, _MOST_ROWS, _MOST_BYTES)
            return SqlOutput(rows, await asyncio.to_thread(lambda: Document.of(b"[" + b",".join(rows) + b"]")), more)

    def close(self) -> None:
        """Free everything, without blocking the screen."""
        self._closed = True
        self._list.close()

    async def _load(self) -> None:
        if not self.columns and not self._closed:
            items = await asyncio.to_thread(_listed, self._items)
            if not self._closed:
                await self._list.load(ITEMS, items)
        if self._closed:
            raise SqlCancelled

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
    except InvalidJson as error:
        raise SqlProblem(f"this result cannot be queried: {error}", kind="source") from None
