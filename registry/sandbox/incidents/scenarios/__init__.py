"""The scenarios that the incident service can run, by the names of `registry.sandbox.scenario_state.SCENARIOS`."""

from __future__ import annotations

from collections.abc import Callable

from registry.sandbox.incidents.scenarios import busy_night, outage, quiet, storm
from registry.sandbox.incidents.scenarios.scenario import Scenario
from registry.sandbox.world import World

BY_NAME: dict[str, Callable[[World], Scenario]] = {
    "quiet": quiet.scenario,
    "busy-night": busy_night.scenario,
    "storm": storm.scenario,
    "outage": outage.scenario,
}
