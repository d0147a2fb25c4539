"""A uvicorn protocol that passes each request's connection to the application, so that it can be closed.

When the server stops, responses under way have a moment to end; then their connections are closed, which quietly ends those
that a fault holds back for minutes. It stands apart from the faults, because only a sandbox on a port needs uvicorn.
"""

import asyncio
from collections.abc import Mapping
from typing import Any

from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from registry.sandbox.faults.faulty import CONNECTION

_LAST_MOMENT = 1.0
"""Seconds that responses under way have to end when the server stops."""

_KEPT_OPEN = 75
"""Seconds for which a connection without a request is kept.

It is longer than clients keep theirs: a server that closes first may do so just when a client sends a change, which is then
lost without a response.
"""


class BreakableProtocol(H11Protocol):
    """HTTP/1.1 as uvicorn speaks it; for ``uvicorn.Config(http=…)``."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Remember the connection for the requests that come over it."""
        super().connection_made(transport)
        app = self.app

        async def with_connection(scope: Scope, receive: Receive, send: Send) -> None:
            await app({**scope, "extensions": {**scope.get("extensions", {}), CONNECTION: transport}}, receive, send)

        self.app = with_connection

    def shutdown(self) -> None:
        """The server stops: close the connection, soon."""
        super().shutdown()
        self.loop.call_later(_LAST_MOMENT, self.transport.close)


OPTIONS: Mapping[str, Any] = {"http": BreakableProtocol, "ws": "none", "timeout_keep_alive": _KEPT_OPEN}
"""Options of ``uvicorn.Config`` to serve the sandbox so that faults can break connections."""
