"""Three hundred incidents within half an hour: something that everything depends on is failing."""

from __future__ import annotations

import random

from registry.sandbox.incidents.incident_scripts import IncidentScript, acknowledge, alert, note, resolve, script
from registry.sandbox.incidents.scenarios.past import any_alert
from registry.sandbox.incidents.scenarios.scenario import Scenario
from registry.sandbox.rough import roughened
from registry.sandbox.world import MINUTE, World

_MOST = 300
_ROOT = "edge-proxy"


def scenario(world: World) -> Scenario:
    """The storm has been going on for half an hour, and slows down."""
    dice = world.dice("incidents/storm")
    first = script(
        "storm-0",
        _ROOT,
        "Packet loss 60 % between fra1 and all other sites",
        30 * MINUTE,
        acknowledge(2),
        note(6, "Carrier confirms a cut line. Rerouting over ams1."),
        priority="P1",
        alerts=40,
        bridge=True,
    )
    ages = sorted((int(dice.triangular(0, 29 * MINUTE, 26 * MINUTE)) for _ in range(_MOST - 1)), reverse=True)
    return Scenario(
        [first, *(_one(world, dice, number, age) for number, age in enumerate(ages, start=1))], pause=MINUTE, low=0.1
    )


def _one(world: World, dice: random.Random, number: int, age: int) -> IncidentScript:
    service, title = any_alert(dice)
    host = f"{roughened(world, title).split(' (')[0]} [{dice.choice(('fra1', 'ams1', 'sin1', 'iad1'))}-{dice.randrange(40):02}]"
    steps = [alert(1 + 2 * number) for number in range(dice.choice((0, 0, 1, 3)))]
    match dice.choice(("open", "open", "open", "taken", "over")):
        case "taken":
            steps.append(acknowledge(dice.randint(2, 12)))
        case "over":
            steps.append(resolve(dice.randint(8, 20), channel="api"))
    priority = dice.choice((None, "P2", "P3"))
    return script(f"storm-{number}", service, host, age, *steps, priority=priority, alerts=dice.choice((1, 2, 5)))
