"""The account's log, kept up to date: new entries are fetched with some overlap, and each entry is kept once.

It consists of two reads: the recent entries with everything, pages to people included, and the important entries of the past
week, which are few. After a time without responses there may be a gap between the two; then the week is read again.
"""

from __future__ import annotations

from registry.oncall import reading
from registry.oncall.clocks import DAY, HOUR, MINUTE
from registry.oncall.facts import Read, once
from registry.oncall.fetch import Clock, FetchedItems, Fetcher, iso
from registry.oncall.model import Event

_KEPT = 7 * DAY
_OVERLAP = 2 * MINUTE
_FIRST_PAGES, _PAGES, _WEEK_PAGES = 4, 10, 40
_MOST = 6_000


class Log:
    """Keeps the log.

    Attributes:
        events: newest first, usually of the last week.
        since: the time since which they are complete.
        history_since: the time since which the important ones are complete; pages to people are not among these.
        whole: whether every entry that was listed could be read.
    """

    def __init__(self, asking: Fetcher, clock: Clock) -> None:
        self.events: tuple[Event, ...] = ()
        self.since: float | None = None
        self.history_since: float | None = None
        self._asking = asking
        self._clock = clock
        self.whole = True
        self._asked_at: float | None = None

    async def go_on(self) -> Read:
        """Read new entries; the first time those of the last day, in at most a few pages.

        Raises:
            FetchFailed: it was not read.
        """
        now = self._clock()
        start = now - DAY if self._asked_at is None else self._asked_at - _OVERLAP
        listed = await self._entries(start, False, _FIRST_PAGES if self._asked_at is None else _PAGES)
        reached = start if listed.complete else _oldest(listed, now)
        joins_on = self.since is not None and self._asked_at is not None and reached <= self._asked_at
        if not joins_on:
            self.since = reached
            if self._asked_at is not None:
                self.history_since = None
        self._asked_at = now
        self.whole = self.whole and not listed.unreadable
        self._keep(listed, now)
        return Read(now, listed.complete, len(self.events), self.since, None, listed.calls, listed.unreadable)

    async def look_back(self) -> Read:
        """Read the important entries of the past week.

        Raises:
            FetchFailed: it was not read.
        """
        now = self._clock()
        start = now - _KEPT
        listed = await self._entries(start, True, _WEEK_PAGES)
        self.history_since = start if listed.complete else _oldest(listed, now)
        self.whole = not listed.unreadable
        self._keep(listed, now)
        return Read(now, listed.complete, len(listed.items), self.history_since, None, listed.calls, listed.unreadable)

    @property
    def reaches_back(self) -> bool:
        """Whether the week was read, and need not be read again."""
        return self.history_since is not None

    def touched_since(self, moment: float | None, incidents: set[str]) -> bool:
        """Whether the log has an entry about one of these incidents after a moment."""
        return moment is not None and any(event.at >= moment and event.incident.id in incidents for event in self.events)

    async def _entries(self, since: float, overview: bool, pages: int) -> FetchedItems:
        arguments = {"since": iso(since), "is_overview": overview}
        return await self._asking.every("ListLogEntries", arguments, "log_entries", reading.event, most=pages)

    def _keep(self, listed: FetchedItems, now: float) -> None:
        found = once((*listed.items, *self.events), lambda event: event.id)
        # The service does not promise an order.
        kept = sorted((one for one in found if one.at >= now - _KEPT - HOUR), key=lambda one: (one.at, one.id), reverse=True)
        self.events = tuple(kept[:_MOST])
        if len(kept) > _MOST:
            # Dropped entries no longer count as known.
            reached = self.events[-1].at
            self.since = reached if self.since is not None and self.since < reached else self.since
            self.history_since = max(self.history_since, reached) if self.history_since is not None else None


def _oldest(listed: FetchedItems, now: float) -> float:
    return min((event.at for event in listed.items), default=now)
