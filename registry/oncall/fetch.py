"""Fetches the dashboard's data with the incident tools, a few calls at a time, and keeps the account's log up to date.

New entries are fetched with some overlap, and each entry is kept once. There are two reads: the recent entries with everything,
pages to people included, and the important entries of the past week, which are few. After a time without responses there may be
a gap between the two; then the week is read again.
"""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from functools import partial
from http.client import OK
from math import ceil, inf
from typing import Any, TypeVar

from msgspec.structs import replace

from registry.accounts.connection import ConnectionSettingsError
from registry.calling.arguments import ArgumentError
from registry.calling.result import Failure, Result
from registry.calling.sending import Observer, Progress
from registry.json_text import read_json
from registry.oncall import reading
from registry.oncall.facts import COPY, Read, Trouble, age_of_copy, skew
from registry.oncall.model import DAY, HOUR, MINUTE, CallSource, Event, age, iso
from registry.text.shown import whole

T = TypeVar("T")
_SECONDS = re.compile(r"\d{1,300}(\.\d{1,300})?")
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
Clock = Callable[[], float]  # the current time in Unix seconds
Call = Callable[[str, Mapping[str, object], "Observer"], Awaitable[Result]]  # runs a tool by its name
Make = Callable[[Mapping[str, Any], CallSource], T | None]

PAGE_SIZE = 50
_AT_ONCE = 8
_PATIENCE = 20.0

_CAUSES = {
    401: "401: the token is not accepted",
    402: "402: not included in the account's plan",
    403: "403: the token has no permission for this",
    404: "404: not found",
    429: "429: too many requests",
}


class FetchFailed(Exception):
    """A read that failed; `trouble` says why."""

    def __init__(self, trouble: Trouble, status: int | None = None) -> None:
        super().__init__(trouble.cause)
        self.trouble, self.status = trouble, status


class Fetcher:
    """Runs calls, a few at a time; all must have ended at `until`, by the running loop's clock, if that is given.

    Attributes:
        remaining: the part of the rate limit that is left, from 0 to 1; None if the service does not say.
        not_before: when the service accepts calls again; None if it has set no such time.
        skew: seconds by which the service's clock is ahead of `clock`, the least that any response shows; None without dates.
    """

    def __init__(self, call: Call, clock: Clock, until: float | None = None) -> None:
        self.calls = 0
        self.remaining: float | None = None
        self.not_before: float | None = None
        self.skew: float | None = None
        self._call, self._clock, self._until = call, clock, until
        self._places, self._reading = asyncio.Semaphore(_AT_ONCE), asyncio.Lock()

    @property
    def left(self) -> float:
        """Seconds until all calls must have ended; infinite if each only has its own limit."""
        return inf if self._until is None else self._until - asyncio.get_running_loop().time()

    async def one(self, tool: str, arguments: Mapping[str, object], make: Make[T]) -> T:
        """One object: the only property of the response.

        Raises:
            FetchFailed: it could not be read, or is an old copy.
        """
        result, told, skews = await self._ask(tool, arguments)
        old = told + age_of_copy(min(skews, default=None), self.skew)
        if old > COPY:
            raise FetchFailed(Trouble(f"a copy that is {age(old)} old", self._clock()))
        source = CallSource(tool, arguments)
        return await self._understood(lambda: reading.only(_value_in(result.body), make, source))

    async def every(
        self, tool: str, arguments: Mapping[str, object], name: str, make: Make[T], *, most: int, since: float | None = None
    ) -> tuple[list[T], Read]:
        """The items of a list, page after page, up to `most` pages, and how they were read. `since`: its window's beginning.

        The next page begins after the items that were received. A page without items, or with only known items, ends the list,
        because a service could promise more pages for ever. The list counts as complete only if each page is the one that was
        asked for, one says that it is the last, and as many items came as the service announced. If a later page fails, the
        items before it are returned, with the trouble.

        Raises:
            FetchFailed: the first page could not be read.
        """
        began = self._clock()
        found: list[T] = []
        calls: list[CallSource] = []
        seen: set[str] = set()
        skews: list[float] = []
        passed = unreadable = again = announced = oldest = 0
        complete, more, trouble = True, True, None
        while more and len(calls) < most:
            source = CallSource(tool, {**arguments, "limit": PAGE_SIZE, **({"offset": passed} if passed else {})})
            try:
                result, old, page_skews = await self._ask(tool, source.arguments)
                page, items, made = await self._understood(partial(_page, result.body, name, make, source))
            except FetchFailed as failed:
                if not calls:
                    raise
                trouble = replace(failed.trouble, partway=True)
                break
            calls.append(source)
            skews += page_skews
            ids = [one["id"] for one in items if isinstance(one, dict) and isinstance(one.get("id"), str)]
            records = [one for one in made if one is not None]
            repeated = bool(ids) and seen.issuperset(ids)
            found += [] if repeated else records
            again += len(seen.intersection(ids))
            seen.update(ids)
            # It is not known which of two items with the same id is right.
            unreadable += len(items) - len(records) + len(ids) - len(set(ids))
            goes_on, total = page.get("more"), page.get("total")
            announced, oldest = total if type(total) is int else 0, max(oldest, old)
            another = page.get("offset", passed) not in (passed, None)
            uncounted = total is not None and (type(total) is not int or total < 0)
            passed += len(items)
            complete = complete and not (result.notes or repeated or another or uncounted) and isinstance(goes_on, bool)
            more = goes_on if isinstance(goes_on, bool) else len(items) >= PAGE_SIZE
            if not items or repeated:
                break
        complete = complete and not more and not unreadable and announced <= passed - again
        return found, Read(
            began - oldest,
            complete,
            len(found),
            since,
            trouble,
            tuple(calls),
            unreadable,
            announced,
            min(skews, default=None),
        )

    async def _understood(self, read: Callable[[], T]) -> T:
        try:
            # One response at a time: several threads parse no faster, and they slow down the keyboard.
            async with self._reading:
                return await asyncio.to_thread(read)
        except reading.WrongShape as error:
            raise FetchFailed(Trouble(str(error), self._clock())) from None
        except (ValueError, RecursionError):
            raise FetchFailed(Trouble("unexpected response", self._clock())) from None

    async def _ask(self, tool: str, arguments: Mapping[str, object]) -> tuple[Result, int, list[float]]:
        """A result, how old it is in seconds by its own word, and by how much each of its dates is ahead of this clock."""
        waited_for = ""

        def listen(progress: Progress) -> None:
            nonlocal waited_for
            waited_for = progress.reason.lower() if progress.waiting is not None else waited_for

        async with self._places:
            if (left := self.left) <= 0:
                raise FetchFailed(Trouble("not read before the deadline", self._clock(), unreached=True))
            self.calls += 1
            sent = self._clock()
            try:
                async with asyncio.timeout(min(left, _PATIENCE)):
                    result = await self._call(tool, arguments, listen)
            except TimeoutError:
                words = f"no response within {_PATIENCE:.0f} s" if left > _PATIENCE else "no response before the deadline"
                words = f"{waited_for}; {words}" if waited_for else words
                raise FetchFailed(Trouble(words, self._clock(), unreached=not waited_for)) from None
            except (ArgumentError, ConnectionSettingsError) as error:
                raise FetchFailed(Trouble(str(error), self._clock())) from None
        limit, remaining = (whole(result.headers.get(f"ratelimit-{name}", "")) for name in ("limit", "remaining"))
        if limit and remaining is not None:
            self.remaining = remaining / limit
        if result.failure is not None:
            again = None
            if result.status == 429 and (wait := result.failure.retry_after) is not None:
                again = self._clock() + ceil(wait)
                self.not_before = max(again, self.not_before or again)
            unreached = result.failure.kind == "connection" or result.status in (None, 401, 403)
            trouble = Trouble(cause_of(result.status, result.failure), self._clock(), again, unreached=unreached)
            raise FetchFailed(trouble, result.status)
        if result.status != OK:  # 206 is a part, 203 was changed on the way
            raise FetchFailed(Trouble(f"{result.status}: not a whole response", self._clock()), result.status)
        heads = [dict(one.headers) for one in result.exchanges if one.status == OK]
        ages = [_age(head.get("age", "")) for head in heads]
        received = self._clock()
        skews = [skew(head.get("date", ""), old, sent, received) for head, old in zip(heads, ages, strict=True)]
        known = [one for one in skews if one is not None]
        self.skew = min((*known, *([] if self.skew is None else [self.skew])), key=abs, default=None)
        return result, max(ages, default=0), known


def _age(said: str) -> int:
    """How old a response is by its ``Age``, of several the most; 0 if that is no number of seconds."""
    most = max((float(one) for one in said.split(",") if _SECONDS.fullmatch(one.strip())), default=0.0)
    return int(min(most, 10 * 365 * DAY))


def cause_of(status: int | None, failure: Failure) -> str:
    """Why a call failed, in a few words."""
    if failure.kind == "authentication" and status is None:  # no credential, or an expired one: nothing was sent
        return f"{failure.title[:1].lower()}{failure.title[1:]}"
    if failure.kind == "connection" or status is None:
        return f"network: {failure.cause.rstrip('.')}"
    if status in _CAUSES:
        return _CAUSES[status]
    return f"{status}: the service failed" if status >= 500 else f"{status}: {failure.title.lower()}"


def _value_in(body: bytes) -> Any:
    """The JSON value of a response. Halves of surrogate pairs, which no recording can hold, become question marks."""
    value = read_json(body)
    if _HALF.search(body) is None:
        return value
    return read_json(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def _page(body: bytes, name: str, make: Make[T], source: CallSource) -> tuple[dict[str, Any], list[Any], list[T | None]]:
    """A page of a list: the response, its items, and what each is, None if it cannot be read."""
    response = _value_in(body)
    items = reading.items_of(response, name)
    return response, items, [make(one, source) if isinstance(one, dict) else None for one in items]


_KEPT = 7 * DAY
_OVERLAP = 2 * MINUTE
_FIRST_PAGES, _PAGES, _WEEK_PAGES = 4, 10, 40
_MOST = 6_000

# Kinds of log entries whose meaning is known.
KINDS = frozenset(
    (
        *("acknowledge", "annotate", "assign", "custom_field_value_change", "delegate", "escalate", "exhaust_escalation_path"),
        *("field_value_change", "link", "merge", "notify", "priority_change", "reach_ack_limit", "reach_trigger_limit"),
        *("repeat_escalation_path", "resolve", "responder_request", "snooze", "status_update", "trigger", "unacknowledge"),
        *("unlink", "urgency_change"),
    )
)

# Kinds of events that end an acknowledgement, and kinds that call for somebody; a new alert of an incident is a trigger too.
AGAIN = frozenset({"escalate", "unacknowledge", "exhaust_escalation_path", "repeat_escalation_path"})
LOUD = AGAIN | {"trigger"}

# Kinds of events that show that an incident is open.
ALIVE = LOUD | {"acknowledge", "assign", "delegate", "snooze", "responder_request", "reach_ack_limit", "urgency_change"}


class Log:
    """Keeps the log.

    Attributes:
        events: newest first, usually of the last week.
        since: the time since which they are complete.
        history_since: the time since which the important ones are complete; pages to people are not among these. None: the week
            must be read.
        whole: whether every entry that was listed could be read.
    """

    def __init__(self, asking: Fetcher, clock: Clock) -> None:
        self.events: tuple[Event, ...] = ()
        self.since: float | None = None
        self.history_since: float | None = None
        self.whole = True
        self._asking, self._clock = asking, clock
        self._asked_at: float | None = None

    async def go_on(self) -> Read:
        """Read new entries; the first time those of the last day, in at most a few pages.

        Raises:
            FetchFailed: it was not read.
        """
        now = self._clock()
        asked = self._asked_at
        start = now - DAY if asked is None else asked - _OVERLAP
        found, read = await self._entries(start, False, _FIRST_PAGES if asked is None else _PAGES, now)
        reached = start if read.complete else _oldest(found, now)
        if asked is None or reached > asked:
            self.since = reached
            self.history_since = self.history_since if asked is None else None
        self._asked_at = now
        self.whole = self.whole and not read.unreadable
        return replace(read, items=len(self.events), since=self.since, announced=0)

    async def look_back(self) -> Read:
        """Read the important entries of the past week.

        Raises:
            FetchFailed: it was not read.
        """
        now = self._clock()
        found, read = await self._entries(now - _KEPT, True, _WEEK_PAGES, now)
        self.history_since = now - _KEPT if read.complete else _oldest(found, now)
        self.whole = not read.unreadable
        return replace(read, since=self.history_since, announced=0)

    async def _entries(self, since: float, overview: bool, pages: int, now: float) -> tuple[list[Event], Read]:
        """Entries that were read now. If a page failed, those before it are kept, and the same are read again."""
        found, read = await self._asking.every(
            "ListLogEntries",
            {"since": iso(since), "is_overview": overview},
            "log_entries",
            reading.event,
            most=pages,
        )
        kept = {event.id: event for event in (*self.events, *found) if event.at >= now - _KEPT - HOUR}.values()
        # The service does not promise an order.
        self.events = tuple(sorted(kept, key=lambda one: (one.at, one.id), reverse=True)[:_MOST])
        if len(kept) > _MOST:  # dropped entries no longer count as known
            reached = self.events[-1].at
            self.since = max(self.since, reached) if self.since is not None else None
            self.history_since = max(self.history_since, reached) if self.history_since is not None else None
        if read.announced > len(found) and len(read.calls) < pages:
            raise FetchFailed(Trouble(f"{read.announced} announced, {len(found)} came", now))
        if read.trouble is not None:
            raise FetchFailed(read.trouble)
        return found, read


def _oldest(events: list[Event], now: float) -> float:
    return min((event.at for event in events), default=now)


def beginnings(events: Iterable[Event]) -> dict[str, float]:
    """When each incident began, by id. Later alerts of the same incident are logged as triggers too."""
    found: dict[str, float] = {}
    for event in events:
        if event.kind == "trigger":
            found[event.incident.id] = min(event.at, found.get(event.incident.id, event.at))
    return found


def last_signs(events: Iterable[Event], kinds: Collection[str]) -> dict[str, float]:
    """When incidents had their last event of some kinds or an unknown one, with no end after it; the newest first."""
    signs: dict[str, float] = {}
    over = set()
    # Of one moment, an end is the last event.
    for event in sorted(events, key=lambda event: (event.at, event.kind == "resolve"), reverse=True):
        id_ = event.incident.id
        if event.kind == "resolve":
            over.add(id_)
        elif id_ and id_ not in over and (event.kind in kinds or event.kind not in KINDS):
            signs.setdefault(id_, event.at)
    return signs
