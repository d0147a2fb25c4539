"""Sends rows to the server in the background, and retries later if the server could not be reached."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable

from registry.team.server import ServerUnavailable

AGAIN = 60.0
"""Seconds until the next try after the server could not be reached, or the log could not be read."""

LEAVING = 1.0
"""Seconds that a program waits at exit for rows being sent; rows that do not arrive are sent the next time."""


class AuditUploader:
    """Runs one upload at a time on the event loop.

    Args:
        send: sends the rows that are not on the server yet; raises `ServerUnavailable`, or an error from reading the log.
        again: seconds until the next try after a failure.
    """

    def __init__(self, send: Callable[[], Awaitable[object]], again: float = AGAIN) -> None:
        self._send = send
        self._again = again
        self._task: asyncio.Task[None] | None = None
        self._more = asyncio.Event()
        self._resting = False
        self.problem = ""
        """Why the last upload failed; empty if it did not."""

    def wake(self) -> None:
        """Start sending. Returns at once."""
        self._more.set()
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        while self._more.is_set():
            self._more.clear()
            try:
                await self._send()
                self.problem = ""
            except (ServerUnavailable, sqlite3.Error, OSError) as error:
                self.problem = str(error)
                self._resting = True
                try:
                    async with asyncio.timeout(self._again):
                        await self._more.wait()
                except TimeoutError:
                    self._more.set()
                finally:
                    self._resting = False

    async def aclose(self) -> None:
        """Stop; rows being sent get a moment to arrive."""
        if self._task is None:
            return
        if not self._resting:
            await asyncio.wait({self._task}, timeout=LEAVING)
        self._task.cancel()
        await asyncio.wait({self._task})
        self._task = None  # the task would keep the connection that it was opening
