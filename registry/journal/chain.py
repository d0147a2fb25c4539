"""The chain of the audit log: one row for each step of an entry. Each row holds the hash of the row before.

Entries change: a change is sent, then done. The chain only grows: each such step is a row, with the values that the step set.
So an entry is the sum of its rows, and edited, removed, inserted or exchanged rows are detected
(`registry.journal.verifying`). Rows and entries are written in one transaction, so that several programs write one chain.

A row's hash is SHA-256, in hexadecimal digits, of these fields in this order, each as its length in bytes in decimal digits, a
colon, its bytes in UTF-8, and a comma: ``callboard-audit-1``, the chain's id, the row's number in decimal digits, the hash of
the row before, the content. For the first row, the hash before is 64 zeros. The content is JSON in ASCII, with sorted names and
without spaces, stored and hashed character by character: ``at`` (Unix seconds), ``entry``, ``event``, ``machine``, ``person``,
``values``.

The events are ``sent``, ``ended``, ``settled``, ``kept`` (an entry that is older than the chain) and ``pruned``: because the
log is bounded, entries up to a number and rows up to a number were removed; it holds the last hash of those rows.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import time
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

Event = Literal["sent", "ended", "settled", "kept", "pruned"]

FIRST = "0" * 64
"""The hash before the first row."""

STAYS = ("process", "place")
"""Columns of an entry that no row holds: they have a meaning on this machine only."""

_FORM = "callboard-audit-1"


class Who(NamedTuple):
    """A person and their machine."""

    person: str
    machine: str


@dataclass(frozen=True)
class Link:
    """A row of a chain.

    Attributes:
        chain: the id of the chain.
        sequence: the row's number, from 1 on without gaps.
        previous: the hash of the row before.
        content: what happened, as JSON text.
        hash: the row's own hash.
    """

    chain: str
    sequence: int
    previous: str
    content: str
    hash: str

    def fits(self, sequence: int | None = None) -> bool:
        """Whether its hash matches its content, at its own number or at another one."""
        place = self.sequence if sequence is None else sequence
        return hash_of(self.chain, place, self.previous, self.content) == self.hash

    @cached_property
    def fields(self) -> Mapping[str, Any]:
        """The content as JSON values; empty if it is not a JSON object."""
        try:
            found = json.loads(self.content)
        except (ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}

    @property
    def event(self) -> str:
        """The event."""
        return str(self.fields.get("event", ""))

    @property
    def entry(self) -> int:
        """The entry's number; 0 if there is no valid one."""
        found = self.fields.get("entry")
        return found if isinstance(found, int) else 0

    @property
    def values(self) -> Mapping[str, Any]:
        """The values that the step set."""
        found = self.fields.get("values")
        return found if isinstance(found, dict) else {}


def hash_of(chain: str, sequence: int, previous: str, content: str) -> str:
    """The hash of a row."""
    hashed = hashlib.sha256()
    for field in (_FORM, chain, str(sequence), previous, content):
        data = field.encode("utf-8", "surrogatepass")
        hashed.update(b"%d:%b," % (len(data), data))
    return hashed.hexdigest()


def this_user() -> Who:
    """The login and the machine's name, as the system knows them."""
    try:
        import pwd  # imported late: only changes need it

        person = pwd.getpwuid(os.getuid()).pw_name
    except (ImportError, KeyError):
        person = f"user {os.getuid()}"
    return Who(person, os.uname().nodename)


def begin_chain(database: sqlite3.Connection) -> None:
    """Start the chain of a log with the entries that exist already. A migration of the schema."""
    database.execute("CREATE TABLE chain_state (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
    database.execute("INSERT INTO chain_state VALUES ('id', ?)", (uuid.uuid4().hex,))
    database.execute(
        "CREATE TABLE chain (sequence INTEGER PRIMARY KEY, entry INTEGER NOT NULL, previous TEXT NOT NULL, "
        "content TEXT NOT NULL, hash TEXT NOT NULL)"
    )
    database.execute("CREATE INDEX chain_entry ON chain (entry)")
    database.text_factory, usual = legible, database.text_factory
    try:
        who, now = this_user(), time.time()
        for row in database.execute("SELECT * FROM changes ORDER BY id").fetchall():
            append(database, "kept", row["id"], values_of(row), who, now)
    finally:
        database.text_factory = usual


def legible(data: bytes) -> str:
    """A stored text; invalid bytes are replaced."""
    return data.decode("utf-8", "backslashreplace")


def values_of(row: sqlite3.Row) -> dict[str, Any]:
    """The part of an entry that the chain holds."""
    values = {name: row[name] for name in row.keys() if name not in ("id", *STAYS)}  # noqa: SIM118 (no dict)
    return {name: value.hex() if isinstance(value, bytes) else value for name, value in values.items()}


def append(database: sqlite3.Connection, event: Event, entry: int, values: Mapping[str, Any], who: Who, at: float) -> Link:
    """Append a row to the chain, in the current transaction, which must be a write transaction."""
    last = database.execute("SELECT sequence, hash FROM chain ORDER BY sequence DESC LIMIT 1").fetchone()
    sequence, previous = (last["sequence"] + 1, last["hash"]) if last is not None else (1, FIRST)
    fields = {"at": at, "entry": entry, "event": event, "machine": who.machine, "person": who.person, "values": dict(values)}
    content = json.dumps(fields, sort_keys=True, separators=(",", ":"))
    chain = chain_id(database)
    link = Link(chain, sequence, previous, content, hash_of(chain, sequence, previous, content))
    database.execute("INSERT INTO chain VALUES (?, ?, ?, ?, ?)", (sequence, entry, previous, content, link.hash))
    return link


def prune(database: sqlite3.Connection, entries: int, who: Who, at: float, *, sends: bool) -> None:
    """Remove the entries up to a number, and the rows before the first row of an entry that stays.

    Args:
        database: with a write transaction.
        entries: the number of the last entry to remove.
        who: whose program removes them.
        at: the current time in Unix seconds.
        sends: whether rows are sent to a server: then rows that are not sent yet stay.
    """
    database.execute("DELETE FROM changes WHERE id <= ?", (entries,))
    first = database.execute("SELECT min(sequence) FROM chain WHERE entry > ?", (entries,)).fetchone()[0] or 1
    rows = min(first - 1, sent(database)) if sends else first - 1
    end = database.execute("SELECT hash FROM chain WHERE sequence = ?", (rows,)).fetchone()
    values = {"entries": entries, "rows": rows if end is not None else 0, "hash": end["hash"] if end is not None else ""}
    append(database, "pruned", 0, values, who, at)
    if end is not None:
        database.execute("DELETE FROM chain WHERE sequence <= ?", (rows,))


def chain_id(database: sqlite3.Connection) -> str:
    """The id of the log's chain.

    Raises:
        sqlite3.DatabaseError: it was removed.
    """
    row = database.execute("SELECT value FROM chain_state WHERE name = 'id'").fetchone()
    if row is None:
        raise sqlite3.DatabaseError("the id of the audit log's chain was removed")
    return str(row["value"])


def links(database: sqlite3.Connection, after: int = 0, most: int = -1) -> Iterator[Link]:
    """The rows after a number, in order."""
    chain = chain_id(database)
    what = "SELECT sequence, previous, content, hash FROM chain WHERE sequence > ? ORDER BY sequence LIMIT ?"
    for row in database.execute(what, (after, most)):
        yield Link(chain, *row)


def sent(database: sqlite3.Connection) -> int:
    """The number of the last row that is known to be on the server; 0 for none."""
    row = database.execute("SELECT value FROM chain_state WHERE name = 'sent'").fetchone()
    return int(row["value"]) if row is not None and str(row["value"]).isdigit() else 0


def note_sent(database: sqlite3.Connection, sequence: int) -> None:
    """Record that the rows up to a number are on the server."""
    if sequence > sent(database):
        database.execute("INSERT OR REPLACE INTO chain_state VALUES ('sent', ?)", (str(sequence),))
