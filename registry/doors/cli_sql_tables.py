"""What ``callboard sql`` can query, by name: the history, the kept results of tools, and files.

====================  =========================================================================================
``history``           every call, newest first: ``call`` is its number, ``started`` the time
``ListUsers``         a tool's name: the items of its last kept result
``history.ListUsers`` the items of all its kept results, with ``_call``, ``_started`` and ``_account``
``call_12``           the items of the result of call 12
``'users.ndjson'``    a file, or a folder of Parquet files, in quotes
====================  =========================================================================================

A result or a file that is not a list is one row.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from registry.catalog.loader import load
from registry.engine import open_engine
from registry.engines.database import AddedTable, Database
from registry.engines.files import ENDINGS, add_file, is_file
from registry.engines.problems import SqlProblem
from registry.journal.schema import Entry, RecordedResult
from registry.journal.search_query import SearchQuery
from registry.journal.store import JournalError
from registry.json_text.reading import NotJson
from registry.json_text.values import dumps

HISTORY = "history"
_CALL = re.compile(r"call_([0-9]{1,18})", re.IGNORECASE)
_EVERY_CALL = 10_000_000
_CALL_COLUMNS = {
    "call": "BIGINT",
    "started": "TIMESTAMPTZ",
    "elapsed": "DOUBLE",
    "toolkit": "VARCHAR",
    "tool": "VARCHAR",
    "effect": "VARCHAR",
    "account": "VARCHAR",
    "mode": "VARCHAR",
    "outcome": "VARCHAR",
    "status": "BIGINT",
    "failure": "VARCHAR",
    "subject": "VARCHAR",
    "arguments": "JSON",
    "size": "BIGINT",
}
_ITS_CALL = {"_call": "BIGINT", "_started": "TIMESTAMPTZ", "_account": "VARCHAR"}


class Tables:
    """The names that can be queried; `named` has the files that ``--from`` named, by name. Errors are `SqlProblem`."""

    def __init__(self, named: Mapping[str, str]) -> None:
        self._named = {name.casefold(): (name, address) for name, address in named.items()}
        self._tools = load().tools
        self._history = open_engine().history
        self._kept: dict[str, list[int]] | None = None

    @property
    def kept(self) -> Mapping[str, list[int]]:
        """The calls with kept results, newest first, by tool."""
        if self._kept is None:
            self._kept = {}
            try:
                for number, tool in self._history.kept():
                    self._kept.setdefault(tool, []).append(number)
            except JournalError as error:
                raise SqlProblem(str(error), kind="source") from None
        return self._kept

    def add(self, database: Database, name: tuple[str, ...]) -> AddedTable | None:
        """Add the table that a query names; None if the name is not one of these."""
        schema, last = name[:-1], name[-1]
        if not schema and last.casefold() in self._named:
            own, address = self._named[last.casefold()]
            return add_file(database, (own,), address)
        if not schema and last.casefold() == HISTORY:
            return database.add_items((HISTORY,), self._calls, _CALL_COLUMNS)
        if not schema and (found := _CALL.fullmatch(last)) is not None:
            result = self._recalled(int(found[1]))
            return database.add_items((last,), lambda: _items(result))
        if (tool := self._tool(last)) and (not schema or [one.casefold() for one in schema] == [HISTORY]):
            numbers = self.kept.get(tool, [])
            if not numbers:
                way_out = f"run it first: callboard call {tool}"
                raise SqlProblem(f"no result of {tool} is kept in the history", way_out, kind="source")
            if schema:
                return database.add_items((HISTORY, tool), lambda: self._all_items(numbers), _ITS_CALL)
            result = self._recalled(numbers[0])
            return database.add_items((tool,), lambda: _items(result))
        if not schema and (is_file(last) or os.path.isdir(last)):
            return add_file(database, name, last)
        return None

    def names(self) -> Iterator[str]:
        """All names that can be queried, without duplicates; for files of this folder see `files_here`."""
        yield from (name for name, _ in self._named.values())
        yield from (name for name in (HISTORY, *sorted(self.kept)) if name.casefold() not in self._named)

    def _tool(self, name: str) -> str | None:
        there = {one.casefold(): one for one in (*self._tools, *self.kept)}
        return there.get(name.casefold())

    def _calls(self) -> Iterable[bytes]:
        try:
            return [_line(entry) for entry in self._history.search(SearchQuery(), _EVERY_CALL)]
        except JournalError as error:
            raise SqlProblem(str(error), kind="source") from None

    def _recalled(self, number: int) -> RecordedResult:
        try:
            entry = self._history.entry(number)
            result = self._history.recall(number, self._tools.get(entry.tool)) if entry is not None else None
        except JournalError as error:
            raise SqlProblem(str(error), kind="source") from None
        if result is None:
            raise SqlProblem(f"no call {number} in the history", "callboard history lists them", kind="source")
        if not result.body:
            raise SqlProblem(f"the result of call {number} was not kept", "run the call again", kind="source")
        return result

    def _all_items(self, numbers: Iterable[int]) -> Iterator[bytes]:
        for number in numbers:
            result = self._recalled(number)
            lead = dumps({"_call": number, "_started": _moment(result.at), "_account": result.connection}).encode()[:-1]
            for item in _items(result):
                inside = item.strip()
                if not inside.startswith(b"{"):
                    inside = b'{"value":%b}' % inside
                rest = inside[1:].lstrip()
                yield lead + (b"" if rest.startswith(b"}") else b",") + rest


def _line(entry: Entry) -> bytes:
    values = {
        name: getattr(entry, {"call": "id", "started": "at", "account": "connection"}.get(name, name)) for name in _CALL_COLUMNS
    }
    return dumps({**values, "started": _moment(entry.at)}).encode()


def _moment(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat()


def files_here(most: int = 50) -> list[Path]:
    """Files in this folder that can be queried, sorted by name."""
    found = sorted(path for path in Path().iterdir() if path.is_file() and path.suffix.lower() in ENDINGS)
    return found[:most]


def _items(result: RecordedResult) -> list[bytes]:
    try:
        listing = result.listing
        return list(listing.items) if listing is not None else [bytes(msgspec.json.decode(result.body, type=msgspec.Raw))]
    except (NotJson, msgspec.MsgspecError, RecursionError):
        raise SqlProblem(f"the result of call {result.entry} is not JSON", kind="source") from None
