"""The rate limit of each service, and its response headers.

=========  ===================================  ====================================================  ========================
service    limit                                headers of every response                             refusal
=========  ===================================  ====================================================  ========================
payments   25 a second with test keys, 100      nothing                                               429 with the reason
           with live ones; the files host
           counts along
incidents  960 a minute for each token          ``ratelimit-limit``, ``-remaining``, ``-reset`` (s)   429, code 2020
crm        110 in any ten seconds for each      ``X-HubSpot-RateLimit-Max``, ``-Remaining``,          429 with a shape of its
           token                                ``-Interval-Milliseconds``                            own
=========  ===================================  ====================================================  ========================

Counting is always on; whether requests beyond a limit are refused is up to the sandbox. Time is that of a monotonic clock and
not the world's, because limits concern real requests. Refused requests are not counted.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Mapping
from math import ceil
from typing import NamedTuple

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from registry.sandbox.payments.errors import ApiError
from registry.sandbox.payments.keys import key_of

Ticks = Callable[[], float]
"""Seconds from any beginning, never going back."""

_MOST_TOKENS = 1_000


class Count(NamedTuple):
    """The state of a count after one request: whether it was within the limit, how many more are, and seconds until all are."""

    within: bool
    remaining: int
    reset: float


class Counter:
    """Requests of each caller within a stretch of time.

    Args:
        most: how many there may be.
        seconds: the length of the stretch.
        ticks: the clock.
        rolling: the stretch ends at the present, whenever that is; otherwise it begins with a caller's first request and the
            next one begins after its end.
    """

    def __init__(self, most: int, seconds: float, ticks: Ticks, *, rolling: bool) -> None:
        self.most = most
        self.seconds = seconds
        self._ticks = ticks
        self._rolling = rolling
        self._lock = threading.Lock()
        self._seen: dict[str, deque[float]] = {}

    def count(self, caller: str) -> Count:
        """Count one request of a caller, unless it is too many."""
        with self._lock:
            now = self._ticks()
            seen = self._seen.setdefault(caller, deque())
            self._forget(seen, now)
            within = len(seen) < self.most
            if within:
                seen.append(now)
            if len(self._seen) > _MOST_TOKENS:
                self._seen = {name: times for name, times in self._seen.items() if now - times[-1] < self.seconds}
            return Count(within, self.most - len(seen), seen[0] + self.seconds - now)

    def _forget(self, seen: deque[float], now: float) -> None:
        """Drop the requests that no longer count."""
        if self._rolling:
            while seen and now - seen[0] >= self.seconds:
                seen.popleft()
        elif seen and now - seen[0] >= self.seconds:
            seen.clear()


class Standing(NamedTuple):
    """A request's state: whether it is within the limit, and the headers of its response."""

    within: bool
    headers: Mapping[str, str]


class Limit(ABC):
    """One service's limit."""

    @abstractmethod
    def count(self, authorization: str) -> Standing:
        """Count a request by its Authorization header, which may be empty."""


class PaymentsLimit(Limit):
    """One limit for test data and one for live data; requests without a proper key are turned away before they count."""

    def __init__(self, ticks: Ticks) -> None:
        self._test = Counter(25, 1, ticks, rolling=True)
        self._live = Counter(100, 1, ticks, rolling=True)

    def count(self, authorization: str) -> Standing:
        """Count a request by the mode of its key."""
        try:
            counter = self._live if key_of(authorization).live else self._test
        except ApiError:
            return Standing(True, {})
        return Standing(counter.count("").within, {})


class IncidentsLimit(Limit):
    """A number of requests in each minute of each token."""

    def __init__(self, ticks: Ticks) -> None:
        self._counter = Counter(960, 60, ticks, rolling=False)

    def count(self, authorization: str) -> Standing:
        """Count a request by its token."""
        count = self._counter.count(authorization)
        headers = {
            "ratelimit-limit": str(self._counter.most),
            "ratelimit-remaining": str(count.remaining),
            "ratelimit-reset": str(ceil(count.reset)),
        }
        return Standing(count.within, headers)


class CrmLimit(Limit):
    """A number of requests of each token in any stretch of ten seconds."""

    def __init__(self, ticks: Ticks) -> None:
        self._counter = Counter(110, 10, ticks, rolling=True)

    def count(self, authorization: str) -> Standing:
        """Count a request by its token."""
        count = self._counter.count(authorization)
        headers = {
            "X-HubSpot-RateLimit-Interval-Milliseconds": str(round(self._counter.seconds * 1000)),
            "X-HubSpot-RateLimit-Max": str(self._counter.most),
            "X-HubSpot-RateLimit-Remaining": str(count.remaining),
        }
        return Standing(count.within, headers)


class Limited:
    """Counts the requests to a service and reports them in the responses.

    Args:
        limit: the service's limit.
        refusal: makes the response to a request beyond the limit; None accepts such requests.
    """

    def __init__(self, limit: Limit, refusal: Callable[[], Response] | None) -> None:
        self._limit = limit
        self._refusal = refusal

    async def answer(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass an HTTP request to `app`, or refuse it. Headers that the response already has are not changed."""
        standing = self._limit.count(Headers(scope=scope).get("authorization", ""))

        async def tell(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in standing.headers.items():
                    headers.setdefault(name, value)
            await send(message)

        if not standing.within and self._refusal is not None:
            app = self._refusal()
        await app(scope, receive, tell)


def limits(ticks: Ticks) -> dict[str, Limit]:
    """The limit of each service, by the service's name. The payments API and its files host share one."""
    platform = PaymentsLimit(ticks)
    return {"payments": platform, "files": platform, "incidents": IncidentsLimit(ticks), "crm": CrmLimit(ticks)}
