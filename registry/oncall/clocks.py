"""Times in words for the dashboard: ages, countdowns, moments with their zone, and moments as people type them."""

from datetime import UTC, datetime, tzinfo

from registry.calling.invalid_value import InvalidValue
from registry.calling.times import instant
from registry.text.readings import DAY, DUE, HOUR, MINUTE, age, countdown, span

__all__ = ["DAY", "DUE", "HOUR", "MINUTE", "age", "countdown", "span"]

LEAST_EVERY, MOST_EVERY = 15.0, 60.0  # seconds between two refreshes: minimum and maximum
OLDER_EVERY = 10 * MINUTE  # seconds between two readings of incidents that began long ago

ONCE = 60.0  # the usual limit, in seconds, for reading a dashboard that is shown once


def clock(at: float, zone: tzinfo) -> str:
    """The time of day with its zone: ``09:00 CET``."""
    moment = datetime.fromtimestamp(at, zone)
    return f"{moment:%H:%M} {zone_name(moment)}"


def when(at: float, zone: tzinfo, now: float) -> str:
    """A moment with only as much of its date as needed: ``09:00 CET``, ``Mon 8 Dec 09:00 CET``, ``6 Oct 2024 08:00 CEST``."""
    moment, today = datetime.fromtimestamp(at, zone), datetime.fromtimestamp(now, zone)
    if moment.date() == today.date() or 0 <= at - now < 12 * HOUR:
        return clock(at, zone)
    date = f"{moment:%a} {moment.day} {moment:%b}" if abs(at - now) < 300 * DAY else f"{moment.day} {moment:%b %Y}"
    return f"{date} {moment:%H:%M} {zone_name(moment)}"


def second(at: float, zone: tzinfo) -> str:
    """The time of day to the second, without its zone: for columns whose heading names it."""
    return f"{datetime.fromtimestamp(at, zone):%H:%M:%S}"


def zone_name(moment: datetime) -> str:
    """A zone's short name at a moment; a zone without a name is written ``UTC+4``."""
    name = moment.tzname() or "UTC"
    return f"UTC{name}" if name[0] in "+-" else name


def stamp(at: float, zone: tzinfo) -> str:
    """A moment to the second, with its date and zone: ``Mon 1 Dec 2025 03:14:12 CET``."""
    moment = datetime.fromtimestamp(at, zone)
    return f"{moment:%a} {moment.day} {moment:%b %Y} {moment:%H:%M:%S} {zone_name(moment)}"


def past(at: float, zone: tzinfo) -> str:
    """The prefix of everything that is shown about the past: ``PAST 03:14:12 CET``."""
    return f"PAST {second(at, zone)} {clock(at, zone).partition(' ')[2]}"


def iso(moment: float) -> str:
    """A moment in ISO 8601 with the zone UTC, which the service reads alike in every account."""
    return datetime.fromtimestamp(int(moment), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def iso_or_none(moment: float | None) -> str | None:
    """A moment in ISO 8601, or None."""
    return None if moment is None else iso(moment)


def moment_of(text: str, zone: tzinfo, latest: float) -> float | None:
    """A moment that somebody typed, in Unix seconds: ``03:14``, ``2026-11-22 03:14:30``, ``-1h30m``; None if it is invalid.

    `latest` is the last moment that may be meant: an hour after it is that of the day before, and ``-1h`` counts from it.
    """
    try:
        at = instant(text, latest, zone, local_dates=True).at.timestamp()
    except InvalidValue:
        return None
    return at - DAY if at > latest and "-" not in text else at
