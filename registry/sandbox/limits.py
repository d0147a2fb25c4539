"""What each service answers before a request is handled: its rate limit with its headers, and its refusals.

=========  ===================================  ====================================================  ========================
service    limit                                headers of every response                             refusal
=========  ===================================  ====================================================  ========================
payments   25 a second with test keys, 100      nothing                                               429 with the reason
           with live ones, 25 for each endpoint,
           20 for searches, and 20 for the files
           host, which counts along
incidents  960 a minute for each token          ``ratelimit-limit``, ``-remaining``, ``-reset`` (s)   429, code 2020
crm        for each token in any ten seconds    ``X-HubSpot-RateLimit-Max``, ``-Remaining``,          429 with a shape of its
           190, and 650,000 a day; with one     ``-Interval-Milliseconds``; with a limit per day      own, which names the
           from signing in 110                  ``-Daily`` and ``-Daily-Remaining``                   limit that was hit
=========  ===================================  ====================================================  ========================

The CRM's plain tokens are those of a private app; the headers of a token from signing in say nothing of a day. The day begins
at midnight in the account's zone; here with a token's first request. The facts know no limit per day of the other services.

Counting is always on; whether requests beyond a limit are refused is up to the sandbox. Time is that of a monotonic clock and
not the world's, because limits concern real requests. Refused requests are not counted.

The services' own modules hold the words and shapes of refusals; here they become responses, so that a limit or a fault in front
of a service responds as the service would. Each takes an HTTP status, one of `registry.sandbox.faults.specification.STATUSES`;
`which` is the limit that was hit: `DAILY`, `ENDPOINT`, or for a fault ``bare``, without what says why, or when to come back.
"""

import re
import threading
from collections import deque
from collections.abc import Callable, Mapping
from itertools import count
from math import ceil

from starlette.responses import JSONResponse, PlainTextResponse, Response

from registry.sandbox.crm import administration as crm_service
from registry.sandbox.incidents.query import Refusal as IncidentRefusal
from registry.sandbox.payments.errors import ApiError, failing, key_of
from registry.sandbox.signin.tokens import PROFILES
from registry.sandbox.world import DAY, MINUTE, World

Ticks = Callable[[], float]
"""Seconds from any beginning, never going back."""


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

    def count(self, caller: str) -> tuple[bool, int, float]:
        """Count a request unless it is too many: whether it is within the limit, how many more are, seconds until all are."""
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
            return within, self.most - len(seen), seen[0] + self.seconds - now


DAILY, ENDPOINT = "daily", "endpoint"
Limit = Callable[[str, str], tuple[str | None, Mapping[str, str]]]
"""Counts a request by its Authorization header, which may be empty, and its path: the limit that was hit, or None, and headers
to send."""

PER_DAY = 650_000
_SEARCH, _FILES = "/search", "/pdf"
_ID = re.compile(r"/[^/]*\d[^/]*")
_FROM_SIGNING_IN = f"Bearer {PROFILES['crm'].access_prefix}"


def limits(ticks: Ticks) -> dict[str, Limit]:
    """The limit of each service, by the service's name. The payments API and its files host share one."""
    test, live = Counter(25, 1, ticks, rolling=True), Counter(100, 1, ticks, rolling=True)
    by_endpoint, few = Counter(25, 1, ticks, rolling=True), Counter(20, 1, ticks, rolling=True)
    by_minute = Counter(960, 60, ticks, rolling=False)
    private, public = Counter(190, 10, ticks, rolling=True), Counter(110, 10, ticks, rolling=True)
    by_day = Counter(PER_DAY, DAY, ticks, rolling=False)

    def payments(authorization: str, path: str) -> tuple[str | None, Mapping[str, str]]:
        """One limit for test data and one for live data; requests without a proper key are turned away before they count.

        An endpoint is a path whose ids do not count: parts with a digit. Searches count together, as the files host does.
        """
        try:
            is_live = key_of(authorization).live
        except ApiError:
            return None, {}
        together = next((one for one in (_SEARCH, _FILES) if path.endswith(one)), "")
        place = f"{is_live}{together or _ID.sub('/', path)}"
        if not (live if is_live else test).count("")[0]:
            return "", {}
        return None if (few if together else by_endpoint).count(place)[0] else ENDPOINT, {}

    def incidents(authorization: str, _path: str) -> tuple[str | None, Mapping[str, str]]:
        within, remaining, reset = by_minute.count(authorization)
        headers = {
            "ratelimit-limit": str(by_minute.most),
            "ratelimit-remaining": str(remaining),
            "ratelimit-reset": str(ceil(reset)),
        }
        return None if within else "", headers

    def crm(authorization: str, _path: str) -> tuple[str | None, Mapping[str, str]]:
        signed_in = authorization.startswith(_FROM_SIGNING_IN)
        in_ten_seconds = public if signed_in else private
        within, remaining, _ = in_ten_seconds.count(authorization)
        headers = {
            "X-HubSpot-RateLimit-Interval-Milliseconds": "10000",
            "X-HubSpot-RateLimit-Max": str(in_ten_seconds.most),
            "X-HubSpot-RateLimit-Remaining": str(remaining),
        }
        if signed_in or not within:
            return None if within else "", headers
        within, remaining, _ = by_day.count(authorization)
        daily = {"X-HubSpot-RateLimit-Daily": str(by_day.most), "X-HubSpot-RateLimit-Daily-Remaining": str(remaining)}
        return None if within else DAILY, headers | daily

    return {"payments": payments, "files": payments, "incidents": incidents, "crm": crm}


REASON = "Stripe-Rate-Limited-Reason"

Refuse = Callable[[int, str], Response]


def error_responses(world: World) -> dict[str, Refuse]:
    """The error responses of each service, by the service's name."""
    numbers = count(1)

    def payments(status: int, which: str) -> Response:
        error = failing("locked" if which and which != ENDPOINT else status)
        headers = {"Request-Id": "req_" + world.token(f"refusal/{next(numbers)}", 14)}
        # It says why where the number of requests is; without a reason an object is locked.
        rate = "endpoint-rate" if which == ENDPOINT else "global-rate"
        reason = {REASON: rate} if which == ENDPOINT or error.code == "rate_limit" else {}
        return JSONResponse(error.body(), error.status, headers | reason)

    def incidents(status: int, which: str) -> Response:
        return PlainTextResponse("Too Many Requests", 429) if which else JSONResponse(IncidentRefusal(status).body, status)

    def crm(status: int, which: str) -> Response:
        known = crm_service.FAILURES.get(DAILY if which == DAILY else status)
        refusal = crm_service.Refusal(status, *known) if known else crm_service.expired(MINUTE, world.present - MINUTE)
        return JSONResponse(refusal.body(world.uuid(f"crm/refusal/{next(numbers)}")), status)

    return {"payments": payments, "files": payments, "incidents": incidents, "crm": crm}
