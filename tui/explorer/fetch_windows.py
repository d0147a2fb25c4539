"""A list that is fetched as a whole, as the explorer shows it: the running fetch, and windows of the fetched items.

A window is a result like others. It always says how much of the list was fetched.
"""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass

from registry.calling.result import Result
from registry.results.list_fetch import ListFetch
from tui.explorer.page_history import DIRECTIONS, Direction
from tui.keyboard.commands import COMMANDS

_KEYS = {command.id: command.shown for command in COMMANDS if command.id in (*DIRECTIONS, "fetch_all")}
_MOST_ITEMS, _MOST_BYTES = 1_000, 4_000_000


class RunningFetch:
    """A list that is being fetched, or was. `raw` are the arguments that decide what is in the list."""

    def __init__(self, fetch: ListFetch, raw: Mapping[str, object]) -> None:
        self.list_fetch = fetch
        self.raw = raw
        self._task: asyncio.Task[ListFetch] | None = None

    async def run(self) -> "ResultWindow":
        """Fetch, or continue, and return the first window of what was fetched, also when it was stopped.

        Raises:
            CancelledError: it was stopped before any item was fetched, or another call took its place.
        """
        self._task = asyncio.create_task(self.list_fetch.run())
        try:
            await asyncio.wait({self._task})
        except asyncio.CancelledError:
            self.stop()
            await asyncio.wait({self._task})
            raise
        if not self._task.cancelled() or not self.list_fetch.count:
            self._task.result()
        return await asyncio.to_thread(self.window, (0,))

    def stop(self) -> None:
        """Stop; fetched items are kept."""
        if self._task is not None:
            self._task.cancel()

    def window(self, starts: tuple[int, ...]) -> "ResultWindow":
        """The items from the last of `starts` on, as many as one window holds. Reads the disk: call it in a thread."""
        gathered = self.list_fetch
        end = gathered.items.reach(starts[-1], _MOST_ITEMS, _MOST_BYTES)
        return ResultWindow(
            tool=gathered.tool.name,
            connection=gathered.connection.name,
            status=None,
            body=gathered.items.window(starts[-1], _MOST_ITEMS, _MOST_BYTES) if gathered.count or gathered.complete else b"",
            elapsed=gathered.elapsed,
            failure=gathered.failure,
            arguments=self.list_fetch.sent,
            at=time.time(),
            fetch=self,
            starts=starts,
            end=end,
        )

    def window_at(self, place: int) -> "ResultWindow":
        """The window with an item. Reads the disk."""
        items, starts = self.list_fetch.items, [0]
        while (end := items.reach(starts[-1], _MOST_ITEMS, _MOST_BYTES)) <= place < len(items):
            starts.append(end)
        return self.window(tuple(starts))


@dataclass(frozen=True, kw_only=True)
class ResultWindow(Result):
    """A part of a fetched list, as a result with a list of its own.

    Attributes:
        fetch: the fetch, to continue it.
        starts: where the windows before this one start, then where this one does.
        end: the index after its last item.
    """

    fetch: RunningFetch
    starts: tuple[int, ...]
    end: int

    def starts_around(self, way: Direction) -> tuple[int, ...] | None:
        """The `starts` of the window after or before this one; None if there is none."""
        if way == "previous":
            return self.starts[:-1] or None
        return (*self.starts, self.end) if self.end < self.list_fetch.count else None

    @property
    def list_fetch(self) -> ListFetch:
        """What was fetched until now."""
        return self.fetch.list_fetch

    @property
    def start(self) -> int:
        return self.starts[-1]

    @property
    def words(self) -> str:
        """Which items of the list these are, and the keys to others."""
        if not self.list_fetch.count:
            return ""
        which = f"{self.start + 1:,}–{self.end:,} of {self.list_fetch.count:,}"
        which += "" if self.list_fetch.complete else ", more available"
        keys = [f"{_KEYS[way]} {way}" for way in DIRECTIONS if self.starts_around(way) is not None]
        return " · ".join([which, *keys, *([] if self.list_fetch.complete else [f"{_KEYS['fetch_all']} resume"])])
