"""What uvicorn needs to break connections off: a protocol that hands each request's connection to the application."""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from registry.sandbox.faults.connection import CONNECTION


class BreakableProtocol(H11Protocol):
    """HTTP/1.1 as uvicorn speaks it; for ``uvicorn.Config(http=…)``."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Remember the connection for the requests that come over it."""
        super().connection_made(transport)
        self.app = _told_of(self.app, transport)


def _told_of(app: ASGIApp, transport: asyncio.Transport) -> ASGIApp:
    async def told(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, "extensions": {**scope.get("extensions", {}), CONNECTION: transport}}, receive, send)

    return told
