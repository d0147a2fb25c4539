"""When an account's credential ends, in words. Of a key, nobody knows; so nothing is said of it."""

from __future__ import annotations

from registry.connections.renewed_secret import Ending

A_NIGHT = 12 * 3_600.0
"""Seconds before its end from which on the dashboard says that a credential ends which nobody renews."""

_UNITS = (("d", 86_400.0), ("h", 3_600.0), ("min", 60.0))


def ending_words(ending: Ending | None, now: float) -> str:
    """``expires in 23 min``, ``expired``; of one that is renewed by itself, when. Empty where nobody knows.

    Args:
        ending: when it ends.
        now: the present in Unix seconds.
    """
    if ending is None:
        return ""
    left = ending.at - now
    if ending.renews:
        return f"token renewed in {_length(left)}" if left > 0 else "token renewed with the next call"
    return f"expires in {_length(left)}" if left > 0 else "expired"


def soon(ending: Ending | None, now: float) -> str:
    """The same where it ends within a night and nothing but signing in again helps; else empty."""
    if ending is None or ending.renews or ending.at - now > A_NIGHT:
        return ""
    return f"sign-in {ending_words(ending, now)}"


def _length(seconds: float) -> str:
    """A length of time in the largest unit that it fills."""
    return next((f"{int(seconds // size)} {unit}" for unit, size in _UNITS if seconds >= size), "less than 1 min")
