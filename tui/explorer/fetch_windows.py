"""A list that is fetched as a whole, as the explorer shows it: the running fetch, and windows of the fetched items.

A window is a result like others. It always says how much of the list was fetched.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from registry.calling.result import Result
from tui.explorer.page_history import DIRECTIONS
from tui.keyboard.commands import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from registry.fetch_all.fetched_list import FetchedList
    from registry.fetch_all.list_fetch import ListFetch
    from tui.explorer.page_history import Direction

_KEYS = {command.id: command.shown for command in COMMANDS if command.id in (*DIRECTIONS, "fetch_all")}
_MOST_ITEMS, _MOST_BYTES = 1_000, 4_000_000


class RunningFetch:
    """A set that is being fetched, or was. `raw` are the arguments that decide what is on the list."""

    def __init__(self, fetch: ListFetch, raw: Mapping[str, object]) -> None:
        self.list_fetch = fetch
        self.raw = raw
        self._task: asyncio.Task[FetchedList] | None = None

    @property
    def so_far(self) -> FetchedList:
        """What came until now."""
        return self.list_fetch.so_far

    async def run(self) -> ResultWindow:
        """Fetch, or go on, and give the first window of what came, also when it was stopped.

        Raises:
            CancelledError: it was stopped before anything came, or another call took its place.
        """
        self._task = asyncio.create_task(self.list_fetch.run())
        try:
            await asyncio.wait({self._task})
        except asyncio.CancelledError:
            self.stop()
            await asyncio.wait({self._task})
            raise
        if not self._task.cancelled() or not self.so_far.count:
            self._task.result()
        return await asyncio.to_thread(self.window, (0,))

    def stop(self) -> None:
        """Stop; fetched items are kept."""
        if self._task is not None:
            self._task.cancel()

    def window(self, starts: tuple[int, ...]) -> ResultWindow:
        """The items from a place on, as many as can be looked at together. Reads the disk: call it in a thread."""
        gathered = self.so_far
        end = gathered.items.reach(starts[-1], _MOST_ITEMS, _MOST_BYTES)
        return ResultWindow(
            tool=gathered.tool,
            connection=gathered.connection,
            status=None,
            body=gathered.items.window(starts[-1], _MOST_ITEMS, _MOST_BYTES) if gathered.count or gathered.complete else b"",
            elapsed=gathered.elapsed,
            failure=gathered.failure,
            arguments=self.list_fetch.sent,
            at=time.time(),
            fetch=self,
            fetched_list=gathered,
            starts=starts,
            end=end,
        )

    def window_at(self, place: int) -> ResultWindow:
        """The window that an item lies in. Reads the disk."""
        items, starts = self.so_far.items, [0]
        while (end := items.reach(starts[-1], _MOST_ITEMS, _MOST_BYTES)) <= place < len(items):
            starts.append(end)
        return self.window(tuple(starts))


@dataclass(frozen=True, kw_only=True)
class ResultWindow(Result):
    """A part of a fetched set, as a result whose answer is a list.

    Attributes:
        fetch: what the set came from, and can go on with.
        fetched_list: what had come when this was made.
        starts: where this window starts, behind where those before it do.
        end: the place behind its last item.
    """

    fetch: RunningFetch
    fetched_list: FetchedList
    starts: tuple[int, ...]
    end: int

    def starts_around(self, way: Direction) -> tuple[int, ...] | None:
        """What makes the window behind or before this one; None when there is none."""
        if way == "previous":
            return self.starts[:-1] or None
        return (*self.starts, self.end) if self.end < self.fetched_list.count else None

    @property
    def start(self) -> int:
        """The place of its first item."""
        return self.starts[-1]

    @property
    def words(self) -> str:
        """Where it stands in the set."""
        if not self.fetched_list.count:
            return ""
        which = f"{self.start + 1:,}–{self.end:,} of {self.fetched_list.count:,}"
        which += "" if self.fetched_list.complete else ", more available"
        keys = [f"{_KEYS[way]} {way}" for way in DIRECTIONS if self.starts_around(way) is not None]
        return " · ".join([which, *keys, *([] if self.fetched_list.complete else [f"{_KEYS['fetch_all']} resume"])])
