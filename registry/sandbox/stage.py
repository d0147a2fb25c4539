"""Which scenario the sandbox plays, and since when. It may be changed while the sandbox runs."""

from __future__ import annotations

import threading
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


class Play(NamedTuple):
    """A scenario's name and the moment it began, in Unix seconds."""

    scenario: str
    began: int


class Stage:
    """Holds the scenario that is played. Safe to use from several threads.

    Args:
        scenario: one of `SCENARIOS`.
        began: its beginning, in Unix seconds.

    Raises:
        UnknownScenario: it is not in `SCENARIOS`.
    """

    def __init__(self, scenario: str, began: int) -> None:
        self._lock = threading.Lock()
        self._play = Play("", 0)
        self.play(scenario, began)

    @property
    def now_playing(self) -> Play:
        """What is played."""
        with self._lock:
            return self._play

    def play(self, scenario: str, began: int) -> None:
        """Play another scenario, or the same one from its beginning.

        Raises:
            UnknownScenario: it is not in `SCENARIOS`.
        """
        if scenario not in SCENARIOS:
            raise UnknownScenario(f"unknown scenario {scenario!r}; choose {', '.join(SCENARIOS)}")
        with self._lock:
            self._play = Play(scenario, began)
