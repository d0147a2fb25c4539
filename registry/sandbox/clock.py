"""What may be changed while the sandbox runs: its current time, and which scenario it runs, since when."""

import time
from typing import NamedTuple


class Clock:
    """Returns and moves the present: it runs with the machine's clock, or is stopped and moved by hand.

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
        """Advance by so many seconds, which are not negative, and return the new present."""
        self._ahead += seconds
        return self.now()


SCENARIOS = {
    "quiet": "nothing urgent is open; a small alert now and then",
    "busy-night": "more than a dozen open incidents in different states, new ones every few minutes",
    "storm": "three hundred incidents within half an hour, and more to come",
    "outage": "a busy night on which the incident service itself fails every few minutes, and recovers",
}
"""The scenarios, each with a line about it."""

DEFAULT_SCENARIO = "busy-night"


class UnknownScenario(ValueError):
    """A scenario that is not in `SCENARIOS`; the text names those."""


class RunningScenario(NamedTuple):
    """The name of the scenario that runs, and the moment it began, in Unix seconds."""

    scenario: str
    began: int


class ScenarioState:
    """Holds the scenario that runs, as `current`, for all threads."""

    def __init__(self, scenario: str, began: int) -> None:
        self.start(scenario, began)

    def start(self, scenario: str, began: int) -> None:
        """Start another scenario, or the same one from its beginning.

        Raises:
            UnknownScenario: it is not in `SCENARIOS`.
        """
        if scenario not in SCENARIOS:
            raise UnknownScenario(f"unknown scenario {scenario!r}; choose {', '.join(SCENARIOS)}")
        self.current = RunningScenario(scenario, began)
