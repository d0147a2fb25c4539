"""Refreshes the dashboard's data, without losing earlier data when a read fails.

One refresh calls several tools concurrently, a few calls at a time. A part that fails keeps its data and the reason of the
failure. A missing incident does not count as resolved: an open incident that is in no list any more is looked up by its id, and
so is one that was triggered by the log and is in no list. If the lookup fails, the incident is kept as unconfirmed or unlisted.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Iterable
from dataclasses import replace
from typing import Any, TypeVar

from registry.oncall import reading
from registry.oncall.clocks import DAY, HOUR, LEAST_EVERY, MINUTE, MOST_EVERY
from registry.oncall.facts import Facts, Read, once, together
from registry.oncall.fetch import Call, Clock, Fetcher, FetchFailed, Make, iso
from registry.oncall.log import Log, without_end
from registry.oncall.model import ACKNOWLEDGED, TRIGGERED, CallSource, Duty, Incident

T = TypeVar("T")

WINDOW = 175 * DAY
"""Seconds that one list of incidents looks back; the service accepts at most six months."""
WINDOWS = 4
AHEAD = 21 * DAY
"""Seconds ahead for which later duties are read: coverage looks two weeks ahead, and a shift may last one more."""

_SOON = 5.0
"""Seconds until the next refresh if the service began or stopped to fail during this one: only some parts failed."""
_MOST_PAGES, _MOST_INCIDENT_PAGES = 40, 200
"""The service lists at most 10 000 items."""
_MOST_LOOKED_UP = 60
_MOST_FROM_LOG = 20
_MOST_SETTLED = 5_000
_NOT_FOUND = 3
_SLACK = 5.0
_POLICIES_AT_A_TIME = 12
_OLDER_EVERY, _RARELY, _LATER_EVERY = 10 * MINUTE, HOUR, 10 * MINUTE

_LISTS: dict[str, tuple[str, str, Make[Any], float]] = {
    "services": ("ListServices", "services", reading.service, 0),
    "policies": ("ListEscalationPolicies", "escalation_policies", reading.policy, 5 * MINUTE),
    "people": ("ListUsers", "users", reading.person, _RARELY),
    "teams": ("ListTeams", "teams", reading.team, _RARELY),
}
"""Lists of the whole account: tool, property, how an item is read, and seconds between two reads."""


class Refresher:
    """Keeps `facts` up to date.

    Args:
        call: runs a tool.
        clock: the present.
        every: seconds between two refreshes while the rate limit allows it, 15 to 60.
        until: when all reads must have ended, by the running loop's clock; None for a dashboard that is read again.
    """

    def __init__(self, call: Call, clock: Clock, every: float = LEAST_EVERY, until: float | None = None) -> None:
        self.facts = Facts()
        self.ended: float | None = None
        self.under_way = False
        self._clock = clock
        self._every = min(max(every, LEAST_EVERY), MOST_EVERY)
        self._asking = Fetcher(call, clock, until)
        self._lots: dict[str, tuple[float, tuple[Incident, ...]]] = {}  # when each list was read, and its open incidents
        self._settled: set[str] = set()
        self._not_found: Counter[str] = Counter()
        self._log = Log(self._asking, clock)
        self._cost = 0
        self._mixed = self._soon = False

    @property
    def calls(self) -> int:
        """How many calls were made in total."""
        return self._asking.calls

    @property
    def gap(self) -> float | None:
        """Seconds by which the clock is behind the service's, by the last refresh.

        None without a ``Date``, and after the deadline: with a corrected clock everything would have to be read again.
        """
        return self._asking.gap if self._asking.left > 0 else None

    @property
    def interval(self) -> float:
        """Seconds between two refreshes: more if the rate limit runs low, or a refresh takes many calls."""
        left = self._asking.remaining
        pace = 1.0 if left is None or left > 0.5 else 2.0 if left > 0.25 else 4.0
        # Use at most a quarter of the service's usual 960 calls a minute.
        return min(max(self._every * pace, self._cost / 4), MOST_EVERY)

    @property
    def slowed(self) -> bool:
        """Whether refreshes are slower than requested."""
        return self.interval > self._every

    def wait(self) -> float:
        """Seconds until the next refresh is due; 0 when it is, and when this machine's clock was set back."""
        now = self._clock()
        if self.ended is None or now < self.ended:
            return 0.0
        return max(max(self.ended + (_SOON if self._soon else self.interval), self._asking.not_before or 0.0) - now, 0.0)

    async def refresh(self) -> None:
        """Read everything that is due. Failures are recorded in the facts, not raised."""
        before = self._asking.calls
        self._asking.gap = None
        self.under_way = True
        try:
            policies = asyncio.ensure_future(self._list("policies"))
            # Start what may take longest first.
            log, incidents = asyncio.ensure_future(self._read_log()), asyncio.ensure_future(self._incidents())
            await asyncio.gather(
                log,
                incidents,
                self._later(policies),
                self._oncalls(),
                self._list("services"),
                self._older(incidents),
                self._me(),
                self._list("people"),
                self._list("teams"),
            )
            await self._check_services()
            await self._check_log()
        finally:
            self.under_way = False
            self._cost = self._asking.calls - before
            self.ended = self._clock()
            failed = {read.trouble is not None for read in self.facts.reads.values()}
            # A part that always fails, for instance without permission, must not make every refresh come early.
            self._soon, self._mixed = len(failed) > 1 and not self._mixed, len(failed) > 1

    async def look_ahead(self) -> None:
        """Read the later duties of every policy, however long that takes."""
        while self._policies_due():
            await self._later(None)
            if self.facts.read("later").trouble is not None:
                return

    # Incidents

    async def _incidents(self) -> None:
        known = {one.id for one in self.facts.incidents}
        await asyncio.gather(self._status(TRIGGERED), self._status(ACKNOWLEDGED))
        # An incident that moved between the two lists meanwhile is in the second reading, or was in the first.
        _, first = self._lots.get(TRIGGERED, (0.0, ()))
        await self._status(TRIGGERED)
        await self._settle(known, first)

    async def _window(self, status: str, since: float, until: float) -> tuple[list[Incident], Read]:
        arguments = {"status": status, "since": iso(since), "until": iso(until)}
        most = _MOST_INCIDENT_PAGES
        return await self._asking.every("ListIncidents", arguments, "incidents", reading.incident, most=most, since=since)

    async def _status(self, status: str) -> None:
        now = self._clock()
        listed = await self._try(status, self._window(status, now - WINDOW, now + DAY))
        if listed is not None:
            found, read = listed
            # A resolved incident is wrong in a list of open ones: it counts as unreadable.
            open_ = tuple(one for one in found if one.open)
            wrong = read.unreadable + len(found) - len(open_)
            self._lots[status] = now, open_
            self._note(status, replace(read, complete=read.complete and not wrong, items=len(open_), unreadable=wrong))

    async def _older(self, incidents: Awaitable[None]) -> None:
        """Read open incidents that began before the first window; rarely, or if the log has a new entry about one of them.

        They are merged after `incidents` has ended: two concurrent merges could restore older data.
        """
        _, lot = self._lots.get("older", (0.0, ()))
        touched = self._log.touched_since(self.facts.read("older").at, {one.id for one in lot})
        if not touched and not self._due("older", _OLDER_EVERY):
            return
        now = self._clock()
        known = {one.id for one in self.facts.incidents}
        # Windows overlap by a day: how the service treats their ends is not documented.
        windows = [
            self._window(status, now - (number + 1) * WINDOW, now - number * WINDOW + DAY)
            for number in range(1, WINDOWS)
            for status in (TRIGGERED, ACKNOWLEDGED)
        ]
        lists = await self._try("older", _all(windows))
        if lists is None:
            return
        items = once((one for found, _ in lists for one in found), lambda one: one.id)
        self._lots["older"] = now, items
        self._note("older", replace(together(read for _, read in lists), items=len(items)))
        await incidents
        await self._settle(known)

    async def _settle(self, known: set[str], seen: Iterable[Incident] = ()) -> None:
        """Merge the lists; look up incidents that were open, or just `seen`, and are in no list. Only one merge at a time.

        Of an incident in several lists the newest reading counts.
        """
        lots = sorted(self._lots.values(), key=lambda lot: lot[0], reverse=True)
        found = {one.id: one for one in once((one for _, items in lots for one in items), lambda one: one.id)}
        just = {one.id: one for one in seen}
        earlier = {one.id: one for one in self.facts.incidents} | just
        known = known | just.keys()
        missing = [id_ for id_ in earlier if id_ in known and id_ not in found]
        looked_up = await self._look_up(missing[:_MOST_LOOKED_UP])
        done = {id_ for id_, one in looked_up.items() if not one.open}
        # One "not found" may be the service's mistake; after several, while no list has it either, the incident is gone.
        unconfirmed = {id_ for id_ in missing if id_ not in looked_up and self._not_found[id_] < _NOT_FOUND}
        # What another merge of this refresh has just found is not older than these lists.
        found |= {id_: one for id_, one in earlier.items() if id_ in unconfirmed or (id_ not in known and id_ not in found)}
        found |= {id_: one for id_, one in looked_up.items() if one.open}
        self.facts = replace(
            self.facts,
            incidents=tuple(one for one in found.values() if one.open),
            omitted=self._omitted(looked_up.values()),
            unconfirmed=frozenset(unconfirmed),
            done=frozenset((self.facts.done & known) | done),
        )

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
        """Look up incidents that show signs of life in the log and no end, and are in no list."""
        known = {one.id for one in self.facts.incidents} | self._settled
        open_ = [id_ for id_ in without_end(self.facts.events) if id_ not in known and self._not_found[id_] < _NOT_FOUND]
        found = await self._look_up(open_[:_MOST_FROM_LOG])
        if len(self._settled) > _MOST_SETTLED:
            self._settled.clear()
        self._settled |= {id_ for id_, one in found.items() if not one.open}
        more = tuple(one for one in found.values() if one.open)
        self.facts = replace(
            self.facts,
            incidents=(*self.facts.incidents, *more),
            unlisted=frozenset(id_ for id_ in open_ if id_ not in found),
            omitted=self.facts.omitted | self._omitted(more),
        )

    def _omitted(self, found: Iterable[Incident]) -> frozenset[str]:
        """Ids of open incidents that were looked up and should be in a list: their state is older than the lists."""
        read = min((at for part, (at, _) in self._lots.items() if part != "older"), default=0.0)
        return frozenset(one.id for one in found if one.open and one.since < read - _SLACK)

    async def _check_services(self) -> None:
        """Read incidents and services again if they contradict each other: one may have changed between the two reads."""
        if self.facts.read("services").at == self._clock() and any(self.facts.misfits):
            await asyncio.gather(self._incidents(), self._list("services"))

    # Who is on call

    async def _oncalls(self) -> None:
        now = self._clock()
        listed = await self._try("on call", self._asking.every("ListOncalls", {}, "oncalls", reading.duty, most=_MOST_PAGES))
        if listed is not None:
            duties, read = listed
            new = {(one.policy.id, one.level, one.user.id, one.start) for one in duties}
            seen = {(one.policy.id, one.level, one.user.id, one.start): one for one in (*self.facts.duties, *self.facts.past)}
            # Past duties show which level an older assignment went to.
            past = [one for key, one in seen.items() if key not in new and one.end is not None and now - DAY < one.end <= now]
            self._note("on call", read, duties=tuple(duties), past=tuple(past))

    async def _later(self, policies: Awaitable[None] | None) -> None:
        """Read the later duties of a few policies at a time, the most important first."""
        if policies is not None:
            await policies
        due = self._policies_due()[:_POLICIES_AT_A_TIME]
        if not due:
            return
        now = self._clock()
        lists = await self._try("later", _all(self._later_of(id_, now) for id_ in due))
        if lists is None:
            return
        kept = [duty for duty in self.facts.later if duty.policy.id not in due]
        later = (*kept, *(duty for duties, _ in lists for duty in duties))
        whole = {id_ for id_, (_, read) in zip(due, lists, strict=True) if read.complete}
        self._note(
            "later",
            replace(together(read for _, read in lists), items=len(later)),
            later=later,
            later_of={**self.facts.later_of, **dict.fromkeys(due, now)},
            later_whole=(self.facts.later_whole - set(due)) | whole,
        )

    async def _later_of(self, policy: str, now: float) -> tuple[list[Duty], Read]:
        arguments = {"escalation_policy_ids": [policy], "since": iso(now), "until": iso(now + AHEAD)}
        return await self._asking.every("ListOncalls", arguments, "oncalls", reading.duty, most=_MOST_PAGES)

    def _policies_due(self) -> list[str]:
        """Policies whose later duties should be read: never read ones first, then mine, then those with open incidents."""
        facts, now = self.facts, self._clock()
        handed_on = {duty.policy.id for duty in facts.duties if duty.end is not None and duty.end <= now}
        handed_on |= {duty.policy.id for duty in facts.later if duty.start is not None and duty.start <= now}
        due = [
            policy.id
            for policy in facts.policies
            if (at := facts.later_of.get(policy.id)) is None
            or now - at >= _LATER_EVERY
            or (policy.id in handed_on and now - at >= MINUTE)
        ]
        me = facts.me.id if facts.me else ""
        mine = {duty.policy.id for duty in facts.duties if duty.user.id == me}
        burning = {one.policy.id for one in facts.incidents}
        return sorted(due, key=lambda id_: (id_ in facts.later_of, id_ not in mine, id_ not in burning))

    # All else

    async def _list(self, part: str) -> None:
        """Read a list of the whole account, if it is due."""
        tool, name, make, every = _LISTS[part]
        if self._due(part, every):
            listed = await self._try(part, self._asking.every(tool, {}, name, make, most=_MOST_PAGES))
            if listed is not None:
                self._note(part, listed[1], **{part: tuple(listed[0])})

    async def _read_log(self) -> None:
        if self._log.history_since is not None:
            await self._recent()
        else:
            await asyncio.gather(self._week(), self._recent())
        if self._log.history_since is None and self.facts.read("history").trouble is None:
            await self._week()

    async def _recent(self) -> None:
        read = await self._try("log", self._log.go_on())
        if read is not None:
            self._note("log", read, events=self._log.events, log_since=self._log.since, log_whole=self._log.whole)

    async def _week(self) -> None:
        read = await self._try("history", self._log.look_back())
        if read is not None:
            since = self._log.history_since
            self._note("history", read, events=self._log.events, history_since=since, log_whole=self._log.whole)

    async def _me(self) -> None:
        if self._due("me", _RARELY):
            now = self._clock()
            me = await self._try("me", self._asking.one("Whoami", {}, reading.person))
            if me is not None:
                self._note("me", Read(now, items=1, calls=(CallSource("Whoami"),)), me=me)

    # Bookkeeping

    def _due(self, part: str, every: float) -> bool:
        """Whether a part that changes rarely should be read: it never was, failed, or is `every` seconds old."""
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
        self.facts = replace(self.facts, reads={**self.facts.reads, part: read}, **changes)  # type: ignore[arg-type]


async def _all(works: Iterable[Awaitable[T]]) -> list[T]:
    """The results of several concurrent reads; raises the first failure, once the others have ended."""
    outcomes = await asyncio.gather(*works, return_exceptions=True)
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome
    return [outcome for outcome in outcomes if not isinstance(outcome, BaseException)]
