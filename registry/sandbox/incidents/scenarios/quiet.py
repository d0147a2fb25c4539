"""Nothing urgent: a responder's good night."""

from __future__ import annotations

from registry.sandbox.incidents.incident_scripts import acknowledge, note, script
from registry.sandbox.incidents.scenarios.scenario import Scenario
from registry.sandbox.world import DAY, HOUR, MINUTE, World


def scenario(_world: World) -> Scenario:
    """Two things wait for the day, and seldom does another one come up."""
    waiting = [
        script(
            "export-waits",
            "invoice-export",
            "Month-end export waits for one late ledger",
            6 * HOUR,
            acknowledge(25),
            note(27, "Finance knows; it can wait for the morning."),
            channel="auto",
        ),
        script(
            "notice-old", "status-page", "Status page shows last week's notice", 2 * DAY, priority="P5", channel="web_trigger"
        ),
    ]
    return Scenario(waiting, pause=90 * MINUTE, low=0.8)
