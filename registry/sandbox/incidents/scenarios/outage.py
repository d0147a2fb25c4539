"""The busy night with an incident service that fails at times.

It fails a minute after the beginning and again every ten minutes: first with internal errors, later by refusing requests.
What happens in the meantime is there when it has recovered.
"""

from __future__ import annotations

from registry.sandbox.incidents.scenarios import busy_night
from registry.sandbox.incidents.scenarios.scenario import Failure, Scenario
from registry.sandbox.world import MINUTE, World


def scenario(world: World) -> Scenario:
    """The busy night, with failures."""
    failures = (Failure(MINUTE, 2 * MINUTE, 500), Failure(6 * MINUTE, MINUTE, 429))
    return busy_night.scenario(world)._replace(failures=failures, failures_repeat=10 * MINUTE)
