"""Reads intervals as people write them: ``90``, ``90s``, ``1.5h``, ``1h30m``, ``2 m``."""

from __future__ import annotations

import re

from registry.calling.invalid_value import InvalidValue, shown

UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
"""Seconds of each unit. A day has 24 hours."""
STEPS = r"(?:\d{1,9}[smhdw])+"
"""The regular expression of whole numbers with units, without blanks, as they stand in a time: ``1d12h``. Ignores case."""
_NUMBER = r"\d{1,9}(?:\.\d{1,3})?"
_PART = re.compile(rf"({_NUMBER})\s*([smhdw])", re.IGNORECASE)
_INTERVAL = re.compile(rf"(?:{_NUMBER}\s*[smhdw]\s*)+", re.IGNORECASE)
_SECONDS = re.compile(_NUMBER)


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
