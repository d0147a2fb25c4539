"""The ways in which a template shows a value: unchanged, as money, as a day, as an age, as a state in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, tzinfo
from typing import Any, NamedTuple

from registry.pages.paths import at_path
from registry.text.readings import distance, money

_FIRST, _LAST = 0, 4_102_444_800


class Value(NamedTuple):
    """A value, the currency beside it, the current time in Unix seconds, and the zone of times; None for this computer's."""

    value: Any
    currency: str
    now: float
    zone: tzinfo | None = None


def seconds(value: Any) -> float | None:
    """The Unix seconds of a time, which is given as such or as ISO text with a zone; None if it is not a time."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value) if _FIRST < value < _LAST else None
    if isinstance(value, str) and "T" in value:
        try:
            at = datetime.fromisoformat(value)
        except ValueError:
            return None
        return at.timestamp() if at.tzinfo is not None else None
    return None


def currency_along(value: Any, path: str) -> str:
    """The currency beside a value: from the innermost object on the path that has one; empty without one."""
    steps = path.split(".")
    for end in range(len(steps) - 1, -1, -1):
        holder = at_path(value, ".".join(steps[:end])) if end else value
        found = holder.get("currency") if isinstance(holder, Mapping) else None
        if isinstance(found, str) and found.isalpha() and len(found) == 3:
            return found.lower()
    return ""


def words(text: str) -> str:
    """A name of the service's as words: ``past_due`` → ``past due``."""
    return text.replace("_", " ").strip()


def day(at: float, now: float, zone: tzinfo | None = None) -> str:
    """A day, with its year if that is not the current one: ``15 Nov``, ``15 Nov 2025``."""
    then = datetime.fromtimestamp(at, zone)
    return f"{then.day} {then:%b}" if then.year == datetime.fromtimestamp(now, zone).year else f"{then.day} {then:%b %Y}"


def _plain(of: Value) -> str:
    value = of.value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, Mapping):
        named = value.get("summary") or value.get("name") or value.get("id")
        return named if isinstance(named, str) else ""
    return value if isinstance(value, str) else ""


def _money(of: Value) -> str:
    if isinstance(of.value, bool) or not isinstance(of.value, int):
        return ""
    return money(of.value, of.currency) if of.currency else ""


def _kind(of: Value) -> str:
    """A type in words, without the suffix of references."""
    return words(_plain(of)).removesuffix(" reference")


def _date(of: Value) -> str:
    at = seconds(of.value)
    return day(at, of.now, of.zone) if at is not None else ""


def _moment(of: Value) -> str:
    at = seconds(of.value)
    if at is None:
        return ""
    then = datetime.fromtimestamp(at).astimezone(of.zone)
    return f"{then:%a} {day(at, of.now, of.zone)} {then:%H:%M %Z}"


def _ago(of: Value) -> str:
    at = seconds(of.value)
    return distance(at, of.now) if at is not None else ""


def _late(of: Value) -> str:
    """How long ago a time was: ``7 days``; empty if it is in the future."""
    at = seconds(of.value)
    return distance(at, of.now).removesuffix(" ago") if at is not None and at <= of.now else ""


def _count(of: Value) -> str:
    return str(len(of.value)) if isinstance(of.value, list | Mapping) else ""


def _minute_after(of: Value) -> str:
    """One minute after a time, for the end of a period that includes it."""
    at = seconds(of.value)
    return datetime.fromtimestamp(at + 60, UTC).isoformat(timespec="seconds") if at is not None else ""


def _mode(of: Value) -> str:
    return {True: "live", False: "test"}.get(of.value, "") if isinstance(of.value, bool) else ""


READINGS: Mapping[str, Callable[[Value], str]] = {
    "plain": _plain,
    "money": _money,
    "date": _date,
    "moment": _moment,
    "kind": _kind,
    "some_money": lambda of: _money(of) if of.value else "",
    "ago": _ago,
    "late": _late,
    "count": _count,
    "words": lambda of: words(_plain(of)),
    "minute_after": _minute_after,
    "mode": _mode,
    "title": lambda of: words(_plain(of)).capitalize(),
}
"""By their names in templates."""
