"""A few places for calls that run side by side; whoever goes on with a list comes before whoever begins with one.

A long list is what a refresh waits for in the end, so its next page must not stand in line behind calls that have time.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count


class Limiter:
    """So many calls at once.

    Args:
        most: how many.
    """

    def __init__(self, most: int) -> None:
        self._free = most
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._number = count()

    @asynccontextmanager
    async def slot(self, page: int) -> AsyncIterator[None]:
        """Hold a place; `page` is how many pages of the list have come before, and later pages come first."""
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
        """Give the place to whoever comes next."""
        while self._waiting:
            _, _, other = heapq.heappop(self._waiting)
            if not other.done():
                other.set_result(None)
                return
        self._free += 1
