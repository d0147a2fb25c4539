"""Fetches the dashboard's data with the incident toolkit's tools: a few calls at a time, whole lists, short error causes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any, TypeVar

from registry.calling.arguments import ArgumentError
from registry.calling.result import Failure, Result
from registry.calling.strict_json import loads
from registry.connections.profiles import ConnectionSettingsError
from registry.oncall.clock_skew import measured_skew
from registry.oncall.facts import Trouble
from registry.oncall.limiter import Limiter
from registry.oncall.model import CallSource
from registry.oncall.reading import each

if TYPE_CHECKING:
    from registry.calling.sending import Observer, Progress

T = TypeVar("T")
Clock = Callable[[], float]
"""The present in Unix seconds."""
Call = Callable[[str, Mapping[str, object], "Observer"], Awaitable[Result]]
"""Runs a tool by its name."""
Make = Callable[[Mapping[str, Any], CallSource], T | None]

PAGE_SIZE = 50
_AT_ONCE = 8
_PATIENCE = 20.0

_CAUSES = {
    401: "401: the token is not accepted",
    402: "402: the account lacks the ability",
    403: "403: the token lacks the scope",
    404: "404: not found",
    429: "429: too many requests",
}


class FetchFailed(Exception):
    """A read that failed; `trouble` says why."""

    def __init__(self, trouble: Trouble, status: int | None = None) -> None:
        super().__init__(trouble.cause)
        self.trouble = trouble
        self.status = status


@dataclass(frozen=True, slots=True)
class FetchedItems:
    """A fetched list: its items, whether it is complete, and the calls that were made."""

    items: list[Any]
    complete: bool
    calls: tuple[CallSource, ...]


class Fetcher:
    """Asks with a few calls side by side, whoever asks.

    Attributes:
        calls: how many calls were made.
        remaining: the part of the service's rate limit that is left, from 0 to 1; None when it does not say.
        not_before: the moment until which the service wants to be left alone; None when it does not say.
        gap: how far `clock` is behind the service's, by the call that explains the most of it; None when no answer told.

    Args:
        call: runs a tool.
        clock: the present.
        heard: is told at once when a call that is under way has met with a difficulty and will be repeated.
    """

    def __init__(self, call: Call, clock: Clock, heard: Callable[[Trouble], None]) -> None:
        self.calls = 0
        self.remaining: float | None = None
        self.not_before: float | None = None
        self.gap: float | None = None
        self._call = call
        self._clock = clock
        self._heard = heard
        self._places = Limiter(_AT_ONCE)

    async def one(self, tool: str, arguments: Mapping[str, object], make: Make[T]) -> T | None:
        """One object, which its answer holds as its only member.

        Raises:
            FetchFailed: it was not read.
        """
        result = await self._ask(tool, arguments)
        source = CallSource(tool, arguments)

        def read() -> T | None:
            answer = loads(result.body)
            body = next(iter(answer.values()), None) if isinstance(answer, dict) else None
            return make(body, source) if isinstance(body, dict) else None

        return await self._understood(read)

    async def every(self, tool: str, arguments: Mapping[str, object], name: str, make: Make[T], *, most: int) -> FetchedItems:
        """The items of a list, page after page, up to so many pages.

        The next page begins behind the items that came, whatever the answer says of its offset; a page without items ends
        the list, so a service that always promises more is not asked for ever.

        Raises:
            FetchFailed: a page was not read. What came before it is dropped: half a list must not pass for one.
        """
        items: list[T] = []
        calls: list[CallSource] = []
        passed, complete = 0, True
        for number in range(most):
            page = {**arguments, "limit": PAGE_SIZE, **({"offset": passed} if passed else {})}
            source = CallSource(tool, page)
            result = await self._ask(tool, page, number)
            calls.append(source)
            found, came, more = await self._understood(partial(_page, result.body, name, make, source))
            items += found
            passed += came
            complete = complete and not result.notes
            if not more or not came:
                return FetchedItems(items, complete and not more, tuple(calls))
        return FetchedItems(items, False, tuple(calls))

    async def _understood(self, read: Callable[[], T]) -> T:
        try:
            return await asyncio.to_thread(read)
        except (ValueError, RecursionError, AttributeError):
            raise FetchFailed(Trouble("the answer is not understood", self._clock())) from None

    async def _ask(self, tool: str, arguments: Mapping[str, object], page: int = 0) -> Result:
        difficulty: list[Trouble] = []

        def listen(progress: Progress) -> None:
            if progress.waiting is not None:
                now = self._clock()
                difficulty[:] = [Trouble(progress.reason.lower(), now, now + progress.waiting, passing=True)]
                self._heard(difficulty[0])

        async with self._places.slot(page):
            self.calls += 1
            sent = self._clock()
            try:
                async with asyncio.timeout(_PATIENCE):
                    result = await self._call(tool, arguments, listen)
            except TimeoutError:
                words = f"no answer for {_PATIENCE:.0f} s"
                words = f"{difficulty[0].cause}; {words}" if difficulty else words
                raise FetchFailed(Trouble(words, self._clock())) from None
            except (ArgumentError, ConnectionSettingsError) as error:
                raise FetchFailed(Trouble(str(error), self._clock())) from None
        self._note_limit(result)
        self._note_clock(result, sent)
        if result.failure is not None:
            raise FetchFailed(self._trouble(result, result.failure), result.status)
        return result

    def _note_limit(self, result: Result) -> None:
        limit, remaining = result.headers.get("ratelimit-limit", ""), result.headers.get("ratelimit-remaining", "")
        if limit.isdecimal() and remaining.isdecimal() and int(limit):
            self.remaining = int(remaining) / int(limit)

    def _note_clock(self, result: Result, sent: float) -> None:
        found = measured_skew(result.headers.get("date", ""), sent, self._clock())
        if found is not None and (self.gap is None or abs(found) < abs(self.gap)):
            self.gap = found

    def _trouble(self, result: Result, failure: Failure) -> Trouble:
        now, again = self._clock(), None
        if result.status == 429 and (wait := failure.retry_after) is not None:
            again = now + ceil(wait)
            self.not_before = max(again, self.not_before or again)
        return Trouble(cause_of(result.status, failure), now, again)


def cause_of(status: int | None, failure: Failure) -> str:
    """Why a call failed, in a few words."""
    if failure.kind == "connection" or status is None:
        return f"network: {failure.cause.rstrip('.')}"
    if status in _CAUSES:
        return _CAUSES[status]
    return f"{status}: the service failed" if status >= 500 else f"{status}: {failure.title.lower()}"


def _page(body: bytes, name: str, make: Make[T], source: CallSource) -> tuple[list[T], int, bool]:
    """A page's records, how many items it has, and whether there are more."""
    answer = loads(body)
    came = answer.get(name)
    return each(answer, name, make, source), len(came) if isinstance(came, list) else 0, answer.get("more") is True


def iso(moment: float) -> str:
    """A moment as the service reads it in any account: UTC, and saying so."""
    return datetime.fromtimestamp(int(moment), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
