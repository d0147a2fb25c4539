"""The present by the service's clock, where this machine's is wrong: countdowns and ages are told from the service's moments.

Every answer says when it was made. A machine whose clock is some seconds off is set right here, for the board alone, and that
is said; an answer that was long under way proves nothing, so only what cannot be explained by that counts.
"""

from __future__ import annotations

from collections.abc import Callable
from email.utils import parsedate_to_datetime

TOLERATED_SKEW = 5.0
"""Seconds that a clock may be off without being set right."""


class SkewedClock:
    """A clock in Unix seconds.

    Attributes:
        ahead: seconds by which it is ahead of this machine's clock.

    Args:
        machine: this machine's clock.
    """

    def __init__(self, machine: Callable[[], float]) -> None:
        self.ahead = 0.0
        self._machine = machine

    def __call__(self) -> float:
        """The present."""
        return self._machine() + self.ahead

    def correct(self, gap: float | None) -> bool:
        """Take in how far it is behind the service; whether it was set, so that what was read by it is to be read anew."""
        if gap is None or abs(gap) <= TOLERATED_SKEW:
            return False
        self.ahead += gap
        return True

    @property
    def words(self) -> str:
        """What is wrong with this machine's clock, in a few words; empty when nothing is."""
        return f"this clock is {abs(self.ahead):.0f}s {'slow' if self.ahead > 0 else 'fast'}" if self.ahead else ""


def measured_skew(date: str, sent: float, received: float) -> float | None:
    """How far a clock is behind the service's at least, in seconds; negative when it is ahead, None when that is not told.

    Args:
        date: an answer's ``Date``; it is cut to whole seconds.
        sent: when the call began, by the clock in question.
        received: when the answer was whole.
    """
    try:
        made = parsedate_to_datetime(date).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None
    if made > received:
        return made - received
    return min(made + 1 - sent, 0.0)
