"""``callboard sql``: a query over the history, kept results and files, printed as a table, JSON or CSV.

====================  =========================================================================================
``history``           every call, newest first: ``call`` is its number, ``started`` the time
``ListUsers``         a tool's name: the items of its last kept result
``history.ListUsers`` the items of all its kept results, with ``_call``, ``_started`` and ``_account``
``call_12``           the items of the result of call 12
``'users.ndjson'``    a file, or a folder of Parquet files, in quotes
====================  =========================================================================================

A result or a file that is not a list is one row.
"""

import argparse
import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property, partial
from itertools import chain, islice
from pathlib import Path
from typing import TypeVar

import msgspec

from registry.calling.listing import listing_of
from registry.calling.times import nearest
from registry.catalog.loader import load
from registry.doors.cli_parser import Options, pairs
from registry.doors.ending import Ending
from registry.doors.output import (
    ExitCode,
    complain,
    fail,
    flush,
    line_width,
    read_text,
    remark,
    say,
    say_json,
    say_rows,
)
from registry.engine import open_engine
from registry.engines.database import AddedTable, Database, QueryRows
from registry.engines.files import ENDINGS, add_file, is_file
from registry.engines.problems import SqlProblem
from registry.files.folders import is_local
from registry.journal.entries import RecordedResult, SearchQuery
from registry.journal.store import JournalError
from registry.json_text import NotJson, dumps
from registry.results.formats import csv_lines
from registry.results.spool import Cancelled, pick, string
from registry.text.shown import counted, shortened, visible_line

Value = TypeVar("Value")

_MEASURED, _WIDEST, _NARROWEST, _GAP = 500, 60, 6, "  "
_AT_A_TIME = 500
_AROUND = 60  # characters of a long query to show before and after an error


OPTIONS: Options = {"sql": {"--from": {"dest": "sources"}}}


def run(options: argparse.Namespace) -> int:
    """Run a query, or list what can be queried."""
    named = pairs(options.sources, "--from")
    if options.tables == (options.query is not None):
        fail("give a query or --tables", way_out="for example: callboard sql 'select * from history limit 5'")
    text = "" if options.query is None else read_text("QUERY") if options.query == "-" else options.query
    try:
        tables = Tables(named)
        with Database(masked=not options.show_secrets) as database:
            if options.tables:
                return _list(database, tables, as_json=options.json)
            return _print(database, _waited(database, lambda: _asked(database, tables, text)), options)
    except SqlProblem as problem:
        position = problem.position
        words = problem.words + (f" (character {position + 1})" if position is not None else "")
        code = ExitCode.LOCAL if is_local(problem) else ExitCode.USAGE
        complain(words, field="QUERY" if problem.kind == "query" else None, way_out=problem.way_out or None, code=code)
        if position is not None:  # the line of the query, with a marker below it
            before = visible_line(text[:position].rpartition("\n")[2][-_AROUND:])
            remark(f"  {before}{visible_line(text[position:].partition(chr(10))[0][:_AROUND])}")
            remark(f"  {' ' * _width(before)}▲")
        raise SystemExit(code) from None
    except Cancelled:  # only the end of the command cancels it
        raise KeyboardInterrupt from None


def _asked(database: Database, tables: "Tables", text: str) -> QueryRows:
    """The rows of a query; first adds the tables that it names."""
    for name in database.tables_in(text):
        tables.add(database, name, remark)
    try:
        return database.query(text)
    except SqlProblem as problem:
        if not problem.missing:
            raise
        names = list(tables.names())
        hint = f"write from {problem.missing};" if problem.missing in names else nearest(problem.missing, names).lstrip("; ")
        way_out = f"{hint} callboard sql --tables lists what there is"
        raise SqlProblem(problem.words, way_out.strip(), position=problem.position) from None


def _waited(database: Database, work: Callable[[], Value]) -> Value:
    """The result of work in a thread; a signal cancels it and ends the command."""
    return Ending().run(database.in_thread(work))


def _print(database: Database, rows: QueryRows, options: argparse.Namespace) -> int:
    """Print the rows of a query as they are read."""
    some = _in_pieces(database, rows)
    if options.json:
        for one in chain.from_iterable(some):
            say_json(one.decode())
        return ExitCode.OK
    columns = [column.name for column in rows.columns]
    paths = [(name,) for name in columns]
    if options.csv:
        for text in csv_lines(columns, (pick(one, paths) for one in chain.from_iterable(some))):
            say_rows(text.decode().removesuffix("\r\n"))
        return ExitCode.OK
    count = 0

    def cells() -> Iterator[list[str]]:
        nonlocal count
        for one in chain.from_iterable(some):
            count += 1
            yield [_cell(value) for value in pick(one, paths)]

    for line in _table(columns, [column.is_number for column in rows.columns], cells()):
        say(line)
    flush()
    return remark(counted(count, "row"))


def _in_pieces(database: Database, rows: QueryRows) -> Iterator[list[bytes]]:
    while piece := _waited(database, lambda: list(islice(rows.rows, _AT_A_TIME))):
        yield piece


def _list(database: Database, tables: "Tables", *, as_json: bool) -> int:
    """Print what can be queried: each table with its row count, then its columns."""
    for name in tables.names():
        try:
            one = _waited(database, partial(tables.add, database, (name,)))
        except (SqlProblem, JournalError) as problem:
            remark(f"note: {problem}")
            continue
        assert one is not None, "a name of these is one of a table"
        if as_json:
            columns = [{"name": name, "type": type_} for name, type_ in one.columns]
            say_json(dumps({"table": one.name, "rows": one.count, "columns": columns}))
        else:
            say(f"{visible_line(one.name)}  {counted(one.count, 'row')}")
            say("    " + ", ".join(visible_line(f"{name} {type_}") for name, type_ in one.columns))
    files = files_here()
    if files and not as_json:
        say("Files in this folder")
        for path in files:
            say(f"    '{visible_line(str(path))}'  {path.stat().st_size:,} bytes")
    return ExitCode.OK


# A table for people


def _table(titles: Sequence[str], numbers: Sequence[bool], rows: Iterator[list[str]]) -> Iterator[str]:
    """The lines of a table, as wide as its first rows need; in a terminal, at most as wide as that."""
    first = list(islice(rows, _MEASURED))
    heads = [visible_line(title) for title in titles]
    widths = [min(max(map(_width, column)), _WIDEST) for column in zip(heads, *first, strict=True)]
    room = line_width()
    # The widest columns become narrower, and once they are narrow, the last ones are dropped.
    while sum(widths) + len(_GAP) * (len(widths) - 1) > room and max(widths) > 1:
        if max(widths) > _NARROWEST or len(widths) == 1:
            widths[widths.index(max(widths))] -= 1
        else:
            widths.pop()
    if len(widths) < len(heads):
        remark(f"{len(heads) - len(widths)} more columns do not fit: {', '.join(heads[len(widths) :])}; --json shows all")
    yield _line(heads, widths, numbers)
    yield _GAP.join("─" * width for width in widths)
    for row in chain(first, rows):
        yield _line(row, widths, numbers)


def _line(cells: Sequence[str], widths: Sequence[int], numbers: Sequence[bool]) -> str:
    parts = []
    for cell, width, number in zip(cells, widths, numbers, strict=False):
        text = shortened(cell, width)
        while _width(text) > width:
            text = text[:-2] + "…"
        blanks = " " * (width - _width(text))
        parts.append(blanks + text if number else text + blanks)
    return _GAP.join(parts).rstrip()


def _cell(value: bytes | None) -> str:
    if value is None or value == b"null":
        return "NULL"
    said = string(value)
    return visible_line(said if said is not None else value.decode("utf-8", "replace"))


def _width(text: str) -> int:
    """How many terminal cells a text needs."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(one) else 2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in text)


# What can be queried


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

    @cached_property
    def kept(self) -> Mapping[str, list[int]]:
        """The calls with kept results, newest first, by tool."""
        found: dict[str, list[int]] = {}
        for number, tool in self._history.kept():
            found.setdefault(tool, []).append(number)
        return found

    def add(
        self, database: Database, name: tuple[str, ...], tell: Callable[[str], object] = lambda _: None
    ) -> AddedTable | None:
        """Add the table that a query names, and tell which call it is of; None if the name is not one of these."""
        schema, last = name[:-1], name[-1]
        called = {one.casefold(): one for one in (*self._tools, *self.kept)}
        if not schema and last.casefold() in self._named:
            own, address = self._named[last.casefold()]
            return add_file(database, (own,), address)
        if not schema and last.casefold() == HISTORY:
            return database.add_items((HISTORY,), self._calls, _CALL_COLUMNS)
        if not schema and (found := _CALL.fullmatch(last)) is not None:
            result = self._recalled(int(found[1]))
            return database.add_items((last,), lambda: _items(result))
        if (tool := called.get(last.casefold())) and (not schema or [one.casefold() for one in schema] == [HISTORY]):
            numbers = self.kept.get(tool, [])
            if not numbers:
                way_out = f"run it first: callboard call {tool}"
                raise SqlProblem(f"no result of {tool} is kept in the history", way_out, kind="source")
            if schema:
                return database.add_items((HISTORY, tool), lambda: self._all_items(numbers), _ITS_CALL)
            result = self._recalled(numbers[0])
            tell(f"{tool} is call {numbers[0]} of {_moment(result.at)[:19]}; of lists read with --all no result is kept")
            return database.add_items((tool,), lambda: _items(result))
        if not schema and (is_file(last) or os.path.isdir(last)):
            return add_file(database, name, last)
        return None

    def names(self) -> Iterator[str]:
        """All names that can be queried, without duplicates; for files of this folder see `files_here`."""
        yield from (name for name, _ in self._named.values())
        yield from (name for name in (HISTORY, *sorted(self.kept)) if name.casefold() not in self._named)

    def _calls(self) -> Iterable[bytes]:
        fields = {"call": "id", "started": "at", "account": "connection"}
        for one in self._history.search(SearchQuery(), _EVERY_CALL):
            values = {name: getattr(one, fields.get(name, name)) for name in _CALL_COLUMNS}
            yield dumps({**values, "started": _moment(one.at)}).encode()

    def _recalled(self, number: int) -> RecordedResult:
        entry = self._history.entry(number)
        result = self._history.recall(number, self._tools.get(entry.tool)) if entry is not None else None
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
                inside = item.strip() if item.lstrip().startswith(b"{") else b'{"value":%b}' % item.strip()
                rest = inside[1:].lstrip()
                yield lead + (b"" if rest.startswith(b"}") else b",") + rest


def _moment(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat()


def files_here(most: int = 50) -> list[Path]:
    """Files in this folder that can be queried, sorted by name."""
    return sorted(path for path in Path().iterdir() if path.is_file() and path.suffix.lower() in ENDINGS)[:most]


def _items(result: RecordedResult) -> list[bytes]:
    try:
        listing = listing_of(result)
        return list(listing.items) if listing is not None else [bytes(msgspec.json.decode(result.body, type=msgspec.Raw))]
    except (NotJson, msgspec.MsgspecError, RecursionError):
        raise SqlProblem(f"the result of call {result.entry} is not JSON", kind="source") from None
