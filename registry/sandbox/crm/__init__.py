"""The CRM's user administration: users, roles and teams of one account."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

from registry.sandbox.access import Tokens
from registry.sandbox.database import Database
from registry.sandbox.world import World


def service(world: World, tokens: Tokens, database: Database | None = None) -> ASGIApp:
    """The service, mounted below its own path. Nothing of it is loaded before the first request.

    Args:
        world: what the account is derived from.
        tokens: what knows about tokens that signing in gave.
        database: where its state is kept; in memory when not given.
    """
    loaded: list[ASGIApp] = []

    async def lazily(scope: Scope, receive: Receive, send: Send) -> None:
        if not loaded:
            from registry.sandbox.crm.api import application

            loaded.append(application(world, tokens, database))
        await loaded[0](scope, receive, send)

    return lazily
