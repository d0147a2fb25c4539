"""Support hours of a service: a time of day on workdays, in their own zone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, time, timedelta

from registry.sandbox.incidents.times import zone

WORKDAYS = (1, 2, 3, 4, 5)  # Monday is 1


def within(hours: Sequence[str], moment: int) -> bool:
    """Whether a moment lies within support hours (zone, start and end as ``HH:MM:SS``)."""
    where, opens, closes = hours
    local = datetime.fromtimestamp(moment, zone(where))
    return local.isoweekday() in WORKDAYS and time.fromisoformat(opens) <= local.time() < time.fromisoformat(closes)


def next_start(hours: Sequence[str], moment: int) -> int:
    """The next moment, after this one, at which support hours begin."""
    where, opens, _ = hours
    day = datetime.fromtimestamp(moment, zone(where)).date()
    while True:
        if day.isoweekday() in WORKDAYS:
            start = int(datetime.combine(day, time.fromisoformat(opens), zone(where)).timestamp())
            if start > moment:
                return start
        day += timedelta(days=1)
