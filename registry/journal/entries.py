"""The entries of the history, as they are read back, and searches for them."""

import json
import sqlite3
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec

from registry.accounts.secrets import MASK
from registry.calling.paging import page_of
from registry.calling.result import Failure, Result
from registry.calling.times import InvalidValue, instant
from registry.catalog.folders import decoded
from registry.catalog.model import Tool
from registry.json_text import NotJson, read_typed
from registry.text.filter_line import words_of

REQUEST = "request"
"""The type of the ids that services give to requests."""

_OUTCOMES = ("ok", "failed", "cancelled")
_FILTERS = {"tool": "tool", "on": "connection", "since": "since", "before": "before"}


class Entry(msgspec.Struct, frozen=True):
    """One call in the history; its arguments with secrets redacted.

    Attributes:
        id: its number, in the order in which calls ended.
        at: when it began, in Unix seconds; `elapsed` is how many seconds it took.
        outcome: ``ok``, ``failed`` or ``cancelled``.
        failure: the failure's title; None if it did not fail.
        subject: the id of its object; empty if it was about several.
        size: size of the response in bytes.
        request_ids: the service's ids of its requests, and those of proxies, in order.
    """

    id: int
    at: float
    elapsed: float
    toolkit: str
    tool: str
    effect: str
    connection: str
    mode: str
    outcome: str
    status: int | None
    failure: str | None
    subject: str
    arguments: dict[str, Any]
    size: int
    request_ids: list[str] = []


@dataclass(frozen=True)
class RecordedResult(Result):
    """The result of an earlier call, with secrets redacted.

    Attributes:
        entry: its number in the history.
        kept: whether the body was stored; if not, it is empty here although there was one.
    """

    entry: int = 0
    kept: bool = True


class KnownObject(NamedTuple):
    """An object that was seen or found before: its type, its id, its names joined by a dot, and the call that shows it."""

    type: str
    id: str
    label: str
    tool: str
    arguments: Mapping[str, object]


def entry_of(row: sqlite3.Row) -> Entry:
    """A row as an entry."""
    values = {name: row[name] for name in Entry.__struct_fields__[:-1]}
    values["request_ids"] = [one for one in json.loads(row["exchanges"]) if isinstance(one, str)]
    values["failure"] = json.loads(row["failure"])["title"] if row["failure"] is not None else None
    return Entry(**values | {"arguments": read_typed(row["arguments"], whole=True)})


def recalled(row: sqlite3.Row, tool: Tool | None) -> RecordedResult:
    """The result from a row, which has the response's body as `body`."""
    body = zlib.decompress(row["body"]) if row["body"] is not None else b""
    kept = row["body"] is not None or not row["size"]
    arguments = read_typed(row["arguments"], whole=True)
    failure = decoded(row["failure"], Failure) if row["failure"] is not None else None
    page = None
    if tool is not None and failure is None and body:
        with suppress(NotJson):  # shown without a way to further pages
            page, _ = page_of(tool, arguments, body) or (None, None)
    # Arguments as a check returns them: lists of texts and numbers as tuples; the redacted ones must be given again.
    parameters = tool.parameters if tool is not None else ()
    lists = {one.name for one in parameters if one.type == "array" and not one.is_structured}
    given = {name: value for name, value in arguments.items() if MASK not in str(value)}
    again = {name: tuple(value) if name in lists and isinstance(value, list) else value for name, value in given.items()}
    return RecordedResult(
        tool=row["tool"],
        connection=row["connection"],
        status=row["status"],
        body=body,
        elapsed=row["elapsed"],
        failure=failure,
        page=page,
        items_at=tool.returns.items if tool is not None else None,
        notes=(*json.loads(row["notes"]), *(() if kept else ("The response was not kept. Run the call again.",))),
        arguments=again,
        at=row["at"],
        entry=row["id"],
        kept=kept,
    )


class SearchQuery(msgspec.Struct, frozen=True):
    """A parsed search; times in Unix seconds. `problem`: which part of the line is invalid."""

    words: tuple[str, ...] = ()
    tool: str = ""
    connection: str = ""
    outcome: str = ""
    since: float | None = None
    before: float | None = None
    problem: str = ""


def parse_search(line: str, now: float) -> SearchQuery:
    """Parse a line in the grammar of `registry.text.filter_line`; `now` is in Unix seconds. Days begin at midnight, local time.

    Words are searched in calls and in their results: tool, arguments, ids, names. Some words are filters:

    ===================  =====================================================
    ``tool:refund``      the tool's name, or the start of a word in it
    ``on:sandbox``       the account
    ``failed``           how it ended; also ``ok`` and ``cancelled``
    ``since:yesterday``  not before; also ``today``, ``2h``, ``3d``, ``2026-11-20``
    ``before:today``     before then; quotes around a value with spaces: ``since:"yesterday 9:00"``
    ===================  =====================================================

    Times are those of `registry.calling.times`, in this machine's zone; a duration such as ``2h`` is counted back from now.
    """
    words: list[str] = []
    found: dict[str, Any] = {}
    # No recorded text contains halves of surrogate pairs; pasted text may.
    line = line.encode("utf-8", "replace").decode()
    for word in words_of(line):
        value, typed = word.value, line[word.start : word.end]
        if typed.lower() in _OUTCOMES:
            found["outcome"] = typed.lower()
        elif word.sign != ":" or word.name not in _FILTERS:
            words += [value if word.quoted and not word.name else typed] if typed else []
        elif value and word.name in ("tool", "on"):
            found[_FILTERS[word.name]] = value
        elif value:
            try:
                found[word.name] = instant(value.lower(), now, local_dates=True).at.timestamp()
            except InvalidValue:
                found["problem"] = f"Not a time: {value}. Use yesterday, today, 2h, 3d or 2026-11-20"
    return SearchQuery(tuple(words), **found)
