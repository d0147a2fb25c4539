"""SQLite files that the program keeps between runs: where they are, and how they are opened and brought up to date.

Only their user can read them. Several programs and threads may use a file at once: a step waits for the one before it. The
first program that opens a file of an older version brings it up to date. A file of a newer version is left unchanged.
"""

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from platformdirs import user_state_path

from registry.files.folders import exists, private_folder, reason

AUDIT, HISTORY, AGENT_REQUESTS, AGENTS_TOKEN = "changes.db", "journal.db", "agents.db", "mcp-token"
"""The audit log, the history of calls, changes that agents request, and the token of the MCP server over HTTP."""

_PATIENCE = 30.0
"""Seconds that a step waits for another program's step."""

AUDIT_VARIABLE = "CALLBOARD_AUDIT_FILE"
"""The variable that names the user's own copy of the audit log."""


class JournalError(Exception):
    """The journal cannot be read or changed; the text says why, and which file it is. `damaged`: the file is no database."""

    def __init__(self, words: str, error: Exception) -> None:
        super().__init__(words)
        self.damaged = isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError)


def storable(text: str) -> str:
    """A text in which halves of surrogate pairs, which SQLite cannot store, are backslash escapes."""
    return text.encode("utf-8", "backslashreplace").decode()


def insertion(table: str, names: Iterable[str]) -> str:
    """The statement that adds a row with named values."""
    return f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join(f':{name}' for name in names)})"


def state_file(name: str, folder: Path | None = None) -> Path:
    """The file with one of these names, in a folder; by default in the user's state folder."""
    return (folder or user_state_path("callboard")) / name


class Store:
    """One file.

    Args:
        file: its path; created, with its folder, when it is first opened.
        schema: the statements that make it, or bring an older one up to date (what is there stays); `version` is the schema's.
        what: what is in it, for error messages: ``the history``.
        reads_beside_writes: let readers continue during a write, with a write-ahead log beside the file.
    """

    def __init__(
        self, file: Path, schema: Sequence[str], what: str, *, version: int = 1, reads_beside_writes: bool = False
    ) -> None:
        self.file, self._schema, self._what = file, schema, what
        self._version, self._beside = version, reads_beside_writes

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection for one step; to an empty database while there is no file.

        Raises:
            JournalError: the file cannot be used; the text says why.
        """
        try:
            with closing(self.open(create=False)) as database, database:
                yield database
        except (sqlite3.Error, OSError) as error:
            raise JournalError(f"Cannot read {self._what}: {reason(error, self.file)}", error) from error

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A connection in a transaction, which is committed at the end.

        Raises:
            JournalError: the file cannot be used; the text says why, and not what is in it.
        """
        try:
            with closing(self.open()) as database, database:
                database.execute("BEGIN IMMEDIATE")  # no other program can write until the commit
                yield database
        except (sqlite3.Error, OSError) as error:
            raise JournalError(reason(error, self.file), error) from error

    def open(self, *, create: bool = True) -> sqlite3.Connection:
        """A new connection, with rows by name and the current schema. A missing file is created, or else is empty, in memory.

        Raises:
            sqlite3.Error: it is not a database, is damaged, belongs to a newer version, or cannot be read.
            OSError: the file or its folder cannot be created.
        """
        is_there = exists(self.file)
        if create and not is_there:
            # Made before any connection: a process that opens and closes a database file by itself drops every lock that its
            # own connections hold on it (POSIX advisory locks).
            private_folder(self.file.parent)
            with suppress(FileExistsError):  # another program was first
                os.close(os.open(self.file, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        file = self.file if create or is_there else ":memory:"
        database = sqlite3.connect(file, timeout=_PATIENCE, check_same_thread=False)
        try:
            database.row_factory = sqlite3.Row
            database.execute("PRAGMA secure_delete = ON")  # overwrite deleted data; do not only mark it as free
            if self._beside and file == self.file:
                _write_ahead(database)
            version: int = database.execute("PRAGMA user_version").fetchone()[0]
            if version > self._version:
                raise sqlite3.DatabaseError(f"written by a newer version of Callboard (schema {version}); update Callboard")
            if version < self._version:
                with database:
                    database.execute("BEGIN IMMEDIATE")
                    for statement in self._schema:
                        database.execute(statement)
                    database.execute(f"PRAGMA user_version = {self._version}")
        except BaseException:
            database.close()
            raise
        return database

    def remove(self) -> None:
        """Remove the file and SQLite's files beside it."""
        for ending in ("", "-wal", "-shm", "-journal"):
            Path(f"{self.file}{ending}").unlink(missing_ok=True)


def _write_ahead(database: sqlite3.Connection) -> None:
    """Switch to a write-ahead log. SQLite does not wait for other programs in this statement, so it is repeated."""
    end = time.monotonic() + _PATIENCE
    while database.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            database.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(0.02)
    database.execute("PRAGMA synchronous = NORMAL")
