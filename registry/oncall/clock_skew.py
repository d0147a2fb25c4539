"""Clock skew: the service's time if this machine's clock is wrong, for countdowns and ages on the dashboard.

Every response has a ``Date``. A skew of more than `TOLERATED_SKEW` is corrected for the dashboard only, which says so. A
response may have taken long, so only the part of the difference that this cannot explain counts.
"""

from __future__ import annotations

from collections.abc import Callable
from email.utils import parsedate_to_datetime

TOLERATED_SKEW = 5.0
"""Seconds of skew that are not corrected."""

_LAST = 7_258_118_400
"""The end of the year 2199. No service's clock shows a later time, and around year 9999 no time can be calculated."""


class SkewedClock:
    """A clock in Unix seconds that can be corrected.

    Attributes:
        ahead: seconds by which it is ahead of this machine's clock, as measured.

    Args:
        machine: this machine's clock.
    """

    def __init__(self, machine: Callable[[], float]) -> None:
        self.ahead = 0.0
        self._machine = machine

    def __call__(self) -> float:
        """The current time."""
        return self._machine() + self.ahead

    def correct(self, gap: float | None) -> bool:
        """Add a skew in seconds, as `measured_skew` returns it; returns whether data must be read again."""
        if gap is None or abs(gap) <= TOLERATED_SKEW:
            return False
        self.ahead += gap
        return True

    @property
    def words(self) -> str:
        """What is wrong with this machine's clock, in a few words; empty if it is right."""
        if abs(self.ahead) <= TOLERATED_SKEW:
            return ""
        return f"this computer's clock is {abs(self.ahead):.0f} s {'slow' if self.ahead > 0 else 'fast'}"


def measured_skew(date: str, sent: float, received: float) -> float | None:
    """The least number of seconds by which a clock is behind the service's; negative when ahead, None without a valid date.

    Args:
        date: a response's ``Date``, which has whole seconds.
        sent: when the call began, by this clock.
        received: when the response was complete.
    """
    try:
        made = parsedate_to_datetime(date).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None
    if not 0 <= made <= _LAST:
        return None
    return made - received if made > received else min(made + 1 - sent, 0.0)
