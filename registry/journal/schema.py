"""The schema of the history, its entries, the ids in their responses, each with a type and a label, and searches of it."""

import json
import re
import sqlite3
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import asdict

from registry.accounts.connection import Connection
from registry.accounts.secrets import MASK, texts_in
from registry.calling.paging import page_of
from registry.calling.receiving import mask, redacted_text
from registry.calling.result import Failure, Result
from registry.calling.times import InvalidValue, instant
from registry.catalog.folders import decoded
from registry.catalog.model import Tool
from registry.journal.store import storable
from registry.json_text import NotJson, dumps, read_json, read_typed
from registry.references.knowledge import knowledge
from registry.references.naming import ELEMENT, Branch, JsonLocation, Value, named, text_of
from registry.text.filter_line import words_of

LONGEST = 8_000_000
"""Size in bytes up to which a response's body is stored."""

_MOST_NAMED = 60
_MOST_IDS, _LONGEST_INDEXED, _LONGEST_LABEL, _DEEPEST = 400, 1_000_000, 120, 40
_NAMES = ("name", "summary", "title", "email", "nickname", "number", "description")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


SCHEMA = (
    "CREATE TABLE IF NOT EXISTS calls (id INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL, elapsed REAL NOT NULL, "
    "toolkit TEXT NOT NULL, tool TEXT NOT NULL, effect TEXT NOT NULL, connection TEXT NOT NULL, mode TEXT NOT NULL, "
    "outcome TEXT NOT NULL, status INTEGER, failure TEXT, subject TEXT NOT NULL, arguments TEXT NOT NULL, "
    "notes TEXT NOT NULL, exchanges TEXT NOT NULL, size INTEGER NOT NULL)",
    "CREATE INDEX IF NOT EXISTS calls_by_time ON calls (at)",
    "CREATE TABLE IF NOT EXISTS answers (call INTEGER PRIMARY KEY, body BLOB NOT NULL)",
    "CREATE TABLE IF NOT EXISTS ids (place INTEGER PRIMARY KEY AUTOINCREMENT, connection TEXT NOT NULL, "
    "toolkit TEXT NOT NULL, type TEXT NOT NULL, id TEXT NOT NULL, label TEXT NOT NULL, seen REAL NOT NULL, "
    "call INTEGER NOT NULL, UNIQUE (connection, toolkit, type, id))",
    "CREATE INDEX IF NOT EXISTS ids_by_type ON ids (connection, toolkit, type, place)",
    "CREATE INDEX IF NOT EXISTS ids_by_call ON ids (call)",
    "CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(said, tool, connection, outcome, prefix = '1 2 3')",
    "CREATE TRIGGER IF NOT EXISTS forgotten AFTER DELETE ON calls BEGIN DELETE FROM answers WHERE call = old.id; "
    "DELETE FROM words WHERE rowid = old.id; DELETE FROM ids WHERE call = old.id; END",
)


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

    def as_line(self) -> str:
        """The entry as a line of NDJSON."""
        return dumps(asdict(self))


@dataclass(frozen=True)
class RecordedResult(Result):
    """The result of an earlier call, with secrets redacted.

    Attributes:
        entry: its number in the history.
        kept: whether the body was stored; if not, it is empty here although there was one.
    """

    entry: int = 0
    kept: bool = True


class SeenObject(NamedTuple):
    """An object from a response: its type, its id, its names joined by a dot (or empty); from the history also where it was."""

    type: str
    id: str
    label: str
    connection: str = ""
    toolkit: str = ""


def written(
    tool: Tool, connection: Connection, result: Result, is_part: bool
) -> tuple[dict[str, Any], dict[str, str], bytes | None, list[SeenObject]]:
    """A call as it is recorded, secrets redacted: the row, the words that searches find, its body, the ids in it.

    Of the pages of a whole list, the bodies are too many to keep.
    """
    secret = {parameter.name for parameter in tool.parameters if parameter.role == "secret"}
    given = {name: MASK if name in secret else value for name, value in result.arguments.items()}
    secrets = [text for name in secret for text in texts_in(result.arguments.get(name))]
    endpoint = connection.endpoint(tool.toolkit)
    hide = partial(endpoint.hide, also=secrets)
    clean = partial(redacted_text, hide=hide)
    kept = result.body if not is_part and len(result.body) <= LONGEST else b""
    body = hide(mask(kept)[0]) if kept else b""
    seen = [] if is_part or not result.ok else ids_in(body, tool)
    failure = result.failure
    # Neither a failure nor a response: it was cut off.
    outcome = "failed" if failure is not None else "cancelled" if result.status is None else "ok"
    sent = dict.fromkeys(id_ for one in result.exchanges for _, id_ in one.ids)
    sent |= {failure.request_id: None} if failure is not None and failure.request_id else {}
    said = [*texts_in(given), *sent, *((failure.title, failure.cause) if failure is not None else ())]
    said += [f"{one.id} {one.label}" for one in seen[:_MOST_NAMED]]
    spelled = f"{tool.name} {_CAMEL.sub(' ', tool.name)}"
    row = {
        "at": result.at,
        "elapsed": result.elapsed,
        "toolkit": tool.toolkit,
        "tool": tool.name,
        "effect": tool.effect,
        "connection": connection.name,
        "mode": endpoint.mode,
        "outcome": outcome,
        "status": result.status,
        "failure": clean(json.dumps(asdict(failure), ensure_ascii=False)) if failure is not None else None,
        "subject": clean(str(given.get(tool.subject.name) or "")) if tool.subject is not None else "",
        "arguments": clean(dumps(given)),
        "notes": clean(json.dumps(result.notes, ensure_ascii=False)),
        "exchanges": clean(json.dumps([*sent])),  # former versions kept whole requests
        "size": len(result.body),
    }
    words = {"said": clean(" ".join([spelled, *said])), "tool": spelled, "connection": connection.name, "outcome": outcome}
    return row, words, zlib.compress(body, 3) if body else None, seen


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


# The ids in a response, for the completion of id fields


def ids_in(body: bytes, tool: Tool) -> list[SeenObject]:
    """The objects in a response, each once; at most a few hundred, and none from a very large response."""
    try:
        parsed = read_json(body) if len(body) <= _LONGEST_INDEXED else None
    except NotJson:
        return []
    known = knowledge(tool.toolkit)
    found: dict[tuple[str, str], str] = {}
    for place in _places("", parsed, (), 0):
        members = place.value if isinstance(place.value, Mapping) else {}
        names = (str(members[name]) for name in _NAMES if isinstance(members.get(name), str) and members[name])
        label = " · ".join(dict.fromkeys(names))[:_LONGEST_LABEL]
        for one in named(place, tool, known):
            if one.id is not None and len(one.id) <= _LONGEST_LABEL:
                found[one.type, one.id] = (label if one.own else "") or found.get((one.type, one.id), "")
        if len(found) >= _MOST_IDS:
            break
    return [SeenObject(storable(type_), storable(id_), storable(label)) for (type_, id_), label in found.items()]


def _places(step: str, value: Any, around: tuple[Branch, ...], depth: int) -> Iterator[JsonLocation]:
    """Every object, text and whole number of a response, outer ones first."""
    if isinstance(value, str) or type(value) is int:
        yield JsonLocation(step, str(value), around)
    elif isinstance(value, dict | list) and depth <= _DEEPEST:
        members = _members(value) if isinstance(value, dict) else {}
        if isinstance(value, dict) and text_of(value) is not None:
            yield JsonLocation(step, members, around)
        inside = (Branch(step, members), *around)
        for name, member in value.items() if isinstance(value, dict) else ((ELEMENT, one) for one in value):
            if name != "id":
                yield from _places(name, member, inside, depth + 1)


def _members(value: dict[str, Any]) -> dict[str, Value]:
    """An object's scalar properties, and the scalar properties of the objects in it."""
    found = {name: member for name, member in value.items() if not isinstance(member, list)}
    for name, member in found.items():
        if isinstance(member, dict):
            found[name] = {key: one for key, one in member.items() if not isinstance(one, dict | list)}
    return found


class SearchQuery(msgspec.Struct, frozen=True):
    """A parsed search; times in Unix seconds. `problem`: which part of the line is invalid."""

    words: tuple[str, ...] = ()
    tool: str = ""
    connection: str = ""
    outcome: str = ""
    since: float | None = None
    before: float | None = None
    problem: str = ""


_OUTCOMES = ("ok", "failed", "cancelled")
_FILTERS = {"tool": "tool", "on": "connection", "since": "since", "before": "before"}


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
