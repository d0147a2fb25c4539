"""Moments of the past: as the words that mark them, and as people type them."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, tzinfo

from registry.calling.intervals import interval_seconds
from registry.calling.invalid_value import InvalidValue
from registry.oncall.clocks import full, second, span, zone_name_at


def past(at: float, zone: tzinfo, *, short: bool = False) -> str:
    """The prefix of everything that is shown about the past: ``PAST 03:14:12 CET``."""
    return f"PAST {second(at, zone)}" if short else f"PAST {second(at, zone)} {zone_name_at(at, zone)}"


def past_title(at: float, now: float, zone: tzinfo) -> str:
    """The prefix with its date, and how long ago it was: ``PAST Mon 1 Dec 2025 03:14:12 CET, 41m ago``."""
    return f"PAST {past_stamp(at, zone)}, {span(now - at)} ago"


def past_stamp(at: float, zone: tzinfo) -> str:
    """A moment to the second, with its date and zone: ``Mon 1 Dec 2025 03:14:12 CET``."""
    date = full(at, zone).rpartition(" ")[0].rpartition(" ")[0]
    return f"{date} {second(at, zone)} {zone_name_at(at, zone)}"


_TIME = re.compile(r"(?:(\d{4}-\d\d-\d\d)[ T])?(\d{1,2}):(\d\d)(?::(\d\d))?", re.ASCII)


def moment_of(text: str, zone: tzinfo, latest: float) -> float | None:
    """A moment that somebody typed, in Unix seconds: ``03:14``, ``2026-11-22 03:14:30``, ``-1h30m``; None if it is invalid.

    Args:
        text: what was typed.
        zone: the zone of a typed time.
        latest: a time without a date is the last one before this moment; ``-20m`` counts back from it.
    """
    if text.strip().startswith("-"):
        try:
            return latest - interval_seconds(text.strip()[1:])
        except InvalidValue:
            return None
    if (found := _TIME.fullmatch(text.strip())) is None:
        return None
    date, hour, minute, seconds = found.groups()
    try:
        day = datetime.fromisoformat(date).date() if date else datetime.fromtimestamp(latest, zone).date()
        at = datetime(day.year, day.month, day.day, int(hour), int(minute), int(seconds or 0), tzinfo=zone)
        if not date and at.timestamp() > latest:
            at -= timedelta(days=1)
        return at.timestamp()
    except (ValueError, OverflowError):
        return None
