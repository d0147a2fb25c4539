"""The process that `registry.engines.sql.apart` starts: it keeps one list in a database and answers queries on it.

Messages come on standard input and go out on standard output, each as its length and MessagePack:

- ``items``, some of the list's items; there is no response
- ``load``, the list's name, after all its items were sent; the response is its columns
- ``ask``, a query and how much of its result is wanted; the response is rows
- ``stop`` interrupts the running operation

The process ends when its input does.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import IO, Any

import msgspec

from registry.engines.sql.database import Database
from registry.engines.sql.language import quoted
from registry.engines.sql.memory import bounded_memory
from registry.engines.sql.problem import SqlCancelled, SqlProblem, too_large

Response = Sequence[object]
Work = Callable[[], Response]

_LENGTH = 8
"""The number of bytes of a message's length."""


def framed(message: object) -> bytes:
    """A message as it is sent."""
    text = msgspec.msgpack.encode(message)
    return len(text).to_bytes(_LENGTH, "big") + text


def received(source: IO[bytes]) -> Sequence[Any] | None:
    """The next message; None at the end of the input."""
    head = source.read(_LENGTH)
    size = int.from_bytes(head, "big")
    text = source.read(size) if len(head) == _LENGTH else b""
    message: Sequence[Any] | None = msgspec.msgpack.decode(text) if text and len(text) == size else None
    return message


def main() -> None:
    """Respond until the input ends."""
    source, target = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # only messages go to standard output
    try:
        with bounded_memory():
            _respond_to_all(source, target)
    finally:
        # A query that still runs is inside DuckDB, and may never end.
        os._exit(0)


def _respond_to_all(source: IO[bytes], target: IO[bytes]) -> None:
    try:
        database = Database()
    except SqlProblem as problem:
        _send(target, _problem_response(problem))
        return
    work: queue.SimpleQueue[Work] = queue.SimpleQueue()
    threading.Thread(target=_work, args=(work, target), name="queries", daemon=True).start()
    try:
        # The items stay in a file: they are read twice, and there may be more than fit into memory.
        with database.temporary_file() as kept:
            while (message := received(source)) is not None:
                match message:
                    case ["items", items]:
                        kept.write(framed(items))
                    case ["load", name]:
                        database.again()
                        work.put(partial(_load, database, name, kept))
                    case ["ask", query, rows, size]:
                        database.again()
                        work.put(partial(_ask, database, query, rows, size))
                    case _:
                        database.interrupt()
    finally:
        database.remove_files()


def _work(work: queue.SimpleQueue[Work], target: IO[bytes]) -> None:
    while True:
        try:
            response = work.get()()
        except SqlProblem as problem:
            response = _problem_response(problem)
        except SqlCancelled:
            response = ("cancelled",)
        except MemoryError:
            response = _problem_response(too_large())
        _send(target, response)


def _load(database: Database, name: str, kept: IO[bytes]) -> Response:
    def items() -> Iterator[bytes]:
        kept.seek(0)
        while (some := received(kept)) is not None:
            yield from some

    database.run_own(f"DROP TABLE IF EXISTS {quoted(name)}")  # from a cancelled load
    try:
        return "columns", database.add_items((name,), items).columns
    finally:
        kept.seek(0)
        kept.truncate()


def _ask(database: Database, query: str, most_rows: int, most_bytes: int) -> Response:
    rows: list[bytes] = []
    size = 0
    going = database.query(query).rows
    for row in islice(going, most_rows):
        rows.append(row)
        size += len(row)
        if size > most_bytes:
            break
    return "rows", rows, next(going, None) is not None


def _problem_response(problem: SqlProblem) -> Response:
    kept = {"position": problem.position, "kind": problem.kind, "missing": problem.missing, "unfinished": problem.unfinished}
    return "problem", problem.words, problem.way_out, kept


def _send(target: IO[bytes], message: object) -> None:
    target.write(framed(message))
    target.flush()


if __name__ == "__main__":
    main()
