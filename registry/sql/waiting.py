"""Work on a database beside an event loop: in a thread, one piece at a time, and interrupted when it is cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from registry.sql.database import INTERRUPTED_EVERY, Database

Value = TypeVar("Value")


PATIENCE = 1.0
"""Seconds that interrupted work has to end by itself: DuckDB looks for interruptions between values, not inside one."""


async def in_thread(database: Database, work: Callable[[], Value], give_up: Callable[[], object] | None = None) -> Value:
    """The result of some work on a database. When this is cancelled, the work is interrupted, and has ended before it is.

    Args:
        database: the database.
        work: the work.
        give_up: is called when the work goes on although it was interrupted; nothing but the end of the process ends it.

    Raises:
        SqlProblem, SqlCancelled: as the work does.
    """

    def alone() -> Value:
        with database.busy:
            return work()

    running = asyncio.ensure_future(asyncio.to_thread(alone))
    running.add_done_callback(lambda done: done.cancelled() or done.exception())  # it is known why it ended
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
