"""The sandbox's current time: it runs with the machine's clock, or is stopped and moved by hand."""

import time


class Clock:
    """Returns and moves the present.

    Args:
        at: the moment at which the clock is stopped, in Unix seconds; without it, the clock runs.
    """

    def __init__(self, at: float | None = None) -> None:
        self._stopped_at = at
        self._ahead = 0.0

    @property
    def runs(self) -> bool:
        """Whether it moves by itself."""
        return self._stopped_at is None

    def now(self) -> int:
        """The present, in whole Unix seconds."""
        return int((time.time() if self._stopped_at is None else self._stopped_at) + self._ahead)

    def advance(self, seconds: float) -> int:
        """Advance, and return the new present. Time does not go back.

        Raises:
            ValueError: a negative number of seconds.
        """
        if seconds < 0:
            raise ValueError("time does not go back")
        self._ahead += seconds
        return self.now()
