"""Runs work on a database for an event loop: in a thread, one task at a time, interrupted if it is cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from registry.engines.sql.database import INTERRUPTED_EVERY, Database

Value = TypeVar("Value")


PATIENCE = 1.0
"""Seconds for interrupted work to end: DuckDB checks for interruptions between values, not within one."""


async def in_thread(database: Database, work: Callable[[], Value], give_up: Callable[[], object] | None = None) -> Value:
    """The result of some work on a database. A cancellation interrupts the work, and waits for its end.

    Args:
        database: the database.
        work: the work.
        give_up: called if the work goes on after the interruption; then only the end of the process ends it.

    Raises:
        SqlProblem, SqlCancelled: as raised by the work.
    """

    def alone() -> Value:
        with database.busy:
            return work()

    running = asyncio.ensure_future(asyncio.to_thread(alone))
    running.add_done_callback(lambda done: done.cancelled() or done.exception())  # its error is expected
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        asked = 0
        while not running.done():
            database.interrupt()
            await asyncio.wait({running}, timeout=INTERRUPTED_EVERY)
            asked += 1
            if give_up is not None and asked * INTERRUPTED_EVERY > PATIENCE:
                give_up()
        raise
