"""Work on a database beside an event loop: in a thread, one piece at a time, and interrupted when it is cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from registry.sql.database import INTERRUPTED_EVERY, Database

Value = TypeVar("Value")


async def in_thread(database: Database, work: Callable[[], Value]) -> Value:
    """The result of some work on a database. When this is cancelled, the work is interrupted, and has ended before it is.

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
        while not running.done():
            database.interrupt()
            await asyncio.wait({running}, timeout=INTERRUPTED_EVERY)
        raise
