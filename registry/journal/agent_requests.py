"""Changes that agents request and a person must answer: the MCP server stores them, a running explorer shows them.

They are in a file beside the audit log, readable by its user only, because each process may end at any time. A request is
removed when it is answered or has expired, and not shown once the process that waits for it has ended. The first answer
counts, once. A request holds what the person is shown, secrets redacted, and nothing that could be sent. An explorer that can
answer holds a lock on a file until it exits. Where files cannot be locked, no explorer counts as able to answer.
"""

import json
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import asdict, fields

from registry.accounts.connection import Mode
from registry.catalog.model import Effect
from registry.files.process_mark import ProcessMark, is_running
from registry.journal.store import Store, insertion
from registry.text.shown import visible, visible_line

_MOST = 20
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS requests (id INTEGER PRIMARY KEY AUTOINCREMENT, until REAL NOT NULL, process TEXT NOT NULL, "
    "call TEXT NOT NULL, digest TEXT NOT NULL, told TEXT NOT NULL, answer TEXT)",
)


class RequestedChange(Struct, frozen=True):
    """A change that an agent requests, as shown to a person: by which client, with which tool, on which account, and why.

    Attributes:
        at: when it was requested, in Unix seconds.
        subject: the ids of the objects that it changes; empty for a new object.
        names: texts of which one must be typed to allow it; empty if a key press is enough.
        final: whether it cannot be undone.
        sure: whether the check could read everything it needed.
        found: what the check found, in lines: kind, name and words, as `registry.changes.check_result.Line` has them.
        method, url, body: the request, secrets redacted.
    """

    at: float
    client: str
    tool: str
    effect: Effect
    summary: str
    subject: str
    account: str
    mode: Mode
    reason: str
    names: tuple[str, ...]
    final: bool
    sure: bool
    found: tuple[tuple[str, str, str], ...]
    method: str
    url: str
    body: str | None


class AgentRequest(Struct, frozen=True):
    """A change that waits for an answer: its number, when it expires (Unix seconds), and what is shown, safe for a terminal."""

    id: int
    until: float
    change: RequestedChange


class AgentAnswer(Struct, frozen=True):
    """A person's answer: whether it is allowed, what they typed if they had to, and a note to the agent."""

    allowed: bool
    typed: str = ""
    note: str = ""


class AgentRequests:
    """The requests in one file, which the first makes. Its methods block; safe for several processes and threads.

    Raises:
        JournalError: from every method that reads or writes, if the file cannot be used.
    """

    def __init__(self, file: Path, clock: Callable[[], float] = time.time) -> None:
        self._store = Store(file, _SCHEMA, "the requests of agents")
        self._clock = clock
        self._folder, self._explorers = file.parent, file.parent / "explorers"
        self._marks: dict[Path, ProcessMark] = {}

    # The door's side

    def post(
        self, change: RequestedChange, call: str, digest: str, seconds: float, hide: Callable[[bytes], bytes]
    ) -> int | None:
        """Store a request for explorers; returns its number, or None if too many are waiting.

        A request that is already stored, answered or not, keeps its number.

        `call` is a fingerprint of the client and its call, `digest` of everything that the answer is about: earlier requests
        of the call with another digest are removed. `hide` masks credentials.
        """
        told = hide(json.dumps(asdict(change), ensure_ascii=False).encode("utf-8", "backslashreplace")).decode()
        us, until = self._mark(self._folder), self._clock() + seconds
        row = {"until": until, "process": us, "call": call, "digest": digest, "told": told}
        ours = "FROM requests WHERE process = :process"
        with self._store.writing() as database:
            database.execute("DELETE FROM requests WHERE until <= ?", (self._clock(),))
            database.execute(f"DELETE {ours} AND call = :call AND digest != :digest", row)
            known = database.execute(f"SELECT id {ours} AND call = :call AND digest = :digest", row).fetchone()
            if known is not None:
                return int(known["id"])
            if database.execute(f"SELECT count(*) {ours}", row).fetchone()[0] >= _MOST:
                return None
            return database.execute(insertion("requests", row), row).lastrowid

    def peek(self, number: int) -> bool:
        """Whether a request has been answered and has not expired."""
        with self._store.reading() as database:
            what = "SELECT 1 FROM requests WHERE id = ? AND answer IS NOT NULL AND until > ?"
            return database.execute(what, (number, self._clock())).fetchone() is not None

    def end(self, number: int) -> AgentAnswer | None:
        """Remove a request that nobody waits for any more. Returns its answer, which then counts; None if there is none."""
        with self._store.writing() as database:
            row = database.execute("SELECT answer FROM requests WHERE id = ? AND until > ?", (number, self._clock())).fetchone()
            database.execute("DELETE FROM requests WHERE id = ?", (number,))
        return msgspec.json.decode(row["answer"], type=AgentAnswer) if row is not None and row["answer"] is not None else None

    def attended(self) -> bool:
        """Whether an explorer that can answer is running. Raises nothing."""
        with suppress(OSError):
            return any(is_running(file.parent, file.stem) for file in self._explorers.iterdir())
        return False

    # The explorer's side

    def attend(self) -> None:
        """Mark this process as one that shows requests and can answer them, until `close`. Raises nothing."""
        self._mark(self._explorers)

    def waiting(self) -> list[AgentRequest]:
        """The unanswered requests, oldest first."""
        with self._store.reading() as database:
            what = "SELECT * FROM requests WHERE until > ? AND answer IS NULL ORDER BY id"
            rows = database.execute(what, (self._clock(),)).fetchall()
        running = [row for row in rows if is_running(self._folder, row["process"])]
        return [AgentRequest(row["id"], row["until"], _safe(row["told"])) for row in running]

    def answer(self, number: int, answer: AgentAnswer) -> bool:
        """Answer a request; returns whether the answer counts: it is the first, in time, and its process still runs."""
        with self._store.writing() as database:
            row = database.execute("SELECT process FROM requests WHERE id = ?", (number,)).fetchone()
            if row is None or not is_running(self._folder, row["process"]):
                return False
            what = "UPDATE requests SET answer = ? WHERE id = ? AND answer IS NULL AND until > ?"
            return database.execute(what, (json.dumps(asdict(answer)), number, self._clock())).rowcount > 0

    def close(self) -> None:
        """Mark this process as one that neither waits nor answers any more."""
        while self._marks:
            self._marks.popitem()[1].end()

    def _mark(self, folder: Path) -> str:
        """The name of this process's mark in a folder."""
        if folder not in self._marks:
            self._marks[folder] = ProcessMark(folder)
        return self._marks[folder].name


def _safe(stored: str) -> RequestedChange:
    """A stored change, each text safe for a terminal; only the body has several lines."""
    told = msgspec.json.decode(stored, type=RequestedChange)

    def safe(value: Any) -> Any:
        if isinstance(value, str):
            return visible_line(value)
        return tuple(map(safe, value)) if isinstance(value, tuple) else value

    texts = {one.name: safe(getattr(told, one.name)) for one in fields(told)}
    return RequestedChange(**texts | {"body": visible(told.body) if told.body is not None else None})
