"""Which scenario the sandbox runs, and since when. It may be changed while the sandbox runs."""

from typing import NamedTuple

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
