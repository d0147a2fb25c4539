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

import time
from collections.abc import Iterable

from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.types import ASGIApp

from registry.sandbox import payments
from registry.sandbox.clock import Clock
from registry.sandbox.control import routes
from registry.sandbox.crm.api import application as crm
from registry.sandbox.faults.faulty import Faults, Faulty
from registry.sandbox.incidents.api import application as incidents
from registry.sandbox.keeping import Kept
from registry.sandbox.limits import Ticks, error_responses
from registry.sandbox.limits import limits as limits_of
from registry.sandbox.scenario_state import DEFAULT_SCENARIO, ScenarioState
from registry.sandbox.signin.api import applications as signing_in
from registry.sandbox.signin.tokens import TokenStore
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
    strict_keys: bool = False,
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
        strict_keys: whether only credentials that end with `registry.sandbox.requests.KNOWN` are accepted.
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
    api, files = payments.services(lasting, database=database, strict_keys=strict_keys)
    tokens = TokenStore(world, strict_keys=strict_keys)
    services: dict[str, ASGIApp] = {
        "payments": api,
        "files": files,
        "incidents": incidents(world, scenario_state, tokens.access),
        "crm": crm(lasting, tokens.access, database),
    }
    counted, refusals = limits_of(ticks), error_responses(world)

    def mounted(name: str, app: ASGIApp) -> Mount:
        faulty = Faulty(name, app, counted[name], limited=limits, refuse=refusals[name], faults=in_force)
        return Mount(f"/{name}", app=faulty)

    identity, oauth = signing_in(world, tokens)
    signing = [Mount("/crm/oauth", app=oauth), Mount("/identity", app=identity)]
    control = Mount("/sandbox", routes=routes(clock, scenario_state, in_force))
    sandbox = Starlette(routes=[*signing, *(mounted(name, app) for name, app in services.items()), control])
    sandbox.state.clock = clock  # for who serves it
    return sandbox
