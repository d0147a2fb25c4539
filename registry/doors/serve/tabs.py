"""All tabs: opened within the limits, found again by their visitors, and ended when unused or with the server."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Literal

from registry.doors.serve.tab import Limits, Tab

Shows = Literal["explorer", "oncall"]

_LOOK_EVERY = 1.0


class TooMany(Exception):
    """There are too many tabs; the text gives the limit."""


class Tabs:
    """The tabs of one server.

    Args:
        command: returns the program's command, by the screen that it shows first.
        environment: returns a program's environment, by its folder.
        limits: limits of all tabs.
    """

    def __init__(
        self,
        command: Callable[[Shows], Sequence[str]],
        environment: Callable[[Path], Mapping[str, str]],
        limits: Limits,
    ) -> None:
        self.limits = limits
        self._command = command
        self._environment = environment
        self._tabs: dict[str, Tab] = {}
        self._closing: set[asyncio.Task[None]] = set()
        self._over = False

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Tabs can be opened within this context; at its end all are ended, and their folders deleted."""
        sweeper = asyncio.create_task(self._sweep())
        try:
            yield
        finally:
            self._over = True
            sweeper.cancel()
            for tab in list(self._tabs.values()):
                self._close(tab)
            await asyncio.gather(sweeper, *self._closing, return_exceptions=True)

    async def open(self, visitor: str, shows: Shows, columns: int, lines: int) -> Tab:
        """A new tab.

        Raises:
            TooMany: the limit is reached.
            OSError: the program cannot be started.
        """
        if self._over or len(self._tabs) + len(self._closing) >= self.limits.tabs:
            raise TooMany(f"No more than {self.limits.tabs} tabs at a time. Close one that is not needed.")
        folder = Path(mkdtemp(prefix="callboard-tab-"))
        tab = Tab(secrets.token_urlsafe(16), visitor, folder, self.limits)
        self._tabs[tab.id] = tab
        try:
            environment = await asyncio.to_thread(self._environment, folder)
            await tab.start(self._command(shows), environment, columns, lines)
        except BaseException:
            self._close(tab)
            raise
        return tab

    def find(self, id_: str, visitor: str) -> Tab | None:
        """A visitor's tab; None if there is none, or it has ended."""
        tab = self._tabs.get(id_)
        return tab if tab is not None and tab.owner == visitor and not tab.ended.is_set() else None

    def finish(self, tab: Tab) -> None:
        """Remove a tab whose program has ended."""
        if tab.id in self._tabs:
            self._close(tab)

    def _close(self, tab: Tab) -> None:
        del self._tabs[tab.id]
        closing = asyncio.create_task(_ended(tab))
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(_LOOK_EVERY)
            self._end_unused(asyncio.get_running_loop().time())

    def _end_unused(self, now: float) -> None:
        """End the tabs that were not used for too long at this time of the loop's clock, and remove those that have ended."""
        for tab in list(self._tabs.values()):
            if tab.ended.is_set():
                unused = tab.left is not None  # a page that is connected removes it itself
            elif unused := tab.left is not None and now - tab.left > self.limits.away:
                tab.why = f"Its page was closed or not connected for {_minutes(self.limits.away)}."
            elif unused := now - tab.touched > self.limits.idle:
                tab.why = f"No key was pressed for {_minutes(self.limits.idle)}."
            if unused:
                self._close(tab)


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:g} minute{'' if seconds == 60 else 's'}"


async def _ended(tab: Tab) -> None:
    try:
        await tab.close()
    finally:
        with contextlib.suppress(OSError):
            await asyncio.to_thread(rmtree, tab.folder, ignore_errors=True)
