"""Reads times as people write them and returns the absolute moment to send; and the error for a value that cannot be read.

======================================  ==============================================================================
``now``, ``-24h``, ``+30m``, ``-1d12h``  from the current time: seconds, minutes, hours, days of 24 hours, weeks
``24h``, ``24h ago``, ``2 hours``         the same as ``-24h``, ``-2h``
``today``, ``yesterday``, ``tomorrow``   midnight, or the hour after it: ``yesterday 9:00``
``9:00``                                today at that hour
``monday 9:00``, ``next monday``        the last one that is not in the future, or the next one
``2026-11-20 9:00``                     that day at that hour
``24 Nov``, ``Sat 28 Nov 2025 16:31``    the same, as dates are shown; without a year this year's
``4 min ago``, ``in 2 hours``            distances as they are shown
``2026-11-20T09:00Z``, ``2026-11-20``   ISO 8601, in UTC unless it says otherwise
======================================  ==============================================================================

A time zone may follow: an IANA name, ``UTC``, or an offset such as ``+02:00``. Without one, all but ISO 8601 are in this
machine's zone. An hour that clocks skip is refused; of an hour that occurs twice the first is used, with a note.
"""

import difflib
import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from functools import cache
from importlib import resources
from zoneinfo import ZoneInfo

import msgspec

from registry.catalog.model import Parameter
from registry.json_text import Exact, dumps
from registry.text.shown import distance

JsonPath = tuple[str | int, ...]
"""A path inside a value: property names, and item indexes from 0."""


class InvalidValue(ValueError):
    """A value that its parameter does not accept. The message says the rule, the value and what to type instead.

    Args:
        message: what is wrong; empty if only parts are.
        parts: the path of each invalid part, and what is wrong with it.

    Attributes:
        problems: all that is wrong, each with its path inside the value.
    """

    def __init__(self, message: str, parts: Sequence[tuple[JsonPath, str]] = ()) -> None:
        super().__init__(message or "; ".join(f"`{dotted(inside)}` {words}" if inside else words for inside, words in parts))
        self.problems = tuple(parts) or (((), message),)


def dotted(inside: JsonPath) -> str:
    """A path inside a value as people write it: ``assignee.emails[0]``."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in inside).removeprefix(".")


def shown(raw: object, *, quoted: bool = True) -> str:
    """A value for an error message: as JSON where possible, cut to a readable length."""
    text = dumps(raw) if quoted and not isinstance(raw, Exact) else str(raw)
    return text if len(text) <= 60 else text[:57] + "…"


def closest(text: str, known: Sequence[str]) -> str:
    """The known value closest to a text; empty if none is close."""
    return next(iter(difflib.get_close_matches(text, known, n=1)), "")


def nearest(text: str, known: Sequence[str]) -> str:
    """The known value closest to a text, as the end of a message; empty if none is close."""
    found = closest(text, known)
    return f"; did you mean {found}?" if found else ""


_UNITS = {"s": 1, "m": 60, "min": 60, "h": 3_600, "d": 86_400, "w": 604_800, "month": 2_629_800, "y": 31_557_600}
_UNITS |= {word: _UNITS[word[0]] for word in ("second", "minute", "hour", "day", "week", "year")}
"""Seconds of each unit. A day has 24 hours."""
_UNIT = "(?:second|minute|min|hour|day|week|month|year)s?|[smhdwy]"
_NUMBER = r"\d{1,9}(?:\.\d{1,3})?"
_PART = re.compile(rf"({_NUMBER})\s*({_UNIT})", re.IGNORECASE)
_LENGTH = rf"(?:{_NUMBER}\s*(?:{_UNIT})\s*)+"
_RELATIVE = re.compile(rf"^(in |[+-])?({_LENGTH})((?<=\s)ago)?(?=\s|$)", re.IGNORECASE)
_STEP = re.compile(r"([+-])(\d+)s")
_SHOWN_DAY = re.compile(r"(?:[a-z]{3} )?(\d{1,2}) ([a-z]{3})(?: (\d{4}))?")
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_OFFSET = re.compile(r"(?:utc|gmt)?([+-])(\d{1,2})(?::?([0-5]\d))?", re.IGNORECASE)
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?")
_DAY = re.compile(r"\d{4}-\d{1,2}-\d{1,2}")
_ZONE_LIKE = re.compile(r"[A-Za-z][A-Za-z_/+-]*")
_DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1}
WEEK = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
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

    `here` is this machine's time zone; by default the system's.

    Raises:
        InvalidValue: it is not a time.
    """
    try:
        return _sent(parameter, instant(text, now, here))
    except InvalidValue as refusal:
        raise InvalidValue(f"{_TAKES[str(parameter.format)]}; {refusal}") from None


def reading(parameter: Parameter, text: str, now: float, here: tzinfo | None = None, *, if_spoken: bool = False) -> str:
    """A typed time in words: the moment with its zone, how far away it is, and what is sent.

    Empty if the text is not a time, or the parameter does not take one; with `if_spoken`, also if the text shows the whole
    moment itself, and is not in words or without a zone. The other arguments are those of `value_of`.
    """
    if parameter.format not in _TAKES:
        return ""
    text = text.strip()
    is_number = parameter.format == "unix-minute" and _UNIX.fullmatch(text) is not None
    try:
        found = Instant(datetime.fromtimestamp(int(text), UTC), spoken=False) if is_number else instant(text, now, here)
    except (ValueError, OverflowError, OSError):
        return ""
    if if_spoken and not found.spoken:
        return ""
    at = found.at.replace(second=0) if found.moves and parameter.format == "unix-minute" else found.at
    local = at.astimezone(here)
    parts = (
        f"= {words(at)}{' (this computer’s time zone)' if found.is_local else ''}",
        f"{_clock(local)} here" if not found.is_local and local.utcoffset() != at.utcoffset() else "",
        distance(at.timestamp(), now),
        "" if is_number else f"sends {_sent(parameter, found)}",
    )
    return " · ".join(filter(None, parts)) + (f"\n{found.note}" if found.note else "")


def instant(text: str, now: float, here: tzinfo | None = None, *, local_dates: bool = False) -> Instant:
    """The moment that a text means.

    `here` is this machine's time zone. With `local_dates`, ISO 8601 without an offset is in it, not in UTC.

    Raises:
        InvalidValue: it is not a time; the text says why and what to write, without the rule.
    """
    zone, parts = _split(_RELATIVE.sub(_step, text.strip()), now, here)
    try:
        found = _read(parts, zone, now, here, local_dates=local_dates)
        found.at.astimezone(UTC)  # some moments exist only in their own zone: the first hours of the year 1
    except InvalidValue:
        raise
    except (OverflowError, OSError, ValueError):
        raise InvalidValue(f"{shown(text)} is not a valid date or time") from None
    return found


def words(at: datetime) -> str:
    """A moment with its whole date and its zone: ``Fri 20 Nov 2026 09:00 CET``."""
    return f"{at:%a} {at.day} {at:%b %Y} {_clock(at)}"


def _clock(at: datetime) -> str:
    name = at.tzname() or "UTC"
    return f"{at:%H:%M:%S}"[: 8 if at.second else 5] + (f" UTC{name}" if name[0] in "+-" else f" {name}")


def _sent(parameter: Parameter, found: Instant) -> str | int:
    """A moment in the service's format. One counted from the current time is rounded down where only minutes are accepted."""
    if parameter.format == "unix-minute":
        seconds = int(found.at.timestamp())
        return seconds - seconds % 60 if found.moves else seconds
    return found.at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _step(found: re.Match[str]) -> str:
    """A distance as a step from the current time, in seconds; without a word or a sign it is in the past."""
    if found[1] and found[3]:  # they would say two directions
        return found[0]
    return f"{'+' if (found[1] or '').lower() in ('in ', '+') else '-'}{int(_seconds(found[2]))}s "


def _seconds(length: str) -> float:
    """The seconds of a length of time: ``1h30m``, ``2 hours``."""
    parts = [(float(count), unit.lower()) for count, unit in _PART.findall(length)]
    return sum(count * (_UNITS.get(unit) or _UNITS[unit.removesuffix("s")]) for count, unit in parts)


def _split(text: str, now: float, here: tzinfo | None) -> tuple[tzinfo | None, list[str]]:
    """The time zone at the end of a text, None without one or for this machine's, and the words before it."""
    parts = text.split()
    last = parts[-1] if len(parts) > 1 else ""
    zone = zone_of(last)
    if zone is None and last in {_at(now + half * 15_778_800, here).tzname() for half in (0, 1)}:  # CEST, as times are shown
        return None, parts[:-1]
    if zone is None and _ZONE_LIKE.fullmatch(last) and _weekday(last) is None and last.lower() not in (*_DAYS, *MONTHS):
        of_city = [name for name in zones() if name.lower().rpartition("/")[2] == last.lower()]
        raise InvalidValue(f"unknown time zone {shown(last)}{f'; write {of_city[0]}' if of_city else nearest(last, zones())}")
    return zone, parts if zone is None else parts[:-1]


def _read(parts: list[str], zone: tzinfo | None, now: float, here: tzinfo | None, *, local_dates: bool) -> Instant:
    where, is_local = zone or here, zone is None
    line = ["+0s"] if [part.lower() for part in parts] == ["now"] else [part.lower() for part in parts]
    if len(line) == 1 and (step := _STEP.fullmatch(line[0])):
        return Instant(_at(int(now) + int(step[1] + step[2]), where), is_local, moves=True)
    clock = _CLOCK.fullmatch(line[-1]) if line else None
    hour = time(int(clock[1]), int(clock[2]), int(clock[3] or 0)) if clock else time()
    named = line[:-1] if clock else line
    # A date alone is ISO 8601, unless a zone is named.
    is_iso = not clock and is_local and not local_dates and len(named) == 1 and _DAY.fullmatch(named[0])
    day = None if is_iso or not line else _day(named, hour, _at(now, where).replace(tzinfo=None))
    if day is None:
        return _iso(" ".join(parts), zone, here, local_dates=local_dates)
    return _placed(day, hour, where, is_local, needed=clock is not None)


def _day(named: list[str], hour: time, now: datetime) -> date | None:
    """The day that words name, by a wall clock that shows `now`; None if they name none.

    A weekday is the last one whose hour is not in the future, or the next one whose hour is.
    """
    step = 1 if named[:1] == ["next"] else -1
    name = named[-1] if named else "today"
    weekday = _weekday(name)
    if weekday is not None and (len(named) == 1 or (len(named) == 2 and named[0] in ("last", "next"))):
        day = now.date() + timedelta(step * ((step * (weekday - now.weekday())) % 7))
        return day if (datetime.combine(day, hour) > now) == (step > 0) else day + timedelta(7 * step)
    if (shown_day := _SHOWN_DAY.fullmatch(" ".join(named))) is not None and shown_day[2] in MONTHS:
        return date(int(shown_day[3] or now.year), MONTHS.index(shown_day[2]) + 1, int(shown_day[1]))
    if len(named) <= 1 and name in _DAYS:
        return now.date() + timedelta(_DAYS[name])
    return date(*map(int, name.split("-"))) if len(named) == 1 and _DAY.fullmatch(name) else None


def _iso(text: str, zone: tzinfo | None, here: tzinfo | None, *, local_dates: bool) -> Instant:
    try:
        # A lower-case t or z is ISO 8601 as well.
        found = datetime.fromisoformat(text.upper() if text[:1].isdigit() else text)
    except ValueError:
        hint = "; write -24h or 24h ago for the past, +24h for the future" if _PART.match(text.lstrip("+-")) else ""
        raise InvalidValue(f"got {shown(text)}{hint}") from None
    if found.tzinfo is not None and zone is not None:
        raise InvalidValue(f"{shown(text)} already has a UTC offset; remove the time zone after it")
    if found.tzinfo is not None or (zone is None and " " not in text and not local_dates):
        return Instant(found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC), spoken=False)
    return _placed(found.date(), found.time(), zone or here, zone is None)


def _placed(day: date, hour: time, where: tzinfo | None, is_local: bool, *, needed: bool = True) -> Instant:
    """A day and an hour in a zone as a moment, with a note if the hour occurs twice.

    Without `where` it is this machine's zone. Of a day whose hour is not `needed`, the first moment is wanted.
    """
    wall = datetime.combine(day, hour)
    at, other = (_at(wall.replace(tzinfo=where, fold=fold).timestamp(), where) for fold in (0, 1))
    place = f"in {where}" if where is not None else "in this computer’s time zone"
    apart = at.timestamp() - other.timestamp()  # as moments: within one zone Python compares what the clock shows
    if apart > 0 and needed:
        raise InvalidValue(
            f"{wall:%H:%M} does not exist on {day.day} {day:%b %Y} {place} (clocks go forward); use {other:%H:%M} or {at:%H:%M}"
        )
    note = (
        f"{wall:%H:%M} occurs twice that day {place} (clocks go back); using the first. "
        f"For the second: {wall:%H:%M} {other.isoformat()[19:25]}"
    )
    return Instant(at, is_local, note=note if apart < 0 else "")


def _at(seconds: float, where: tzinfo | None) -> datetime:
    return datetime.fromtimestamp(seconds, UTC).astimezone(where)


def _weekday(text: str) -> int | None:
    """The weekday that a text names or abbreviates, Monday being 0; None if there is none."""
    return next((place for place, name in enumerate(WEEK) if len(text) >= 3 and name.startswith(text.lower())), None)


def interval_seconds(text: str, shortest: float = 0, longest: float = float("inf")) -> float:
    """The seconds of an interval from `shortest` to `longest`; a number without a unit is in seconds.

    Raises:
        InvalidValue: it is not an interval, too short or too long; the text says the rule and what was typed.
    """
    typed = f"{text.strip()}s" if re.fullmatch(_NUMBER, text.strip()) else text.strip()
    seconds = _seconds(typed)
    if not re.fullmatch(_LENGTH, typed, re.IGNORECASE) or not shortest <= seconds <= longest:
        bounds = f", from {_short(shortest)} to {_short(longest)}" if longest < float("inf") else ""
        raise InvalidValue(f"must be an interval such as 90s, 10m or 1h30m{bounds}; got {shown(text)}")
    return seconds


def _short(seconds: float) -> str:
    unit = next((one for one in "dhm" if seconds >= _UNITS[one] and seconds % _UNITS[one] == 0), "s")
    return f"{seconds / _UNITS[unit]:g}{unit}"


@cache
def zones() -> tuple[str, ...]:
    """The names of all IANA time zones. They come from ``tzdata``, because not every machine has its own."""
    return tuple(resources.files("tzdata").joinpath("zones").read_text("utf-8").split())


def zone_named(text: str) -> str | None:
    """The IANA name of a text, in upper or lower case; None if it is not a zone."""
    return next((name for name in zones() if name.lower() == text.lower()), None)


def zone_of(text: str) -> tzinfo | None:
    """The time zone of a text: ``Europe/Berlin``, ``utc``, ``Z``, ``+02:00``; None if it is not a zone."""
    if text.lower() in ("utc", "z", "gmt"):
        return UTC
    if found := _OFFSET.fullmatch(text):
        offset = timedelta(hours=int(found[2]), minutes=int(found[3] or 0))
        return timezone(-offset if found[1] == "-" else offset) if offset < timedelta(hours=15) else None
    name = zone_named(text)
    return ZoneInfo(name) if name is not None else None
