"""Moments and zones: what a caller may write, what responses contain, and the support hours of services.

Inside, a moment is an integer: Unix seconds. Outside it is ISO 8601, and a moment that is written without a zone is meant in
the account's zone.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta
from functools import cache
from zoneinfo import ZoneInfo

from registry.sandbox.incidents.errors import BAD_TIME, INVALID, Refusal

ACCOUNT_ZONE = "Europe/Berlin"
WORKDAYS = (1, 2, 3, 4, 5)  # Monday is 1
_LAST = 253_370_764_799  # the end of the year 9998: a year further could not be written everywhere


@cache
def zone(name: str) -> ZoneInfo:
    """The zone of that IANA name.

    Raises:
        Refusal: 400, it is not a zone.
    """
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, LookupError) as error:
        raise Refusal(INVALID, "Time zone is not a valid IANA time zone.") from error


def parse(name: str, text: str) -> int:
    """A moment that a request names, in Unix seconds.

    Args:
        name: the parameter, for the refusal.
        text: ISO 8601 from 1970 on, date only or with a time; without a zone it is in the account's.

    Raises:
        Refusal: 400, it is not a time.
    """
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=zone(ACCOUNT_ZONE))
        seconds = int(moment.timestamp())
    except (ValueError, OverflowError):
        seconds = -1
    if not 0 <= seconds <= _LAST:
        raise Refusal(BAD_TIME, f"{name.capitalize()} is not a valid ISO 8601 time.")
    return seconds


def show(moment: int, where: ZoneInfo) -> str:
    """A moment in a zone, with the zone's offset at that moment; UTC as ``Z``."""
    text = datetime.fromtimestamp(moment, where).isoformat()
    return text[:-6] + "Z" if where.key == "UTC" else text


def months_later(moment: int, months: int) -> int:
    """The same day and time of another month, in UTC; the month's last day if it has no such day."""
    there = datetime.fromtimestamp(moment, UTC)
    year, month = divmod(there.year * 12 + there.month - 1 + months, 12)
    day = min(there.day, monthrange(year, month + 1)[1])
    return int(there.replace(year=year, month=month + 1, day=day).timestamp())


def within(hours: Sequence[str], moment: int) -> bool:
    """Whether a moment lies within support hours: zone, start and end as ``HH:MM:SS``, on workdays."""
    where, opens, closes = hours
    local = datetime.fromtimestamp(moment, zone(where))
    return local.isoweekday() in WORKDAYS and time.fromisoformat(opens) <= local.time() < time.fromisoformat(closes)


def next_start(hours: Sequence[str], moment: int) -> int:
    """The next moment, after this one, at which support hours begin."""
    where, opens, _ = hours
    day = datetime.fromtimestamp(moment, zone(where)).date()
    while True:
        start = int(datetime.combine(day, time.fromisoformat(opens), zone(where)).timestamp())
        if day.isoweekday() in WORKDAYS and start > moment:
            return start
        day += timedelta(days=1)
