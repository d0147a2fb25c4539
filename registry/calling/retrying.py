"""When to repeat a request, and how long to wait first.

Only reads are repeated: a write or a delete whose response was lost may have been done. The service declares which statuses are
temporary and which headers contain a wait. Such a wait is used unchanged; otherwise the wait doubles, with jitter, so that many
callers do not retry at once.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite

from registry.catalog.service import Retry

ATTEMPTS = 4
LONGEST_WAIT = 30.0
_FIRST_WAIT, _LONGEST_OWN_WAIT = 0.5, 8.0
_NEVER = 366 * 86_400.0


def wait_before_retry(
    attempt: int,
    status: int | None,
    headers: Mapping[str, str],
    rules: Retry,
    *,
    now: datetime | None = None,
    dice: random.Random | None = None,
) -> float | None:
    """Seconds to wait before the next attempt at a read, or None to give up.

    Args:
        attempt: how many attempts were made, 1 or more.
        status: the response's HTTP status; None if the connection failed.
        headers: the response's headers by lower-case name. If they require a wait longer than `LONGEST_WAIT`, the read is not
            repeated.
        rules: what the service declares.
        now: the current time, for a wait that is a date.
        dice: the source of the jitter.
    """
    if attempt >= ATTEMPTS:
        return None
    should = headers.get(rules.decides) if rules.decides is not None else None
    if should == "false" or (should != "true" and status is not None and status not in rules.statuses):
        return None
    requested = retry_after(status, headers, rules, now=now)
    if requested is not None:
        return requested if requested <= LONGEST_WAIT else None
    wait = min(_FIRST_WAIT * float(2 ** (attempt - 1)), _LONGEST_OWN_WAIT)
    return wait * (dice or random.Random()).uniform(0.5, 1.0)


def retry_after(status: int | None, headers: Mapping[str, str], rules: Retry, *, now: datetime | None = None) -> float | None:
    """Seconds to wait before the next request, as the service says; None if it does not say.

    Args:
        status: the response's HTTP status.
        headers: the response's headers by lower-case name.
        rules: which headers contain a wait, as the service declares.
        now: the current time, for a wait that is a date.
    """
    present = now or datetime.now(UTC)
    names = (*rules.seconds, *(rules.seconds_when_limited if status == 429 else ()))
    for name in names:
        if (seconds := _seconds(headers.get(name), present)) is not None:
            return seconds
    for name in rules.milliseconds_when_limited if status == 429 else ():
        interval = headers.get(name, "")
        if interval.isascii() and interval.isdigit():
            return int(interval[:12]) / 1000
    return None


def _seconds(text: str | None, now: datetime) -> float | None:
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        pass
    else:
        return _bounded(seconds) if isfinite(seconds) else None
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):  # a year or a zone that no calendar has
        return None
    wait = (moment.replace(tzinfo=moment.tzinfo or UTC) - now).total_seconds()
    return _bounded(wait)


def _bounded(seconds: float) -> float:
    """A wait within the range of clocks and calendars: at most a year."""
    return min(max(seconds, 0.0), _NEVER)
