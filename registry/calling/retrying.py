"""When to ask again, and how long to wait first.

Only reads are repeated: a write or a delete whose answer was lost may have been done. A service that says when to come back is
taken at its word; otherwise the wait doubles, with jitter, so that many callers do not come back at once.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite

ATTEMPTS = 4
LONGEST_WAIT = 30.0
_FIRST_WAIT, _LONGEST_OWN_WAIT = 0.5, 8.0
_PASSING = {409, 429, 500, 502, 503, 504}


def wait_before_retry(
    attempt: int,
    status: int | None,
    headers: Mapping[str, str],
    *,
    now: datetime | None = None,
    dice: random.Random | None = None,
) -> float | None:
    """Seconds to wait before the next attempt at a read, or None to give up.

    Args:
        attempt: how many attempts were made, 1 or more.
        status: the answer's HTTP status; None when the connection failed.
        headers: the answer's headers by lower-case name. ``stripe-should-retry`` overrides the status; `retry_after` reads
            the wait. A wait longer than `LONGEST_WAIT` is not worth it.
        now: the present, for a date in ``retry-after``.
        dice: where the jitter comes from.
    """
    if attempt >= ATTEMPTS:
        return None
    should = headers.get("stripe-should-retry")
    if should == "false" or (should != "true" and status is not None and status not in _PASSING):
        return None
    told = retry_after(status, headers, now=now)
    if told is not None:
        return told if told <= LONGEST_WAIT else None
    wait = min(_FIRST_WAIT * float(2 ** (attempt - 1)), _LONGEST_OWN_WAIT)
    return wait * (dice or random.Random()).uniform(0.5, 1.0)


def retry_after(status: int | None, headers: Mapping[str, str], *, now: datetime | None = None) -> float | None:
    """Seconds after which the service wants to be asked again; None when it does not say.

    Args:
        status: the answer's HTTP status.
        headers: the answer's headers by lower-case name: ``retry-after`` (seconds or a date); on a 429 also
            ``ratelimit-reset`` (seconds) and ``x-hubspot-ratelimit-interval-milliseconds``, the whole of a rolling interval.
        now: the present, for a date in ``retry-after``.
    """
    present = now or datetime.now(UTC)
    told = _seconds(headers.get("retry-after"), present)
    if told is None and status == 429:
        told = _seconds(headers.get("ratelimit-reset"), present)
        interval = headers.get("x-hubspot-ratelimit-interval-milliseconds", "")
        if told is None and interval.isascii() and interval.isdigit():
            told = int(interval) / 1000
    return told


def _seconds(text: str | None, now: datetime) -> float | None:
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        pass
    else:
        return max(seconds, 0.0) if isfinite(seconds) else None
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    wait = (moment.replace(tzinfo=moment.tzinfo or UTC) - now).total_seconds()
    return max(float(wait), 0.0)
