"""A uvicorn protocol that passes each request's connection to the application, so that it can be closed.

A request's headers must arrive in `LONGEST_HEADERS` seconds: a slow client cannot hold a connection. There are
`MOST_CONNECTIONS` at once; one more replaces the longest idle one, so that idle connections cannot block others. If all are
busy, uvicorn responds with 503.

A request's body may come in at most `MOST_PIECES` pieces, whatever its size, so that no request takes seconds of work.

A connection without a request is kept for `KEPT_OPEN` seconds, which is longer than clients keep theirs: a server that closes
first may do so just when a client sends a change, which is then lost without a response.

When the server stops, responses under way have a moment to end; then their connections are closed, which quietly ends those
that a fault holds back for minutes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import h11
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from registry.sandbox.faults.connection import CONNECTION

_LAST_MOMENT = 1.0
"""Seconds that responses under way have to end when the server stops."""


LONGEST_HEADERS = 10.0
"""Seconds in which a connection's next request must have sent its headers, once it has begun to."""

KEPT_OPEN = 75
"""Seconds for which a connection without a request is kept."""

MOST_CONNECTIONS = 128
"""Connections at once: fewer than the files that some systems let a program open, 256."""

ACCEPTED_AT_ONCE = 32
"""New connections that are taken before the next look at those that are there; for ``uvicorn.Config(backlog=…)``."""

MOST_PIECES = 20_000
"""The most pieces of a request's body. Each piece takes work, and the largest body needs less than a hundred."""


class _CountingPieces(h11.Connection):
    """A connection that refuses a body in too many pieces."""

    pieces = 0

    def next_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        """The next event."""
        event = super().next_event()
        if isinstance(event, h11.Request):
            self.pieces = 0
        elif isinstance(event, h11.Data):
            self.pieces += 1
            if self.pieces > MOST_PIECES:
                raise h11.RemoteProtocolError("too many pieces")
        return event


class BreakableProtocol(H11Protocol):
    """HTTP/1.1 as uvicorn speaks it; for ``uvicorn.Config(http=…)``."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Remember the connection for the requests that come over it."""
        super().connection_made(transport)
        self.conn = _CountingPieces(h11.SERVER)
        self._heard = self.loop.time()
        self.app = _with_connection(self.app, transport)
        self._headers = self.loop.call_later(LONGEST_HEADERS, transport.close)
        if len(self.connections) > MOST_CONNECTIONS:
            self._make_room()

    def _make_room(self) -> None:
        others = (one for one in self.connections if isinstance(one, BreakableProtocol) and one is not self)
        idle = [one for one in others if one._is_idle]
        if idle:
            min(idle, key=lambda one: one._heard).transport.abort()

    @property
    def _is_idle(self) -> bool:
        return (self.cycle is None or self.cycle.response_complete) and not self.transport.is_closing()

    def data_received(self, data: bytes) -> None:
        """Take what came; when it ends a request's headers, they need no more time."""
        before, self._heard = self.cycle, self.loop.time()
        if self._headers.cancelled() and (before is None or before.response_complete):
            self._headers = self.loop.call_later(LONGEST_HEADERS, self.transport.close)
        super().data_received(data)
        if self.cycle is not before:
            self._headers.cancel()

    def send_400_response(self, msg: str) -> None:
        """Refuse a request that is not valid, or has too many pieces."""
        assert isinstance(self.conn, _CountingPieces)
        many = self.conn.pieces > MOST_PIECES
        super().send_400_response(f"a request's body may come in at most {MOST_PIECES:,} pieces" if many else msg)

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection has gone."""
        self._headers.cancel()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """The server stops: close the connection, soon."""
        super().shutdown()
        self.loop.call_later(_LAST_MOMENT, self.transport.close)


def _with_connection(app: ASGIApp, transport: asyncio.Transport) -> ASGIApp:
    async def with_connection(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, "extensions": {**scope.get("extensions", {}), CONNECTION: transport}}, receive, send)

    return with_connection


OPTIONS: Mapping[str, Any] = {
    "http": BreakableProtocol,
    "ws": "none",
    "limit_concurrency": MOST_CONNECTIONS + 1,
    "backlog": ACCEPTED_AT_ONCE,
    "timeout_keep_alive": KEPT_OPEN,
}
"""Options of ``uvicorn.Config`` to serve the sandbox: connections are limited, and faults can break them."""
