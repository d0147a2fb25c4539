"""A limit on concurrent calls, with priorities: the next page of a list goes before the first page of another.

A refresh ends with its longest list, so the next page of that list must not wait for calls that are less urgent.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count


class Limiter:
    """Limits how many calls run at once.

    Args:
        most: the highest number of calls at once.
    """

    def __init__(self, most: int) -> None:
        self._free = most
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._number = count()

    @asynccontextmanager
    async def slot(self, page: int) -> AsyncIterator[None]:
        """Hold a slot; `page`: how many pages of the list were already read; later pages go first."""
        if self._free:
            self._free -= 1
        else:
            mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            heapq.heappush(self._waiting, (-page, next(self._number), mine))
            try:
                await mine
            except asyncio.CancelledError:
                if mine.done() and not mine.cancelled():
                    self._leave()
                raise
        try:
            yield
        finally:
            self._leave()

    def _leave(self) -> None:
        """Pass the slot to the next call in the queue."""
        while self._waiting:
            _, _, other = heapq.heappop(self._waiting)
            if not other.done():
                other.set_result(None)
                return
        self._free += 1
