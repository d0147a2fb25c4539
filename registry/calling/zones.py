"""Time zones by the names that people type: IANA names in upper or lower case, ``UTC``, ``Z`` and offsets.

The list of names comes from ``tzdata``, which is installed with the program, because not every machine has its own.
"""

from __future__ import annotations

import re
from datetime import UTC, timedelta, timezone, tzinfo
from functools import cache
from importlib import resources
from zoneinfo import ZoneInfo

_OFFSET = re.compile(r"(?:utc|gmt)?([+-])(\d{1,2})(?::?([0-5]\d))?", re.IGNORECASE)
_HOURS = 15


@cache
def zones() -> tuple[str, ...]:
    """The names of all IANA time zones."""
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
