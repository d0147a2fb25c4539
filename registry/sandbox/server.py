"""One ASGI application with the three services, each below a base URL of its own, and where people sign in to them.

======================  =====================================  ================================================
below                   stands for                             its own base URL outside
======================  =====================================  ================================================
``/payments``           the payments API                       ``https://api.stripe.com``
``/files``              the payments platform's files host     ``https://files.stripe.com``
``/incidents``          the incident service's API             ``https://api.pagerduty.com``
``/crm``                the CRM's API                          ``https://api.hubapi.com``
``/identity/incidents`` where people sign in to incidents      ``https://identity.pagerduty.com``
``/identity/crm``       where people sign in to the CRM        ``https://app.hubspot.com``
``/sandbox``            the sandbox itself                     nothing: its clock, scenario and faults
======================  =====================================  ================================================

The CRM gives tokens at ``/crm/oauth``, next to its API, as it does outside. Each service builds its part of the world when it
is first asked for something. State is in memory, or where a kept world has it: that of payments and of the CRM. Incidents are
generated again, around the present, whenever the sandbox starts.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from functools import cache

from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.types import ASGIApp

from registry.sandbox import crm, payments, signin
from registry.sandbox.clock import Clock
from registry.sandbox.control import routes
from registry.sandbox.error_responses import ErrorResponses, error_responses
from registry.sandbox.faults.active import Faults
from registry.sandbox.faults.control import routes as fault_routes
from registry.sandbox.faults.middleware import Faulty
from registry.sandbox.incidents.api import application as incidents
from registry.sandbox.keeping import Kept
from registry.sandbox.limits import Limited, Ticks
from registry.sandbox.limits import limits as limits_of
from registry.sandbox.scenario_state import DEFAULT_SCENARIO, ScenarioState
from registry.sandbox.world import World

DEFAULT_SEED = 1


def application(
    seed: int = DEFAULT_SEED,
    now: float | Clock | None = None,
    *,
    kept: Kept | None = None,
    rough: bool = False,
    scenario: str = DEFAULT_SCENARIO,
    faults: Iterable[str] = (),
    limits: bool = False,
    ticks: Ticks = time.monotonic,
) -> Starlette:
    """A sandbox: a fresh one, or one that goes on with a kept world.

    Args:
        seed: the same seed gives the same world, ids included.
        now: the moment at which the world is made and its clock is stopped, in Unix seconds, or a clock for the world;
            when not given, the world is made at the present and lives on by the machine's clock.
        kept: a world with its state, instead of a seed; its clock goes on from the present.
        rough: whether a fresh world is the rough one, whose texts are hard to show; a kept one is as it was made.
        scenario: what the incident service runs, one of `registry.sandbox.scenario_state.SCENARIOS`.
        faults: the faults in force from the beginning, as `registry.sandbox.faults.specification` reads them.
        limits: whether requests beyond a service's rate limit are refused; they are counted in any case.
        ticks: the clock that rate limits go by, in seconds; it never goes back.

    Raises:
        UnknownScenario: there is no such scenario.
        WrongFault: one of the faults is invalid.
    """
    clock = now if isinstance(now, Clock) else Clock(now)
    world = World(kept.seed if kept else seed, clock.now(), clock, rough=kept.rough if kept else rough)
    lasting = World(kept.seed, kept.moment, clock, kept.customers, kept.rough) if kept else world
    database = kept.database if kept else None
    scenario_state = ScenarioState(scenario, world.now)
    in_force = Faults(world)
    for text in faults:
        in_force.add(text)
    api, files = payments.services(lasting, database=database)
    signing_in = signin.services(world)
    services: dict[str, ASGIApp] = {
        "payments": api,
        "files": files,
        "incidents": incidents(world, scenario_state, signing_in.tokens),
        "crm": crm.service(lasting, signing_in.tokens, database),
    }
    counted = limits_of(ticks)

    @cache
    def made() -> Mapping[str, ErrorResponses]:
        return error_responses(world)

    def mounted(name: str) -> Mount:
        limited = Limited(counted[name], (lambda: made()[name].refusals[429]()) if limits else None)
        return Mount(f"/{name}", app=Faulty(name, services[name], limited, in_force, lambda: made()[name]))

    control = Mount("/sandbox", routes=[*routes(clock, scenario_state), *fault_routes(in_force)])
    signing = [Mount("/crm/oauth", app=signing_in.crm), Mount("/identity", app=signing_in.identity)]
    sandbox = Starlette(routes=[*signing, *map(mounted, services), control])
    sandbox.state.clock = clock  # for who serves it
    return sandbox
