"""One ASGI application with the three services, each below a base URL of its own.

=============  =====================================  ==============================================
below          stands for                             its own base URL outside
=============  =====================================  ==============================================
``/payments``  the payments API                       ``https://api.stripe.com``
``/files``     the payments platform's files host     ``https://files.stripe.com``
``/incidents`` the incident service's API             ``https://api.pagerduty.com``
``/crm``       the CRM's API                          ``https://api.hubapi.com``
=============  =====================================  ==============================================

Each service builds its part of the world when it is first asked for something. State is in memory, or where a kept world has
it: that of payments and of the CRM. Incidents happen anew, around the present, whenever the sandbox starts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.routing import Mount

from registry.sandbox import crm, incidents, payments
from registry.sandbox.clock import Clock
from registry.sandbox.world import World

if TYPE_CHECKING:
    from registry.sandbox.keeping import Kept

DEFAULT_SEED = 1


def application(seed: int = DEFAULT_SEED, now: float | None = None, kept: Kept | None = None) -> Starlette:
    """A sandbox: a fresh one, or one that goes on with a kept world.

    Args:
        seed: the same seed gives the same world, ids included.
        now: the moment at which the world is made and its clock stands still, in Unix seconds; when not given, the world is
            made at the present and lives on by the machine's clock.
        kept: a world with its state, instead of a seed; its clock goes on from the present.
    """
    clock = Clock(now)
    world = World(kept.seed if kept else seed, clock.now(), clock)
    lasting = World(kept.seed, kept.moment, clock, kept.customers) if kept else world
    database = kept.database if kept else None
    api, files = payments.services(lasting, database=database)
    return Starlette(
        routes=[
            Mount("/payments", app=api),
            Mount("/files", app=files),
            Mount("/incidents", app=incidents.service(world)),
            Mount("/crm", app=crm.service(lasting, database)),
        ]
    )
