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
``/sandbox``            the sandbox itself                     nothing: its clock and scenario (`control`)
======================  =====================================  ================================================

The CRM gives tokens at ``/crm/oauth``, next to its API, as it does outside. Each service builds its part of the world when it
is first asked for something.
"""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.routing import Mount

from registry.sandbox import crm, incidents, payments, signin
from registry.sandbox.clock import Clock
from registry.sandbox.control import routes
from registry.sandbox.stage import DEFAULT_SCENARIO, Stage
from registry.sandbox.world import World

DEFAULT_SEED = 1


def application(seed: int = DEFAULT_SEED, now: float | Clock | None = None, *, scenario: str = DEFAULT_SCENARIO) -> Starlette:
    """A fresh sandbox.

    Args:
        seed: the same seed gives the same world, ids included.
        now: the moment at which the world is made and its clock stands still, in Unix seconds, or a clock for it to live by;
            when not given, the world is made at the present and lives on by the machine's clock.
        scenario: what the incident service plays, one of `registry.sandbox.stage.SCENARIOS`.

    Raises:
        UnknownScenario: there is no such scenario.
    """
    clock = now if isinstance(now, Clock) else Clock(now)
    world = World(seed, clock.now(), clock)
    stage = Stage(scenario, world.now)
    api, files = payments.services(world)
    signing_in = signin.services(world)
    return Starlette(
        routes=[
            Mount("/payments", app=api),
            Mount("/files", app=files),
            Mount("/incidents", app=incidents.service(world, stage, signing_in.tokens)),
            Mount("/crm/oauth", app=signing_in.crm),
            Mount("/crm", app=crm.service(world, signing_in.tokens)),
            Mount("/identity", app=signing_in.identity),
            Mount("/sandbox", routes=routes(clock, stage)),
        ]
    )
