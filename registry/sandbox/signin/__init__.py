"""Signing in: an OAuth 2.0 authorization server for the incident service and one for the CRM.

They are one engine with a table of differences (`profiles`). Nothing of it is loaded before somebody signs in, or a service
asks about a token.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, NamedTuple

from starlette.types import ASGIApp, Receive, Scope, Send

from registry.sandbox.access import Access, Tokens
from registry.sandbox.signin.api import applications
from registry.sandbox.signin.tokens import TokenStore
from registry.sandbox.world import World

if TYPE_CHECKING:
    from registry.sandbox.signin.api import Applications
    from registry.sandbox.signin.tokens import TokenStore


class SignIn(NamedTuple):
    """What is mounted at ``/identity`` and at ``/crm/oauth``, and what the services ask about tokens."""

    identity: ASGIApp
    crm: ASGIApp
    tokens: Tokens


def services(world: World) -> SignIn:
    """Signing in to one world."""
    behind = _Lazy(world)

    async def identity(scope: Scope, receive: Receive, send: Send) -> None:
        await behind.applications.identity(scope, receive, send)

    async def crm(scope: Scope, receive: Receive, send: Send) -> None:
        await behind.applications.crm(scope, receive, send)

    return SignIn(identity, crm, behind)


class _Lazy:
    """The store of tokens and the applications over it, each made when it is first needed."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._lock = threading.RLock()
        self._store: TokenStore | None = None
        self._applications: Applications | None = None

    def access(self, service: str, token: str) -> Access | None:
        """See `registry.sandbox.access.Tokens`."""
        return self.store.access(service, token)

    @property
    def store(self) -> TokenStore:
        """The one store of tokens."""
        with self._lock:
            if self._store is None:
                self._store = TokenStore(self._world)
            return self._store

    @property
    def applications(self) -> Applications:
        """The authorization servers."""
        with self._lock:
            if self._applications is None:
                self._applications = applications(self._world, self.store)
            return self._applications
