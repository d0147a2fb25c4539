"""When an account's credential expires, in words. Keys have no known expiry and get no words."""

from __future__ import annotations

from typing import NamedTuple

A_NIGHT = 12 * 3_600.0
"""Seconds: the dashboard warns if a credential that is not renewed automatically expires within this time."""

_UNITS = (("d", 86_400.0), ("h", 3_600.0), ("min", 60.0))


class Ending(NamedTuple):
    """When a credential expires, in Unix seconds, and whether it is then renewed automatically."""

    at: float
    renews: bool


def ending_words(ending: Ending | None, now: float) -> str:
    """``expires in 23 min``, ``expired``; for an automatically renewed one, when that happens. Empty if not known.

    Args:
        ending: when it expires.
        now: the current time in Unix seconds.
    """
    if ending is None:
        return ""
    left = ending.at - now
    if ending.renews:
        return f"token renewed in {_length(left)}" if left > 0 else "token renewed with the next call"
    return f"expires in {_length(left)}" if left > 0 else "expired"


def soon(ending: Ending | None, now: float) -> str:
    """The same if it expires within `A_NIGHT` and is not renewed automatically; otherwise empty."""
    if ending is None or ending.renews or ending.at - now > A_NIGHT:
        return ""
    return f"sign-in {ending_words(ending, now)}"


def _length(seconds: float) -> str:
    """A length of time in the largest unit that fits."""
    return next((f"{int(seconds // size)} {unit}" for unit, size in _UNITS if seconds >= size), "less than 1 min")
