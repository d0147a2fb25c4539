"""The incident service: incidents, who is on call for them, and everything that they lead to."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

from registry.sandbox.access import Tokens
from registry.sandbox.scenario_state import ScenarioState
from registry.sandbox.world import World


def service(world: World, scenario_state: ScenarioState, tokens: Tokens) -> ASGIApp:
    """The service, mounted below its own path. Nothing of it is loaded before the first request.

    Args:
        world: what everything is derived from.
        scenario_state: the scenario that runs.
        tokens: what knows about tokens that signing in gave.
    """
    loaded: list[ASGIApp] = []

    async def lazily(scope: Scope, receive: Receive, send: Send) -> None:
        if not loaded:
            from registry.sandbox.incidents.api import application

            loaded.append(application(world, scenario_state, tokens))
        await loaded[0](scope, receive, send)

    return lazily
