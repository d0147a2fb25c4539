"""Reads times as people write them and returns the absolute moment to send.

======================================  ==============================================================================
``now``, ``-24h``, ``+30m``, ``-1d12h``  from the current time: seconds, minutes, hours, days of 24 hours, weeks
``24h``, ``24h ago``                     the same as ``-24h``
``today``, ``yesterday``, ``tomorrow``   midnight, or the hour after it: ``yesterday 9:00``
``9:00``                                today at that hour
``monday 9:00``, ``next monday``        the last one that is not in the future, or the next one
``2026-11-20 9:00``                     that day at that hour
``2026-11-20T09:00Z``, ``2026-11-20``   ISO 8601, in UTC unless it says otherwise
======================================  ==============================================================================

A time zone may follow: an IANA name, ``UTC``, or an offset such as ``+02:00``. Without one, all but ISO 8601 are in this
machine's zone. An hour that clocks skip is refused; of an hour that occurs twice the first is used, with a note.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from functools import cache
from importlib import resources
from zoneinfo import ZoneInfo

import msgspec

from registry.calling.invalid_value import InvalidValue, nearest, shown
from registry.catalog.model import Parameter
from registry.text.readings import distance

UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
"""Seconds of each unit. A day has 24 hours."""
STEPS = r"(?:\d{1,9}[smhdw])+"
"""The regular expression of whole numbers with units, without blanks, as they stand in a time: ``1d12h``. Ignores case."""
_NUMBER = r"\d{1,9}(?:\.\d{1,3})?"
_PART = re.compile(rf"({_NUMBER})\s*([smhdw])", re.IGNORECASE)
_INTERVAL = re.compile(rf"(?:{_NUMBER}\s*[smhdw]\s*)+", re.IGNORECASE)
_SECONDS = re.compile(_NUMBER)
_OFFSET = re.compile(r"(?:utc|gmt)?([+-])(\d{1,2})(?::?([0-5]\d))?", re.IGNORECASE)
_HOURS = 15
_STEP = re.compile(rf"([+-]?)({STEPS})", re.IGNORECASE)
_AGO = re.compile(rf"^({STEPS}) ago(?=\s|$)", re.IGNORECASE)
_BEGINNING = re.compile(STEPS, re.IGNORECASE)
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?")
_DAY = re.compile(r"\d{4}-\d{1,2}-\d{1,2}")
_ZONE_LIKE = re.compile(r"[A-Za-z][A-Za-z_/+-]*")
_DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1}
_WEEK = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WHICH = ("last", "next")

_UNIX = re.compile(r"[+-]?[0-9]+")
_TAKES = {
    "date-time": "must be a time such as -24h, yesterday 9:00 Europe/Berlin or 2026-03-01T09:00Z",
    "unix-minute": "must be a time such as -7d, today UTC, 2026-03-01T09:00Z or Unix seconds",
}


class Instant(msgspec.Struct, frozen=True):
    """A moment as typed.

    Attributes:
        at: the moment, in the zone that was meant.
        is_local: that is this machine's zone, because the text names none.
        moves: it was counted from the current time, to the second.
        spoken: it was relative, in words, or without a zone: the moment should be shown.
        note: a further note for the user; may be empty.
    """

    at: datetime
    is_local: bool = False
    moves: bool = False
    spoken: bool = True
    note: str = ""


def value_of(parameter: Parameter, text: str, now: float, here: tzinfo | None = None) -> str | int:
    """What is sent for a time: ISO 8601 in UTC, or Unix seconds.

    Args:
        parameter: its format is ``date-time`` or ``unix-minute``.
        text: the typed text, not a number.
        now: the current time in Unix seconds.
        here: this machine's time zone; by default the system's.

    Raises:
        InvalidValue: it is not a time.
    """
    try:
        return _sent(parameter, instant(text, now, here))
    except InvalidValue as refusal:
        raise InvalidValue(f"{_TAKES[str(parameter.format)]}; {refusal}") from None


def reading(parameter: Parameter, text: str, now: float, here: tzinfo | None = None) -> str:
    """A typed time in words: the moment with its zone, how far away it is, and what is sent.

    Empty if the text is not a time, or the parameter does not take one. The arguments are those of `value_of`.
    """
    text = text.strip()
    if not text or parameter.format not in _TAKES:
        return ""
    is_number = parameter.format == "unix-minute" and _UNIX.fullmatch(text) is not None
    try:
        found = Instant(datetime.fromtimestamp(int(text), UTC), spoken=False) if is_number else instant(text, now, here)
        sent = _sent(parameter, found)
    except (InvalidValue, ValueError, OverflowError, OSError):
        return ""
    at = found.at.replace(second=0) if found.moves and parameter.format == "unix-minute" else found.at
    parts = [f"= {words(at)}{' (this computer’s time zone)' if found.is_local else ''}"]
    local = at.astimezone(here)
    if not found.is_local and local.utcoffset() != at.utcoffset():
        parts.append(f"{_clock(local)} here")
    parts.append(distance(at.timestamp(), now))
    if not is_number:
        parts.append(f"sends {sent}")
    return " · ".join(parts) + (f"\n{found.note}" if found.note else "")


def is_spoken(parameter: Parameter, text: str, now: float, here: tzinfo | None = None) -> bool:
    """Whether a time as typed does not fully show the moment: words, or hours without a zone."""
    try:
        return parameter.format in _TAKES and _UNIX.fullmatch(text.strip()) is None and instant(text, now, here).spoken
    except InvalidValue:
        return False


def instant(text: str, now: float, here: tzinfo | None = None, *, local_dates: bool = False) -> Instant:
    """The moment that a text means.

    Args:
        text: the typed text.
        now: the current time in Unix seconds.
        here: this machine's time zone; by default the system's.
        local_dates: ISO 8601 without an offset is in this machine's zone, not in UTC.

    Raises:
        InvalidValue: it is not a time; the text says why and what to write, without the rule.
    """
    zone, rest = _split(_AGO.sub(r"-\1", text.strip()))
    try:
        found = _read(rest, zone, now, here, local_dates=local_dates)
        # Some moments exist only in their own zone: the first hours of the year 1.
        found.at.astimezone(UTC)
    except (OverflowError, OSError, ValueError) as error:
        if isinstance(error, InvalidValue):
            raise
        raise InvalidValue(f"{shown(text)} is not a valid date or time") from None
    return found


def words(at: datetime) -> str:
    """A moment with its whole date and its zone: ``Fri 20 Nov 2026 09:00 CET``."""
    return f"{at:%a} {at.day} {at:%b %Y} {_clock(at)}"


def _clock(at: datetime) -> str:
    name = at.tzname() or "UTC"
    hour = f"{at:%H:%M:%S}" if at.second else f"{at:%H:%M}"
    return f"{hour} UTC{name}" if name[0] in "+-" else f"{hour} {name}"


def _sent(parameter: Parameter, found: Instant) -> str | int:
    """A moment in the service's format. One counted from the current time is rounded down where only minutes are accepted."""
    if parameter.format == "unix-minute":
        seconds = int(found.at.timestamp())
        return seconds - seconds % 60 if found.moves else seconds
    return found.at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _split(text: str) -> tuple[tzinfo | None, list[str]]:
    """The time zone at the end of a text, None without one, and the words before it."""
    parts = text.split()
    if len(parts) < 2:
        return None, parts
    last = parts[-1]
    zone = zone_of(last)
    if zone is not None:
        return zone, parts[:-1]
    if _ZONE_LIKE.fullmatch(last) and _weekday(last) is None and last.lower() not in _DAYS:
        like = zones_like(last)
        hint = f"; write {like[0]}" if like else nearest(last, zones())
        raise InvalidValue(f"unknown time zone {shown(last)}{hint}")
    return None, parts


def _read(parts: list[str], zone: tzinfo | None, now: float, here: tzinfo | None, *, local_dates: bool) -> Instant:
    where, is_local = (zone, False) if zone is not None else (here, True)
    line = [part.lower() for part in parts]
    if line == ["now"]:
        line = ["+0s"]
    if len(line) == 1 and (step := _STEP.fullmatch(line[0])):
        seconds = int(interval_seconds(step[2]))
        return Instant(_at(int(now) + (seconds if step[1] == "+" else -seconds), where), is_local, moves=True)
    hour = _hour(line[-1]) if line else None
    days = line[:-1] if hour is not None else line
    # A day alone is ISO 8601, unless a zone is named.
    if days and len(days) <= 2 and (hour is not None or zone is not None or local_dates or not _DAY.fullmatch(days[0])):
        found = _on(days, hour, where, now)
        if found is not None:
            return Instant(found[0], is_local, note=found[1])
    if hour is not None and not days:
        at, note = _placed(_today(where, now), hour, where, needed=True)
        return Instant(at, is_local, note=note)
    return _iso(" ".join(parts), zone, here, local_dates=local_dates)


def _on(days: list[str], hour: time | None, where: tzinfo | None, now: float) -> tuple[datetime, str] | None:
    """An hour of a day that is named in words or by its date; None if it is neither."""
    which = days[0] if len(days) == 2 and days[0] in _WHICH else ""
    day, today, needed = days[-1], _today(where, now), hour is not None
    hour = hour or time()
    if (weekday := _weekday(day)) is not None and (which or len(days) == 1):
        step = 1 if which == "next" else -1
        away = (step * (weekday - today.weekday())) % 7
        for days_away in (away, away + 7):
            at, note = _placed(today + timedelta(days=step * days_away), hour, where, needed=needed)
            if (at.timestamp() > now) == (step > 0):
                break
        return at, note
    if len(days) != 1:
        return None
    if day in _DAYS:
        return _placed(today + timedelta(days=_DAYS[day]), hour, where, needed=needed)
    if _DAY.fullmatch(day):
        year, month, number = map(int, day.split("-"))
        return _placed(date(year, month, number), hour, where, needed=needed)
    return None


def _iso(text: str, zone: tzinfo | None, here: tzinfo | None, *, local_dates: bool) -> Instant:
    try:
        # A lower-case t or z is ISO 8601 as well.
        found = datetime.fromisoformat(text.upper() if text[:1].isdigit() else text)
    except ValueError:
        hint = "; write -24h or 24h ago for the past, +24h for the future" if _BEGINNING.match(text) else ""
        raise InvalidValue(f"got {shown(text)}{hint}") from None
    if found.tzinfo is not None and zone is not None:
        raise InvalidValue(f"{shown(text)} already has a UTC offset; remove the time zone after it")
    if found.tzinfo is not None:
        return Instant(found.astimezone(UTC), spoken=False)
    if zone is None and " " not in text and not local_dates:
        return Instant(found.replace(tzinfo=UTC), spoken=False)
    at, note = _placed(found.date(), found.time(), zone if zone is not None else here, needed=True)
    return Instant(at, zone is None, note=note)


def _placed(day: date, hour: time, where: tzinfo | None, *, needed: bool) -> tuple[datetime, str]:
    """A day and an hour in a zone as a moment, and a note if the hour occurs twice.

    Args:
        day: the day.
        hour: the hour.
        where: the zone; None for this machine's.
        needed: the hour was given; otherwise the day's first moment is wanted, whatever the clock shows then.
    """
    wall = datetime.combine(day, hour)
    first, second = (wall.replace(tzinfo=where, fold=fold).timestamp() for fold in (0, 1))
    at, other = _at(first, where), _at(second, where)
    if first > second and needed:
        raise InvalidValue(
            f"{wall:%H:%M} does not exist on {day.day} {day:%b %Y} {_in(where)} (clocks go forward); use {other:%H:%M} or "
            f"{at:%H:%M}"
        )
    if first < second:
        return (
            at,
            f"{wall:%H:%M} occurs twice that day {_in(where)} (clocks go back); using the first. For the second: "
            f"{wall:%H:%M} {_offset(other)}",
        )
    return at, ""


def _offset(at: datetime) -> str:
    return at.isoformat()[19:25]


def _in(where: tzinfo | None) -> str:
    return f"in {where}" if where is not None else "in this computer’s time zone"


def _at(seconds: float, where: tzinfo | None) -> datetime:
    return datetime.fromtimestamp(seconds, UTC).astimezone(where)


def _today(where: tzinfo | None, now: float) -> date:
    return _at(now, where).date()


def _hour(text: str) -> time | None:
    found = _CLOCK.fullmatch(text)
    return time(int(found[1]), int(found[2]), int(found[3] or 0)) if found else None


def _weekday(text: str) -> int | None:
    """The weekday that a text names or abbreviates, Monday being 0; None if there is none."""
    return next((place for place, name in enumerate(_WEEK) if len(text) >= 3 and name.startswith(text.lower())), None)


def interval_seconds(text: str, shortest: float = 0, longest: float = float("inf")) -> float:
    """The seconds of an interval; a number without a unit is in seconds.

    Args:
        text: what was typed.
        shortest: the fewest seconds that are allowed.
        longest: the most seconds that are allowed.

    Raises:
        InvalidValue: it is not an interval, too short or too long; the text says the rule and what was typed.
    """
    typed = text.strip()
    if _SECONDS.fullmatch(typed):
        seconds = float(typed)
    elif _INTERVAL.fullmatch(typed):
        seconds = sum(float(count) * UNITS[unit.lower()] for count, unit in _PART.findall(typed))
    else:
        seconds = -1.0
    if not 0 <= shortest <= seconds <= longest:
        bounds = f", from {_short(shortest)} to {_short(longest)}" if longest < float("inf") else ""
        raise InvalidValue(f"must be an interval such as 90s, 10m or 1h30m{bounds}; got {shown(text)}")
    return seconds


def _short(seconds: float) -> str:
    unit = next((one for one in "dhm" if seconds >= UNITS[one] and seconds % UNITS[one] == 0), "s")
    return f"{seconds / UNITS[unit]:g}{unit}"


@cache
def zones() -> tuple[str, ...]:
    """The names of all IANA time zones. They come from ``tzdata``, because not every machine has its own."""
    return tuple(resources.files("tzdata").joinpath("zones").read_text("utf-8").split())


def zone_named(text: str) -> str | None:
    """The IANA name of a text, in upper or lower case; None if it is not a zone."""
    return text if text in zones() else _by_lower().get(text.lower())


def zones_like(text: str) -> list[str]:
    """The names of zones whose last part, usually a city, is the text."""
    return [name for name in zones() if name.lower().rpartition("/")[2] == text.lower()]


def zone_of(text: str) -> tzinfo | None:
    """The time zone of a text: ``Europe/Berlin``, ``utc``, ``Z``, ``+02:00``; None if it is not a zone."""
    if text.lower() in ("utc", "z", "gmt"):
        return UTC
    if found := _OFFSET.fullmatch(text):
        sign, hours, minutes = found[1], int(found[2]), int(found[3] or 0)
        offset = timedelta(hours=hours, minutes=minutes)
        return timezone(-offset if sign == "-" else offset) if hours < _HOURS else None
    name = zone_named(text)
    if name is None:
        return None

    return ZoneInfo(name)


@cache
def _by_lower() -> dict[str, str]:
    return {name.lower(): name for name in zones()}
