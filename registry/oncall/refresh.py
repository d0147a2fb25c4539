"""Refreshes the dashboard's data, without losing earlier data when a read fails.

One refresh calls several tools concurrently, a few calls at a time. A part that fails keeps its data and the reason of the
failure. A missing incident does not count as resolved: an open incident that is in no list any more is looked up by its id, and
so is one that the log contradicts. If the lookup fails, the incident is kept and named as a doubt (`registry.oncall.evidence`).
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Iterable
from math import inf
from typing import Any, TypeVar

from msgspec.structs import replace

from registry.oncall import reading
from registry.oncall.facts import COPY, Facts, Read, age_of_copy, judged, together, told_apart
from registry.oncall.fetch import AGAIN, ALIVE, KINDS, Call, Clock, Fetcher, FetchFailed, Log, Make, last_signs
from registry.oncall.model import (
    ACKNOWLEDGED,
    DAY,
    HOUR,
    LEAST_EVERY,
    MINUTE,
    MOST_EVERY,
    OLDER_EVERY,
    TRIGGERED,
    CallSource,
    Incident,
    iso,
)

T = TypeVar("T")

WINDOW = 175 * DAY  # seconds that one list of incidents looks back; the service accepts at most six months
WINDOWS = 4
# Seconds ahead for which later duties are read: coverage looks two weeks ahead, and a shift may last one more.
AHEAD = 21 * DAY

_MOST_PAGES = 200  # the service lists at most 10 000 items
_MOST_LOOKED_UP, _MOST_FROM_LOG = 60, 20
_NOT_FOUND = 3
_SLACK = 5.0

_LISTS: dict[str, tuple[str, str, str, Make[Any], float]] = {
    "on call": ("duties", "ListOncalls", "oncalls", reading.duty, 0),
    "services": ("services", "ListServices", "services", reading.service, 0),
    "policies": ("policies", "ListEscalationPolicies", "escalation_policies", reading.policy, 5 * MINUTE),
    "later": ("later", "ListOncalls", "oncalls", reading.duty, 10 * MINUTE),
    "people": ("people", "ListUsers", "users", reading.person, HOUR),
    "teams": ("teams", "ListTeams", "teams", reading.team, HOUR),
}
"""Lists of the whole account: property of the facts, tool, property of the response, how an item is read, and seconds between
two reads."""


class Refresher:
    """Keeps `facts` up to date, every 15 to 60 s; `until`: when reading must have ended, by the running loop's clock.

    `ahead`: by how many seconds `clock` must be put forward, by the last refresh.
    """

    def __init__(self, call: Call, clock: Clock, every: float = LEAST_EVERY, until: float | None = None) -> None:
        self.facts = Facts()
        self.ended: float | None = None
        self.under_way = False
        self.ahead = 0.0
        self._clock, self._asking = clock, Fetcher(call, clock, until)
        self.every = min(max(every, LEAST_EVERY), MOST_EVERY)
        self._listed: dict[str, tuple[Incident, ...]] = {}  # the open incidents of each list, the latest read last
        self._not_reached: dict[str, tuple[Incident, ...]] = {}  # those of its last whole reading, while a page of it fails
        self._settled: dict[str, float] = {}  # incidents that are over, and their last sign of life by the log
        self._not_found: Counter[str] = Counter()
        self._log = Log(self._asking, clock)
        self._cost = 0

    @property
    def calls(self) -> int:
        """How many calls were made in total."""
        return self._asking.calls

    @property
    def interval(self) -> float:
        """Seconds between two refreshes: more if the rate limit runs low, or a refresh takes many calls."""
        left = self._asking.remaining
        pace = 1.0 if left is None or left > 0.5 else 2.0 if left > 0.25 else 4.0
        # Use at most a quarter of the service's usual 960 calls a minute.
        return min(max(self.every * pace, self._cost / 4), MOST_EVERY)

    def wait(self) -> float:
        """Seconds until the next refresh is due; 0 when it is, and when this machine's clock was set back."""
        now = self._clock()
        if self.ended is None or now < self.ended:
            return 0.0
        return max(max(self.ended + self.interval, self._asking.not_before or 0.0) - now, 0.0)

    async def refresh(self) -> None:
        """Read everything that is due. Failures are recorded in the facts, not raised."""
        before, now = self._asking.calls, self._clock()
        self._asking.skew = None
        self.under_way = True
        try:
            await asyncio.gather(
                # Start what may take longest first.
                self._read_log(),
                self._incidents(),
                self._oncalls(),
                self._list("later", since=iso(now), until=iso(now + AHEAD)),
                self._me(),
                *(self._list(part) for part in ("policies", "services", "people", "teams")),
            )
            await self._check_log()
            self._check_clocks()
            self.facts = told_apart(self.facts)
        finally:
            self.under_way = False
            self._cost = self._asking.calls - before
            self.ended = self._clock()

    # Incidents

    async def _incidents(self) -> None:
        """Read the lists, and look up incidents that were open and are in none of them. The latest reading of one counts."""
        await asyncio.gather(self._status(TRIGGERED), self._status(ACKNOWLEDGED), self._older())
        # An incident that moved between the two lists meanwhile is in the second reading, or was in the first.
        first = self._listed.get(TRIGGERED, ())
        await self._status(TRIGGERED)
        found = {one.id: one for items in (*self._not_reached.values(), *self._listed.values()) for one in items}
        earlier = {one.id: one for one in (*self.facts.incidents, *first)}
        missing = [id_ for id_ in earlier if id_ not in found]
        looked_up = await self._look_up(missing[:_MOST_LOOKED_UP])
        # One "not found" may be the service's mistake; after several, while no list has it either, the incident is gone.
        unconfirmed = {id_ for id_ in missing if id_ not in looked_up and self._not_found[id_] < _NOT_FOUND}
        found |= {id_: earlier[id_] for id_ in unconfirmed} | looked_up
        self.facts = replace(
            self.facts,
            incidents=tuple(one for one in found.values() if one.open),
            omitted=self._omitted(looked_up.values()),
            unconfirmed=frozenset(unconfirmed),
            done=frozenset(id_ for id_, one in looked_up.items() if not one.open),
        )

    async def _window(self, status: str, since: float, until: float) -> tuple[list[Incident], Read]:
        return await self._asking.every(
            "ListIncidents",
            {"status": status, "since": iso(since), "until": iso(until)},
            "incidents",
            reading.incident,
            most=_MOST_PAGES,
            since=since,
        )

    async def _status(self, status: str) -> None:
        now = self._clock()
        listed = await self._try(status, self._window(status, now - WINDOW, now + DAY))
        if listed is not None:
            found, read = listed
            # A resolved incident is wrong in a list of open ones, and counts as unreadable. Of one that came twice, the worse
            # counts.
            open_ = tuple(sorted((one for one in found if one.open), key=lambda one: one.burning))
            wrong = read.unreadable + len(found) - len(open_)
            self._keep(status, open_, replace(read, complete=read.complete and not wrong, unreadable=wrong))

    async def _older(self) -> None:
        """Read open incidents that began before the first window; rarely, or if the log has a new entry about one of them."""
        read, known = self.facts.read("older"), {one.id for one in self._listed.get("older", ())}
        touched = any(event.at >= (read.at or 0.0) and event.incident.id in known for event in self.facts.events)
        if not touched and not self._due("older", OLDER_EVERY):
            return
        now = self._clock()
        # Windows overlap by a day: how the service treats their ends is not documented.
        windows = [
            self._window(status, now - (number + 1) * WINDOW, now - number * WINDOW + DAY)
            for number in range(1, WINDOWS)
            for status in (TRIGGERED, ACKNOWLEDGED)
        ]
        lists = await self._try("older", _all(windows))
        if lists is not None:
            items = {one.id: one for found, _ in lists for one in found}
            self._keep("older", tuple(items.values()), together(read for _, read in lists))

    def _keep(self, name: str, incidents: tuple[Incident, ...], read: Read) -> None:
        before = self._listed.pop(name, ())
        self._listed[name] = incidents
        if read.trouble is None:
            self._not_reached.pop(name, None)
        else:
            self._not_reached.setdefault(name, before)
        self._note(name, replace(read, items=len(incidents)))

    async def _look_up(self, ids: Iterable[str]) -> dict[str, Incident]:
        """The current state of incidents, by id, for those that could be read."""

        async def one(id_: str) -> Incident | None:
            try:
                return await self._asking.one("GetIncident", {"incident_id": id_}, reading.incident)
            except FetchFailed as failed:
                self._not_found[id_] = self._not_found[id_] + 1 if failed.status == 404 else 0
                return None

        asked = list(ids)
        found = zip(asked, await asyncio.gather(*map(one, asked)), strict=True)
        return {id_: incident for id_, incident in found if incident is not None and incident.id == id_}

    async def _check_log(self) -> None:
        """Look up incidents that the log contradicts: open by the log and in no list, or acknowledged and changed since."""
        known = {one.id: one for one in self.facts.incidents}
        alive, again, named = (last_signs(self.facts.events, kinds) for kinds in (ALIVE, AGAIN, KINDS))
        # What people add to an incident that is over is no sign of life: an end before it counts.
        ended = {event.incident.id for event in self.facts.events if event.kind == "resolve"}
        settled = {id_ for id_, at in self._settled.items() if at >= alive.get(id_, 0.0)}
        settled |= {id_ for id_, times in self._not_found.items() if times >= _NOT_FOUND} | known.keys()
        wanted = [id_ for id_ in {**alive, **named} if id_ not in settled and (id_ in alive or id_ not in ended)]
        wanted += [id_ for id_, at in again.items() if (one := known.get(id_)) and at > _acknowledged_at(one) + _SLACK]
        found = await self._look_up(wanted[:_MOST_FROM_LOG])
        # An end before the last sign of life is that of an old copy.
        found = {id_: one for id_, one in found.items() if one.open or one.changed + _SLACK > alive.get(id_, 0.0)}
        self._settled |= {id_: alive.get(id_, 0.0) for id_, one in found.items() if not one.open}
        lost = frozenset(id_ for id_ in wanted if id_ not in found)
        listed = tuple(one for one in (found.get(one.id, one) for one in self.facts.incidents) if one.open)
        more = tuple(one for id_, one in found.items() if one.open and id_ not in known)
        self.facts = replace(
            self.facts,
            incidents=(*listed, *more),
            unlisted=lost.difference(known),
            moved=lost.intersection(known),
            omitted=self.facts.omitted | self._omitted(more),
        )

    def _check_clocks(self) -> None:
        """Find old copies among what was read, and which clock is right."""
        ahead, before = self._asking.skew, self.facts.reads.values()
        reads = {
            part: replace(read, at=read.at and read.at - age_of_copy(read.skew, ahead), skew=None)
            for part, read in self.facts.reads.items()
        }
        self.facts = replace(self.facts, reads=reads)
        self.ahead, doubt = judged(ahead, self.facts, self._clock())
        farthest = max((read.skew for read in before if read.skew is not None), default=0.0)
        if ahead is not None and farthest - ahead > COPY:  # one response is of later than all others, which may be copies
            doubt = doubt or judged(farthest, self.facts, self._clock())[1]
        if self.ahead and self._asking.left <= 0:  # there is no time to read everything again
            self.ahead, doubt = 0.0, "this computer's clock is wrong"
        self.facts = replace(self.facts, clock_doubt=doubt)

    def _omitted(self, found: Iterable[Incident]) -> frozenset[str]:
        """Ids of open incidents that were looked up and should be in a list: their state is older than the lists."""
        read = min(self.facts.read(part).at or 0.0 for part in (TRIGGERED, ACKNOWLEDGED))
        return frozenset(one.id for one in found if one.open and one.since < read - _SLACK)

    # All else

    async def _oncalls(self) -> None:
        """Read who is on call. Duties of the last day are kept: they show which level an older assignment went to."""
        before = (*self.facts.duties, *self.facts.past)
        await self._list("on call")
        now = self._clock()
        new = {(one.policy.id, one.level, one.user.id, one.start) for one in self.facts.duties}
        seen = {(one.policy.id, one.level, one.user.id, one.start): one for one in before}
        past = [one for key, one in seen.items() if key not in new and one.end is not None and now - DAY < one.end <= now]
        self.facts = replace(self.facts, past=tuple(past))

    async def _list(self, part: str, **arguments: str) -> None:
        """Read a list of the whole account, if it is due."""
        field, tool, name, make, every = _LISTS[part]
        if self._due(part, every):
            listed = await self._try(part, self._asking.every(tool, arguments, name, make, most=_MOST_PAGES))
            if listed is None:
                return
            found, read = listed
            if (trouble := read.trouble) is not None and self.facts.read(part).at is not None:
                self._note(part, self.facts.read(part).failed(trouble))  # the whole list of before says more
            else:
                self._note(part, read, **{field: tuple(found)})

    async def _me(self) -> None:
        if self._due("me", HOUR):
            now = self._clock()
            me = await self._try("me", self._asking.one("Whoami", {}, reading.person))
            if me is not None:
                self._note("me", Read(now, items=1, calls=(CallSource("Whoami"),)), me=me)

    async def _read_log(self) -> None:
        log = self._log
        if log.history_since is not None:
            await self._log_part("log", log.go_on())
        else:
            await asyncio.gather(self._log_part("history", log.look_back()), self._log_part("log", log.go_on()))
        if log.history_since is None and self.facts.read("history").trouble is None:
            await self._log_part("history", log.look_back())

    async def _log_part(self, part: str, reads: Awaitable[Read]) -> None:
        read, log = await self._try(part, reads), self._log
        self.facts = replace(self.facts, events=log.events, log_whole=log.whole)
        if read is not None:
            self._note(part, read, **({"log_since": log.since} if part == "log" else {"history_since": log.history_since}))

    # Bookkeeping

    def _due(self, part: str, every: float) -> bool:
        """Whether a part should be read: it never was, failed, or is `every` seconds old."""
        read = self.facts.read(part)
        return read.at is None or read.trouble is not None or self._clock() - read.at >= every

    async def _try(self, part: str, work: Awaitable[T]) -> T | None:
        """The result of a read; None if it failed, which is recorded."""
        try:
            return await work
        except FetchFailed as failed:
            self._note(part, self.facts.read(part).failed(failed.trouble))
            return None

    def _note(self, part: str, read: Read, **changes: object) -> None:
        self.facts = replace(self.facts, reads={**self.facts.reads, part: read}, **changes)


def _acknowledged_at(one: Incident) -> float:
    """When an incident was acknowledged last; never, if it is not acknowledged now."""
    return max((one.since, *(at for _, at in one.acknowledged))) if one.status == ACKNOWLEDGED else inf


async def _all(works: Iterable[Awaitable[T]]) -> list[T]:
    """The results of several concurrent reads; raises the first failure, once the others have ended."""
    outcomes = await asyncio.gather(*works, return_exceptions=True)
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome
    return [outcome for outcome in outcomes if not isinstance(outcome, BaseException)]
