"""The connection of a request: detecting a disconnect of the client, and closing the connection.

ASGI has no message for closing a connection. Who calls the application puts an object with a `close` method into the scope's
``extensions`` under `CONNECTION`, as `serving` does with uvicorn's transport; without one, it raises `ConnectionLost`.
"""

from __future__ import annotations

import asyncio
from collections import deque

from starlette.types import Message, Receive, Scope

CONNECTION = "sandbox.connection"


class ConnectionLost(ConnectionError):
    """Raised by a fault to close the connection."""


class ClientWatch:
    """Watches whether the client of a request is still connected. No message of the request is lost by that."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._early: deque[Message] = deque()

    async def receive(self) -> Message:
        """The next message of the request, as ASGI has it."""
        return self._early.popleft() if self._early else await self._receive()

    async def stays(self, seconds: float) -> bool:
        """Wait so long; returns False at once when the client disconnects."""
        try:
            async with asyncio.timeout(seconds):
                while True:
                    message = await self._receive()
                    if message["type"] == "http.disconnect":
                        return False
                    self._early.append(message)
        except TimeoutError:
            return True


async def break_off(scope: Scope, client: ClientWatch) -> None:
    """Break the connection of a request. What was sent of its response before is delivered.

    Raises:
        ConnectionLost: who called has no way to break it.
    """
    connection: asyncio.Transport | None = scope.get("extensions", {}).get(CONNECTION)
    if connection is None:
        raise ConnectionLost("the connection is broken off, as a fault asks for")
    connection.close()
    # The server knows only a moment later, and would take an application that ends earlier for a broken one.
    while (await client.receive())["type"] != "http.disconnect":
        pass
