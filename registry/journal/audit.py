"""The audit log: every write and deletion, recorded before it is sent and completed afterwards.

It answers "what did that coupon look like?" after the coupon was deleted: the time, account, tool, arguments, the object as it
was before, and the response. Secrets are masked before anything is written. Only the user can read the file (mode 0600), and
its size is bounded. A disk that is full or broken switches the log off, with a notice; a call never fails because of it. If the
program is killed, the entry holds what is needed to find out the outcome later (`registry.engine.settling`): the service's
address, a fingerprint of the credential, how the object can be read, and which process sent it. Entries of a process that still
runs are left alone.
"""

import hashlib
import json
import os
import sqlite3
import time
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, TypeVar

from msgspec import Struct
from msgspec.structs import asdict

from registry.accounts.connection import Connection, Endpoint
from registry.accounts.secrets import MASK
from registry.calling.arguments import Arguments
from registry.calling.receiving import mask
from registry.calling.result import Result
from registry.catalog.model import Tool
from registry.files.folders import config_file, reason
from registry.files.process_mark import ProcessMark, is_running
from registry.files.toml_text import section_in
from registry.journal.store import AUDIT_VARIABLE, JournalError, Store, insertion, storable
from registry.json_text import DEEPEST, Exact, NotJson, as_text, depth_of, dumps, in_one_line

Value = TypeVar("Value")
State = Literal["sent", "done", "refused", "not done", "unknown"]
_MOST, _LONGEST, _AT_ONCE = 20_000, 262_144, 500

_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS changes (id INTEGER PRIMARY KEY, at REAL NOT NULL, ended REAL, connection TEXT NOT NULL, "
    "mode TEXT NOT NULL, tool TEXT NOT NULL, effect TEXT NOT NULL, arguments TEXT NOT NULL, object TEXT, "
    "state TEXT NOT NULL, status INTEGER, request_id TEXT, answer TEXT, failure TEXT, base TEXT, place TEXT, lookup TEXT, "
    "process TEXT, looked REAL, evidence TEXT, caller TEXT)",
)


class Change(Struct, frozen=True):
    """One entry; times in Unix seconds, secrets redacted.

    Attributes:
        ended: when it ended; None while it is under way, or if the program ended first.
        object: the object as it was before, if a check read it; `answer` is the response's body.
        state: ``sent`` (under way, or the program ended in the middle), ``done``, ``refused``, ``unknown`` (no response), or
            what reading the object afterwards showed: ``done`` or ``not done``.
        failure: why the call failed, in words, and what reading the object afterwards showed.
        base: the address of the service that it was sent to.
        place: a fingerprint of that address and the credential: later reads must use the same account.
        lookup: how the object can be read: the tool's name and its arguments; None if no tool reads it.
        process: the mark of the process that sent it.
        looked: when a read showed the outcome; None if that was not needed or not possible.
        caller: the door and the client that made it; empty for the explorer and the command line.
    """

    id: int
    at: float
    ended: float | None
    connection: str
    mode: str
    tool: str
    effect: str
    arguments: Any
    object: Any
    state: State
    status: int | None
    request_id: str | None
    answer: Any
    failure: str | None
    base: str | None = None
    place: str | None = None
    lookup: Any = None
    process: str | None = None
    looked: float | None = None
    caller: str | None = None

    def as_line(self) -> str:
        """The entry as a line of NDJSON."""
        return dumps({name: value for name, value in asdict(self).items() if name not in ("place", "process")})

    @property
    def subject(self) -> str:
        """The first argument, which is the id if the tool takes one."""
        return str(next(iter(self.arguments.values()), "")) if isinstance(self.arguments, dict) else ""


class Audit:
    """The audit log in one file. Safe for several programs and threads: every step opens its own database connection.

    Args:
        file: its path; created, with its folder, when the first change is recorded.
        caller: returns who makes the change.
        copy: called with each entry as it is after a step, as a line of JSON; see `copied_to`.
    """

    def __init__(self, file: Path, caller: Callable[[], str] = str, copy: Callable[[str], object] | None = None) -> None:
        self._store = Store(file, _SCHEMA, "the audit log", version=5)
        self._caller, self._copy = caller, copy
        self._mark: ProcessMark | None = None
        self.notice = ""
        """Why changes are no longer recorded; empty while they are."""

    def begin(
        self,
        tool: Tool,
        arguments: Arguments,
        connection: Connection,
        before: bytes | None,
        lookup: tuple[str, Mapping[str, object]] | None = None,
    ) -> int | None:
        """Record a change that is about to be sent; returns its number. `lookup`: how the object can be read."""
        self._mark = self._mark or ProcessMark(self._store.file.parent)
        secret = {parameter.name for parameter in tool.parameters if parameter.role == "secret"}
        shown = {name: MASK if name in secret else value for name, value in arguments.values.items()}
        endpoint = connection.endpoint(tool.toolkit)
        redacted, how = (endpoint.hide(storable(dumps(one)).encode()).decode() for one in (shown, lookup))
        row = {
            "at": time.time(),
            "connection": connection.name,
            "mode": endpoint.mode,
            "tool": tool.name,
            "effect": tool.effect,
            "arguments": redacted,
            "object": _masked(before),
            "state": "sent",
            "base": endpoint.base_url,
            "place": place_of(endpoint),
            "lookup": how,
            "process": self._mark.name,
            "caller": storable(self._caller()),
        }

        def insert(database: sqlite3.Connection) -> int:
            number = database.execute(insertion("changes", row), row).lastrowid or 0
            if number > _MOST and number % _AT_ONCE == 0:
                database.execute("DELETE FROM changes WHERE id <= ?", (number - _MOST,))
            return number

        return self._write(insert)

    def finish(self, entry: int | None, result: Result | None) -> None:
        """Complete an entry with its outcome."""
        if entry is None:
            return
        row: dict[str, Any] = {"ended": time.time(), "state": "unknown"}
        if result is not None:
            refused = result.status is not None and 400 <= result.status < 500
            row["state"] = "done" if result.ok else "refused" if refused else "unknown"
            row |= {"status": result.status, "request_id": result.request_id, "answer": _masked(result.body)}
            row["failure"] = storable(f"{result.failure.title}: {result.failure.cause}") if result.failure else None
        self._update(entry, row)

    def settle(self, entry: int, became: str, words: str, final: bool) -> None:
        """Record the outcome that a read showed for a change without a response; what is not final can be looked up again."""
        row = {"state": became, "looked": time.time() if final else None}
        # What another program found out in the meantime stays.
        self._update(entry, row, "state IN ('sent', 'unknown')", storable(words))

    def _update(self, entry: int, row: Mapping[str, Any], condition: str = "TRUE", found: str = "") -> None:
        """Complete an entry, and copy it; `found` is added to its failure, once."""
        failure = "failure = CASE WHEN instr(coalesce(failure, ''), :found) THEN failure ELSE "
        failure += "trim(coalesce(failure, '') || ' ' || :found) END"
        names = ", ".join([*(f"{name} = :{name}" for name in row), *([failure] if found else [])])

        def update(database: sqlite3.Connection) -> Any:
            one = {"entry": entry, "found": found}
            done = database.execute(f"UPDATE changes SET {names} WHERE id = :entry AND {condition}", {**row, **one}).rowcount
            return database.execute("SELECT * FROM changes WHERE id = :entry", one).fetchone() if done else None

        changed = self._write(update)
        if changed is not None and self._copy is not None:
            self._copy(_change(changed).as_line())

    def unsettled(self, *, again: bool = False) -> list[Change]:
        """The changes with an unknown outcome, oldest first, without those of a running process.

        With `again` also those that were looked up before without a result.

        Raises:
            JournalError: the file cannot be read.
        """
        which = "state IN ('sent', 'unknown')" if again else "state = 'sent' OR (state = 'unknown' AND looked IS NULL)"
        with self._store.reading() as database:
            found = [_change(row) for row in database.execute(f"SELECT * FROM changes WHERE {which} ORDER BY id")]
        return [one for one in found if one.process is None or not is_running(self._store.file.parent, one.process)]

    def close(self) -> None:
        """Release the mark of this process: it has no change under way any more."""
        self._mark = None

    def changes(self, most: int = 1_000) -> list[Change]:
        """The last changes, newest first, at most so many; empty if there is no log yet.

        Raises:
            JournalError: the file cannot be read.
        """
        with self._store.reading() as database:
            return [_change(row) for row in database.execute("SELECT * FROM changes ORDER BY id DESC LIMIT ?", (most,))]

    def _write(self, step: Callable[[sqlite3.Connection], Value]) -> Value | None:
        """Write in a transaction. Errors are reported and not raised, so that the call goes on."""
        try:
            with self._store.writing() as database:
                return step(database)
        except JournalError as error:
            self.notice = f"The audit log cannot be written; changes are no longer recorded: {error}"
            return None


def place_of(endpoint: Endpoint) -> str:
    """A fingerprint of an account: of its addresses and its credential, neither of which can be guessed from it."""
    return _fingerprint(json.dumps([sorted(endpoint.addresses.items()), endpoint.moved, endpoint.identity]))


@lru_cache(maxsize=32)
def _fingerprint(text: str) -> str:
    # Slow on purpose: a short password must not be found by trying all of them.
    return hashlib.scrypt(text.encode(), salt=b"callboard audit log", n=8192, r=8, p=1, dklen=16).hex()


def _masked(body: bytes | None) -> str | None:
    """A JSON text with secrets redacted; a long one is left out, with its length, and so is one that is nested too deeply."""
    if not body:
        return None
    if len(body) > _LONGEST:
        return json.dumps({"left_out": f"{len(body)} bytes"})
    try:
        return as_text(in_one_line(mask(body)[0]))
    except NotJson:
        return json.dumps({"left_out": "it is not JSON"})


def _change(row: sqlite3.Row) -> Change:
    """A stored row as a change."""
    values = {name: row[name] for name in Change.__struct_fields__}
    for name in ("arguments", "object", "answer", "lookup"):
        values[name] = _read(values[name]) if values[name] is not None else None
    return Change(**values)


def _read(text: str) -> Any:
    """A stored JSON text as values; one that is damaged, or nested too deeply for those who use them, is left out."""
    try:
        if depth_of(value := json.loads(text, parse_float=Exact)) <= DEEPEST:
            return value
    except ValueError:
        return {"left_out": "it is not JSON"}
    except RecursionError:
        pass
    return {"left_out": f"it is nested more than {DEEPEST} deep"}


def copied_to(environment: Mapping[str, str], tell: Callable[[str], object]) -> Callable[[str], None] | None:
    """A function that appends an entry, a line of JSON, to a file of the user's, which any log shipper collects.

    ``[audit] file = "…"`` in ``config.toml`` names the file, or ``CALLBOARD_AUDIT_FILE``, or ``--audit-file``. An entry whose
    outcome is found out later has a second line with the same ``id``. None if no file is named. `tell` is called once, with why
    nothing can be appended.
    """
    named = environment.get(AUDIT_VARIABLE, "") or section_in(config_file(environment), "audit").get("file")
    if not named:
        return None
    file = Path(str(named)).expanduser()
    told: list[str] = []

    def append(line: str) -> None:
        try:
            handle = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            with os.fdopen(handle, "ab", buffering=0) as opened:
                opened.write(line.encode("utf-8", "backslashreplace") + b"\n")  # in one piece: other processes append as well
        except OSError as error:
            if not told:
                told.append(f"The audit file cannot be written: {reason(error, file)}")
                tell(told[0])

    return append
