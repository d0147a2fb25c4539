"""The SQLite database that the sandbox's stores share: one connection, one lock, transactions that nest.

It is in memory, in a file that somebody keeps (`keeping`), or in an unnamed temporary file of SQLite, which is gone when the
program ends, however it ends.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import finalize

MEMORY, PASSING = ":memory:", ""
"""In memory; and in a file that nobody sees and that does not outlive the program."""

_CACHE = 32 * 1024
"""Kilobytes of a database on disk that are kept in memory."""


class Database:
    """A database. Safe to use from several threads, which take turns.

    Args:
        path: a file, which nobody else can use from the first statement on, `MEMORY` or `PASSING`.

    Attributes:
        lock: must be held while the connection is used.
        connection: commits every statement by itself, outside of `changes`.
    """

    def __init__(self, path: str = MEMORY) -> None:
        self.lock = threading.RLock()
        self.connection = sqlite3.connect(path, timeout=0, check_same_thread=False, isolation_level=None)
        # A sandbox in memory lasts as long as its application, which nobody closes.
        finalize(self, self.connection.close).atexit = False
        try:
            if path != MEMORY:
                # Set before the first read: otherwise SQLite would create a file for a journal shared between connections.
                self.connection.execute("PRAGMA locking_mode = EXCLUSIVE")
                self.connection.execute(f"PRAGMA cache_size = -{_CACHE}")
            self.connection.execute("PRAGMA synchronous = OFF")
            self.connection.create_function("fold", 1, fold, deterministic=True)
        except sqlite3.Error:
            self.connection.close()
            raise

    def close(self) -> None:
        """Close it; it cannot be used afterwards."""
        with self.lock:
            self.connection.close()

    def tables(self) -> list[str]:
        """The names of all tables."""
        with self.lock:
            return [name for (name,) in self.connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]

    @contextmanager
    def changes(self) -> Iterator[None]:
        """Everything inside happens at once or not at all."""
        with self.lock:
            if self.connection.in_transaction:
                yield
                return
            self.connection.execute("BEGIN")
            try:
                yield
            except BaseException:
                self.connection.execute("ROLLBACK")
                raise
            self.connection.execute("COMMIT")

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Lets an interrupt from the keyboard end a statement that takes long, and not only wait for its end."""
        with self.lock:
            self.connection.set_progress_handler(lambda: 0, 100_000)
            try:
                yield
            except sqlite3.OperationalError as error:
                # An exception in the handler reaches us as an interrupted statement.
                if "interrupted" in str(error):
                    raise KeyboardInterrupt from error
                raise
            finally:
                self.connection.set_progress_handler(None, 0)

    def look_over(self) -> None:
        """Have SQLite analyse the distribution of values, so that it chooses the most selective index."""
        with self.lock:
            self.connection.execute("PRAGMA analysis_limit = 400")
            self.connection.execute("ANALYZE")


def fold(text: Any) -> Any:
    """A text in one case and with normalized spaces, for comparing; other values are returned unchanged."""
    return " ".join(text.casefold().split()) if isinstance(text, str) else text
