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
from collections import deque
from collections.abc import Callable, Mapping
from math import ceil
from typing import NamedTuple

from registry.sandbox.payments.errors import ApiError
from registry.sandbox.payments.keys import key_of

Ticks = Callable[[], float]
"""Seconds from any beginning, never going back."""


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
            if self._rolling:
                while seen and now - seen[0] >= self.seconds:
                    seen.popleft()
            elif seen and now - seen[0] >= self.seconds:
                seen.clear()
            within = len(seen) < self.most
            if within:
                seen.append(now)
            return Count(within, self.most - len(seen), seen[0] + self.seconds - now)


Limit = Callable[[str], tuple[bool, Mapping[str, str]]]
"""Counts a request by its Authorization header, which may be empty: whether it is within the limit, and headers to send."""


def limits(ticks: Ticks) -> dict[str, Limit]:
    """The limit of each service, by the service's name. The payments API and its files host share one."""
    test, live = Counter(25, 1, ticks, rolling=True), Counter(100, 1, ticks, rolling=True)
    by_minute = Counter(960, 60, ticks, rolling=False)
    in_ten_seconds = Counter(110, 10, ticks, rolling=True)

    def payments(authorization: str) -> tuple[bool, Mapping[str, str]]:
        """One limit for test data and one for live data; requests without a proper key are turned away before they count."""
        try:
            counter = live if key_of(authorization).live else test
        except ApiError:
            return True, {}
        return counter.count("").within, {}

    def incidents(authorization: str) -> tuple[bool, Mapping[str, str]]:
        count = by_minute.count(authorization)
        headers = {
            "ratelimit-limit": str(by_minute.most),
            "ratelimit-remaining": str(count.remaining),
            "ratelimit-reset": str(ceil(count.reset)),
        }
        return count.within, headers

    def crm(authorization: str) -> tuple[bool, Mapping[str, str]]:
        count = in_ten_seconds.count(authorization)
        headers = {
            "X-HubSpot-RateLimit-Interval-Milliseconds": "10000",
            "X-HubSpot-RateLimit-Max": str(in_ten_seconds.most),
            "X-HubSpot-RateLimit-Remaining": str(count.remaining),
        }
        return count.within, headers

    return {"payments": payments, "files": payments, "incidents": incidents, "crm": crm}
