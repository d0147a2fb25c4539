"""What records calls in the history, which `registry.journal.history` searches and reads back.

Only the user can read it (mode 0600); it holds no known secret, and is bounded in entries and in bytes. A thread records calls
after they ended, in order, so that no call waits for the disk. A full disk or a damaged file switches the history off, with a
notice. Several programs may write at once.
"""

import json
import re
import sqlite3
import zlib
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from pathlib import Path
from typing import Any

from msgspec.structs import asdict

from registry.accounts.connection import Connection
from registry.accounts.secrets import MASK, texts_in
from registry.calling.receiving import mask, redacted_text
from registry.calling.result import Result
from registry.catalog.model import Tool
from registry.files.folders import reason
from registry.journal.seen import SeenObject, ids_in
from registry.journal.store import Store, insertion
from registry.json_text import dumps

_MOST, _MOST_BYTES, _MOST_IDS, _MOST_NAMED, _MOST_WAITING = 100_000, 256_000_000, 50_000, 60, 500
_LONGEST = 8_000_000  # bytes of a response's body, up to which it is stored
_SHARE = 20
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

_SCHEMA = (
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

_SEEN = """
INSERT OR REPLACE INTO ids (connection, toolkit, type, id, label, seen, call)
SELECT :connection, :toolkit, :type, :id, coalesce(nullif(:label, ''), max(label), ''), :at, :call
FROM ids WHERE connection = :connection AND toolkit = :toolkit AND type = :type AND id = :id
"""

_BYTES = "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size"


class CallRecorder:
    """Records calls in one file, of at most so many calls and bytes: first the oldest results go, then the oldest calls.

    `tell` is called, from any thread, with the reason if calls are no longer recorded.
    """

    def __init__(
        self, file: Path, *, most: int = _MOST, most_bytes: int = _MOST_BYTES, tell: Callable[[str], object] = lambda _: None
    ) -> None:
        self._store = Store(file, _SCHEMA, "the history", reads_beside_writes=True)
        self._most, self._most_bytes, self._tell = most, most_bytes, tell
        self._writer = ThreadPoolExecutor(1, "journal")
        self._database: sqlite3.Connection | None = None  # the writer's
        self._waiting: deque[Future[None]] = deque()
        self.notice = ""
        """Why calls are no longer recorded; empty while they are."""

    def note(self, tool: Tool, connection: Connection, result: Result, is_part: bool = False) -> None:
        """Record a call that has ended soon; returns at once. `is_part`: it fetched one page of a whole list."""
        while self._waiting and self._waiting[0].done():
            self._waiting.popleft()
        if len(self._waiting) >= _MOST_WAITING and not self.notice:
            self._switch_off(f"{self._store.file}: the disk is too slow")
        if not self.notice:
            self._waiting.append(self._writer.submit(self._record, tool, connection, result, is_part))

    def flush(self, patience: float = 3.0) -> bool:
        """Wait up to `patience` seconds until the noted calls are recorded; returns whether they are. Blocks."""
        return not wait(list(self._waiting), patience).not_done

    def close(self) -> None:
        """Record pending calls, and end the thread. Blocks."""
        if self.flush() and self._database is not None:
            self._database.close()
            self._database = None
        self._writer.shutdown(wait=False, cancel_futures=True)
        self._writer = ThreadPoolExecutor(1, "journal")  # for a call that ends later

    def _record(self, tool: Tool, connection: Connection, result: Result, is_part: bool) -> None:
        if self.notice:
            return
        try:
            row, words, body, seen = _written(tool, connection, result, is_part)
            if self._database is None:
                self._database = self._store.open()
            with self._database as database:
                database.execute("BEGIN IMMEDIATE")
                number = database.execute(insertion("calls", row), row).lastrowid or 0
                named = {"rowid": number, **words}
                database.execute(insertion("words", named), named)
                if body is not None:
                    database.execute("INSERT INTO answers (call, body) VALUES (?, ?)", (number, body))
                database.executemany(_SEEN, [{**one._asdict(), **row, "call": number} for one in seen])
                if seen:
                    database.execute("DELETE FROM ids WHERE place <= (SELECT max(place) FROM ids) - ?", (_MOST_IDS,))
                database.execute("DELETE FROM calls WHERE id <= ?", (number - self._most,))
                if database.execute(_BYTES).fetchone()[0] > self._most_bytes:
                    _shed(database)
        # Every reason why a call was not recorded is reported; an unexpected error must not end the thread silently.
        except Exception as error:
            self._switch_off(reason(error, self._store.file))

    def _switch_off(self, why: str) -> None:
        self.notice = f"The history cannot be written; calls are no longer recorded: {why}"
        self._tell(self.notice)


def _written(
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
    body = hide(mask(result.body)[0]) if not is_part and len(result.body) <= _LONGEST else b""
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


def _shed(database: sqlite3.Connection) -> None:
    """Delete the oldest results; if there are none, the oldest calls."""
    for table, key in (("answers", "call"), ("calls", "id")):
        count = database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        if count > 1:
            oldest = f"SELECT {key} FROM {table} ORDER BY {key} LIMIT ?"
            database.execute(f"DELETE FROM {table} WHERE {key} IN ({oldest})", (count // _SHARE + 1,))
            return
