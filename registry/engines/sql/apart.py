"""A list in a database in a separate process, which can be killed at any time.

DuckDB checks for interruptions between values, not within one, and a single value can take minutes and gigabytes. A program
with a screen must keep working during that time, and must be able to exit.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import islice
from typing import IO, Any

from registry.engines.sql.database import INTERRUPTED_EVERY, needs_library
from registry.engines.sql.problem import SqlCancelled, SqlProblem
from registry.engines.sql.process import framed, received
from registry.engines.sql.waiting import PATIENCE

_ITEMS_AT_A_TIME = 500


class ListApart:
    """One list that can be queried. Run one operation at a time; cancelling the operation ends it. Must be closed.

    Attributes:
        columns: the columns of the loaded list with their types; empty before that, and after the process was killed.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._sent = threading.Event()
        self.columns: Sequence[tuple[str, str]] = ()

    async def load(self, name: str, items: Iterable[bytes]) -> None:
        """Load the list as a table. The items are read in a thread.

        Raises:
            SqlProblem: an item is not JSON, or DuckDB is not installed.
            SqlCancelled: it was closed in the meantime.
        """
        _, columns = await self._asked("load", name, items=items)
        self.columns = [(str(column), str(type_)) for column, type_ in columns]

    async def ask(self, query: str, most_rows: int, most_bytes: int) -> tuple[Sequence[bytes], bool]:
        """The first rows of a query's result, as JSON objects, and whether there are more.

        Raises:
            SqlProblem: the query is wrong.
            SqlCancelled: it was closed in the meantime.
        """
        _, rows, more = await self._asked("ask", query, most_rows, most_bytes)
        return rows, more

    def close(self) -> None:
        """Kill the process, even if it is busy."""
        self.columns = ()
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            threading.Thread(target=_put_away, args=(process,), name="a query's process").start()

    async def _asked(self, *message: object, items: Iterable[bytes] = ()) -> Sequence[Any]:
        if self._process is None:
            self._process = _started()
        process = self._process
        self._sent.clear()
        exchange = asyncio.ensure_future(asyncio.to_thread(self._exchanged, process, message, items))
        try:
            response = await asyncio.shield(exchange)
        except asyncio.CancelledError:
            await self._stop(process, exchange)
            raise
        except (OSError, EOFError, ValueError):
            if self._process is not process:
                raise SqlCancelled from None
            self.close()
            raise SqlProblem("DuckDB ended while it ran this", "select fewer columns or rows") from None
        if response[0] == "problem":
            _, words, way_out, others = response
            raise SqlProblem(words, way_out, **others)
        if response[0] == "cancelled":
            raise SqlCancelled
        return response

    async def _stop(self, process: subprocess.Popen[bytes], exchange: asyncio.Future[Any]) -> None:
        """Interrupt the running operation, and kill the process if that does not help."""
        exchange.add_done_callback(lambda done: done.cancelled() or done.exception())  # its error is expected
        for _ in range(int(PATIENCE / INTERRUPTED_EVERY)):
            if exchange.done():
                return
            if not self._sent.is_set():
                break  # half a message was sent: no other can follow
            with suppress(OSError, ValueError):
                _write(process, ("stop",))
            await asyncio.wait({exchange}, timeout=INTERRUPTED_EVERY)
        if self._process is process and not exchange.done():
            self.close()

    def _exchanged(self, process: subprocess.Popen[bytes], message: object, items: Iterable[bytes]) -> Sequence[Any]:
        going = iter(items)
        while some := list(islice(going, _ITEMS_AT_A_TIME)):
            _write(process, ("items", some))
        _write(process, message)
        self._sent.set()
        response = received(_there(process.stdout))
        if response is None:
            raise EOFError
        return response


def _write(process: subprocess.Popen[bytes], message: object) -> None:
    stream = _there(process.stdin)
    stream.write(framed(message))
    stream.flush()


def _there(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None, "it was asked for as a pipe"
    return stream


def _put_away(process: subprocess.Popen[bytes]) -> None:
    process.wait()
    for stream in (process.stdin, process.stdout):
        with suppress(OSError):
            _there(stream).close()


def _started() -> subprocess.Popen[bytes]:
    """Start the process.

    Raises:
        SqlProblem: DuckDB is not installed, or no process can be started.
    """
    needs_library()
    # -P: do not import modules from the current folder.
    command = [sys.executable, "-P", "-m", "registry.engines.sql.process"]
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(  # noqa: S603  # the program itself
            command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, start_new_session=True
        )
    except OSError as error:
        raise SqlProblem(f"cannot start a process for the query: {error.strerror}", kind="library") from None
