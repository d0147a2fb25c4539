"""Reads pages in order. The next page is requested as soon as a page is received, and before that page is processed.

Slow work on a received page (masking, parsing, writing it to disk) is done while the next one is being fetched. There are
never two requests at once, and at most one received page waits to be processed. A request for an unwanted page is cancelled.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from typing import Any

from registry.calling.access import Ahead
from registry.calling.result import Result, ResultPage
from registry.calling.sending import Observer, Progress

_PATIENCE = 0.05
"""Seconds until a received page is processed, even if the request for the next one was not sent yet."""

Raw = Mapping[str, object]
Read = Callable[[Raw, Observer, Ahead], Coroutine[Any, Any, Result]]


class PagesAhead:
    """Reads the pages of one list.

    Attributes:
        dropped: the number of pages that were requested and cancelled.

    Args:
        read: reads the page for these arguments.
        following: the arguments of the page after one that is not processed yet; None if it must not be requested yet.
        observer: called with the progress of the page that is waited for.
    """

    def __init__(self, read: Read, following: Callable[[ResultPage], Raw | None], observer: Observer) -> None:
        self._read, self._following, self._observer = read, following, observer
        self.dropped = 0
        self._next: _Page | None = None

    async def page(self, raw: Raw) -> tuple[Result, bool]:
        """The page for these arguments, and whether this was cancelled meanwhile: a received page is returned anyway."""
        page = self._next
        if page is None or page.raw != raw:
            await self.drop()
            page = self._begin(raw)
        self._next = None
        page.becomes_current(self._observer)
        cancelled = False
        try:
            await asyncio.wait({page.task})
        except asyncio.CancelledError:
            await self.drop()
            if not page.has_come:
                await _end(page.task)
                raise
            cancelled = True
            await asyncio.wait({page.task})
        return page.task.result(), cancelled

    async def drop(self) -> None:
        """Cancel the page that was requested ahead, if there is one."""
        page, self._next = self._next, None
        if page is not None:
            self.dropped += 1
            await _end(page.task)

    def _begin(self, raw: Raw) -> _Page:
        page = _Page(raw, self._go_on)
        page.task = asyncio.create_task(self._read(raw, page.observe, page))
        page.task.add_done_callback(lambda _: page.gone.set())
        return page

    async def _go_on(self, page: ResultPage) -> None:
        raw = self._following(page)
        if raw is not None:
            self._next = following = self._begin(raw)
            with suppress(TimeoutError):
                async with asyncio.timeout(_PATIENCE):
                    await following.gone.wait()


class _Page:
    """A page that is being read, perhaps ahead of its turn. Its progress is only reported once it is waited for.

    Attributes:
        raw: the arguments.
        task: reads it.
        gone: set when its request was sent, or it has ended.
        has_come: it was received while it was waited for.
    """

    task: asyncio.Task[Result]

    def __init__(self, raw: Raw, go_on: Callable[[ResultPage], Coroutine[Any, Any, None]]) -> None:
        self.raw, self._go_on = raw, go_on
        self.gone, self._is_current = asyncio.Event(), asyncio.Event()
        self.has_come = False
        self._observer: Observer | None = None
        self._unreported: list[Progress] = []

    def becomes_current(self, observer: Observer) -> None:
        """It is now waited for: report its progress so far, and from now on."""
        self._observer = observer
        self._is_current.set()
        for progress in self._unreported:
            observer(progress)

    def observe(self, progress: Progress) -> None:
        """Store or report its progress."""
        if self._observer is None:
            self._unreported.append(progress)
        else:
            self._observer(progress)

    def sent(self) -> None:
        """See `Ahead`."""
        self.gone.set()

    async def came(self, page: ResultPage) -> None:
        """See `Ahead`."""
        await self._is_current.wait()
        self.has_come = True
        await self._go_on(page)


async def _end(task: asyncio.Task[Result]) -> None:
    """Cancel a task, and wait for its end."""
    task.cancel()
    await asyncio.wait({task})
    if not task.cancelled():
        task.exception()
