"""One incident's own timeline, and earlier incidents like it: who resolved them, and how fast.

There is no tool for the log of one incident, so its timeline is the account's log, filtered. The log that the board has read is
used first; if that begins later than the incident, the missing part is requested. A timeline has the time since which it is
complete. "Like it" means: of the same service, with a title that is the same but for numbers and text in brackets.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

from registry.oncall import reading
from registry.oncall.clocks import DAY, HOUR
from registry.oncall.facts import Facts, Trouble, once
from registry.oncall.fetch import Call, Clock, Fetcher, FetchFailed, iso
from registry.oncall.groups import alike
from registry.oncall.model import NOTHING, RESOLVED, CallSource, Event, Incident, Ref

EARLIER_DAYS = (7, 30, 90, 175)
"""How many days back to search for earlier incidents, step by step; the service accepts at most six months."""
_LOG_PAGES, _LIST_PAGES = 20, 20
_MOST_ENTRIES = 500


@dataclass(frozen=True, slots=True)
class Timeline:
    """The log entries of one incident.

    Attributes:
        incident: the incident.
        events: oldest first; only the newest 500.
        since: the time since which they are complete; None if not known.
        cut: how many older ones are omitted.
        trouble: why older ones could not be read; None if they could.
    """

    incident: Incident
    events: tuple[Event, ...]
    since: float | None
    cut: int = 0
    trouble: Trouble | None = None

    @property
    def whole(self) -> bool:
        """Whether it reaches back to the incident's beginning."""
        return self.since is not None and self.since <= self.incident.created and not self.cut


@dataclass(frozen=True, slots=True)
class EarlierIncident:
    """A resolved incident: when it was resolved (Unix seconds), and by whom, if known."""

    incident: Incident
    resolved_at: float
    resolved_by: Ref

    @property
    def lasted(self) -> float:
        """Seconds from its beginning to its end."""
        return max(self.resolved_at - self.incident.created, 0.0)


@dataclass(frozen=True, slots=True)
class Earlier:
    """Earlier incidents like one.

    Attributes:
        days: how many days back was searched.
        alike: those of the same service with a similar title, newest first.
        same_service: the number of all incidents of the same service.
        complete: whether the list was read completely.
        trouble: why they were not read; then the other values are empty.
    """

    days: int
    alike: tuple[EarlierIncident, ...] = ()
    same_service: int = 0
    complete: bool = True
    trouble: Trouble | None = None

    @property
    def by_person(self) -> list[tuple[Ref, int, float]]:
        """Who resolved how many of the similar ones, and in how many seconds (median); the most first."""
        found: dict[tuple[str, str], list[EarlierIncident]] = {}
        for one in self.alike:
            who = one.resolved_by
            found.setdefault((who.id, "" if who.id else who.name), []).append(one)
        people = [(group[0].resolved_by, len(group), median(one.lasted for one in group)) for group in found.values()]
        return sorted(people, key=lambda person: (not person[0].id, -person[1], person[2], person[0].name))


def logged(incident: Incident, facts: Facts) -> Timeline:
    """An incident's timeline from the board's log."""
    return _timeline(incident, facts.events, _complete_since(facts), None)


class IncidentHistory:
    """Reads what the board's facts lack about an incident.

    Args:
        call: runs a tool.
        clock: the current time.
    """

    def __init__(self, call: Call, clock: Clock) -> None:
        self._asking = Fetcher(call, clock, lambda _: None)
        self._clock = clock

    async def timeline(self, incident: Incident, facts: Facts) -> Timeline:
        """An incident's timeline, back to its beginning if the log can be read that far. Failures are in the result."""
        here = logged(incident, facts)
        if here.whole:
            return here
        start, now = incident.created - 60, self._clock()
        until = here.since if here.since is not None else now
        arguments = {"since": iso(start), "until": iso(min(until + 60, now + HOUR)), "is_overview": False}
        try:
            listed = await self._asking.every("ListLogEntries", arguments, "log_entries", reading.event, most=_LOG_PAGES)
        except FetchFailed as failed:
            return _timeline(incident, facts.events, here.since, failed.trouble)
        # The newest come first, so unread entries are older.
        reached = start if listed.complete else min((event.at for event in listed.items), default=until)
        return _timeline(incident, (*listed.items, *facts.events), reached, None)

    async def earlier(self, incident: Incident, days: int) -> Earlier:
        """Similar incidents that were resolved within `days` days. A failure is in the result."""
        now = self._clock()
        arguments = {"status": RESOLVED, "since": iso(now - days * DAY), "until": iso(now + HOUR)}
        if incident.service.id:
            arguments |= {"service_ids": [incident.service.id]}  # type: ignore[dict-item]
        try:
            listed = await self._asking.every("ListIncidents", arguments, "incidents", _resolved, most=_LIST_PAGES)
        except FetchFailed as failed:
            return Earlier(days, trouble=failed.trouble)
        return await asyncio.to_thread(_earlier, incident, listed.items, days, complete=listed.complete)


def _earlier(incident: Incident, found: list[EarlierIncident], days: int, *, complete: bool) -> Earlier:
    shape = alike(incident.title)
    same = once((one for one in found if one.incident.id != incident.id), lambda one: one.incident.id)
    same = tuple(one for one in same if not incident.service.id or one.incident.service.id == incident.service.id)
    like = sorted((one for one in same if alike(one.incident.title) == shape), key=lambda one: -one.resolved_at)
    return Earlier(days, tuple(like), len(same), complete)


def _resolved(body: Mapping[str, Any], source: CallSource) -> EarlierIncident | None:
    incident = reading.incident(body, source)
    if incident is None or incident.open:
        return None
    at = reading.moment(body.get("resolved_at"))
    by = reading.changer(body)
    person = by if by.kind == "user" else Ref("", by.name) if by.name else NOTHING
    return EarlierIncident(incident, incident.changed if at is None else at, person)


def _complete_since(facts: Facts) -> float | None:
    """The time since which the board's log is complete, pages to people included."""
    return facts.log_since


def _timeline(incident: Incident, events: tuple[Event, ...], since: float | None, trouble: Trouble | None) -> Timeline:
    own = once((event for event in events if event.incident.id == incident.id), lambda event: event.id)
    kept = sorted(own, key=lambda event: (event.at, event.id))
    return Timeline(incident, tuple(kept[-_MOST_ENTRIES:]), since, max(len(kept) - _MOST_ENTRIES, 0), trouble)
