"""Moments and zones: what a caller may write, and what responses contain.

Inside, a moment is an integer: Unix seconds. Outside it is ISO 8601, and a moment that is written without a zone is meant in
the account's zone.
"""

from __future__ import annotations

from calendar import monthrange
from datetime import UTC, datetime
from functools import cache
from zoneinfo import ZoneInfo

from registry.sandbox.incidents.errors import bad_time, invalid

ACCOUNT_ZONE = "Europe/Berlin"
_LAST = 253_370_764_799  # the end of the year 9998: a year further could not be written everywhere


@cache
def zone(name: str) -> ZoneInfo:
    """The zone of that IANA name, known to exist."""
    return ZoneInfo(name)


def asked_zone(name: str) -> ZoneInfo:
    """The zone that a request names.

    Raises:
        Refusal: 400, it is not a zone.
    """
    try:
        return zone(name)
    except (ValueError, OSError, LookupError) as error:
        raise invalid("Time zone is not a valid IANA time zone.") from error


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
    except (ValueError, OverflowError) as error:
        raise bad_time(name) from error
    if not 0 <= seconds <= _LAST:
        raise bad_time(name)
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
