"""The connection of a request: detecting a disconnect of the client, and closing the connection.

ASGI has no message for closing a connection. A server that can close it puts its transport into the scope's ``extensions``
under `CONNECTION`; data sent before is still delivered. `serving` does so for uvicorn. With any other server the application
raises `ConnectionLost` during a response that promises more bytes, and servers then close the socket.
"""

from __future__ import annotations

import asyncio
from collections import deque

from starlette.types import Message, Receive, Scope, Send

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


async def break_off(scope: Scope, client: ClientWatch, send: Send, *, started: bool) -> None:
    """Break the connection of a request.

    Args:
        scope: the request.
        client: who sent it.
        send: sends its response.
        started: whether a part of a response was sent that is shorter than its Content-Length.

    Raises:
        ConnectionLost: the server has no other way to break it.
    """
    connection: asyncio.Transport | None = scope.get("extensions", {}).get(CONNECTION)
    if connection is None:
        if not started:
            # If the exception comes before a response has begun, a server would send its own response.
            headers = [(b"content-length", b"1"), (b"connection", b"close")]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
        raise ConnectionLost("the connection is broken off, as a fault asks for")
    connection.close()
    # The server knows only a moment later, and would take an application that ends earlier for a broken one.
    while (await client.receive())["type"] != "http.disconnect":
        pass
