"""New alerts while a scenario runs: an endless sequence, each at a fixed moment."""

from __future__ import annotations

from collections.abc import Iterator

from registry.sandbox.incidents.incident_scripts import IncidentScript
from registry.sandbox.incidents.scenarios.past import any_alert, handled_alert
from registry.sandbox.incidents.scenarios.scenario import Scenario, goes_on
from registry.sandbox.world import World

_FIRST_AFTER = 30  # seconds


def flow(world: World, scenario: Scenario) -> Iterator[IncidentScript]:
    """Scripts in the order of their beginning, all after the scenario's own."""
    dice = world.dice("incidents/flow")
    after, number = float(_FIRST_AFTER), 0
    while True:
        after += dice.expovariate(1 / scenario.pause)
        number += 1
        service, title = any_alert(dice)
        script = handled_alert(dice, f"flow-{number}", service, title, -int(after), scenario.low)
        if not _in_maintenance(scenario, service, int(after)):
            yield script


def _in_maintenance(scenario: Scenario, service: str, after: int) -> bool:
    return any(one.service == service and goes_on(one, after) for one in scenario.maintenance)
