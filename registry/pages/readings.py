"""The ways in which a template shows a value: unchanged, as money, as a day, as an age, as a state in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, tzinfo
from typing import Any, NamedTuple

from registry.text.readings import distance, money

_LAST = 4_102_444_800


class Value(NamedTuple):
    """A value, the currency beside it, the current time in Unix seconds, and the zone of times; None for this computer's."""

    value: Any
    currency: str
    now: float
    zone: tzinfo | None = None


def seconds(value: Any) -> float | None:
    """The Unix seconds of a time, which is given as such or as ISO text with a zone; None if it is not a time."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value) if 0 < value < _LAST else None
    if isinstance(value, str) and "T" in value:
        try:
            at = datetime.fromisoformat(value)
        except ValueError:
            return None
        return at.timestamp() if at.tzinfo is not None else None
    return None


def words(text: str) -> str:
    """A name of the service's as words: ``past_due`` → ``past due``."""
    return text.replace("_", " ").strip()


def _plain(of: Value) -> str:
    value = of.value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        value = value.get("summary") or value.get("name") or value.get("id")
        return value if isinstance(value, str) else ""
    return str(value) if isinstance(value, str | int | float) else ""


def _money(of: Value) -> str:
    return money(of.value, of.currency) if type(of.value) is int and of.currency else ""


def _date(at: float, of: Value) -> str:
    """A day, with its year if that is not the current one: ``15 Nov``, ``15 Nov 2025``."""
    then = datetime.fromtimestamp(at, of.zone)
    return f"{then.day} {then:%b}" if then.year == datetime.fromtimestamp(of.now, of.zone).year else f"{then.day} {then:%b %Y}"


def _moment(at: float, of: Value) -> str:
    then = datetime.fromtimestamp(at).astimezone(of.zone)
    return f"{then:%a} {_date(at, of)} {then:%H:%M %Z}"


def _late(at: float, of: Value) -> str:
    """How long ago a time was: ``7 days``; empty if it is in the future."""
    return distance(at, of.now).removesuffix(" ago") if at <= of.now else ""


def _minute_after(at: float, _: Value) -> str:
    """One minute after a time, for the end of a period that includes it."""
    return datetime.fromtimestamp(at + 60, UTC).isoformat(timespec="seconds")


def _timed(show: Callable[[float, Value], str]) -> Callable[[Value], str]:
    """Shows a time; empty for other values."""
    return lambda of: show(at, of) if (at := seconds(of.value)) is not None else ""


READINGS: Mapping[str, Callable[[Value], str]] = {
    "plain": _plain,
    "money": _money,
    "some_money": lambda of: _money(of) if of.value else "",
    "date": _timed(_date),
    "moment": _timed(_moment),
    "ago": _timed(lambda at, of: distance(at, of.now)),
    "late": _timed(_late),
    "minute_after": _timed(_minute_after),
    "count": lambda of: str(len(of.value)) if isinstance(of.value, list | Mapping) else "",
    "words": lambda of: words(_plain(of)),
    "kind": lambda of: words(_plain(of)).removesuffix(" reference"),
    "title": lambda of: words(_plain(of)).capitalize(),
    "mode": lambda of: {True: "live", False: "test"}[of.value] if isinstance(of.value, bool) else "",
}
"""By their names in templates."""
