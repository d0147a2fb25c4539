"""A sandbox on a port of this machine, in a thread of its own."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from registry.sandbox.faults.serving import OPTIONS


class _Server(uvicorn.Server):
    """Ends as soon as it is told to; uvicorn itself looks ten times a second."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._told: tuple[asyncio.AbstractEventLoop, asyncio.Event] | None = None
        self._started = threading.Event()

    async def main_loop(self) -> None:
        await self.on_tick(0)
        told = asyncio.Event()
        self._told = asyncio.get_running_loop(), told
        self._started.set()
        await told.wait()

    def end(self) -> None:
        """Have it end, from another thread."""
        self._started.wait(20)
        if self._told is not None:
            loop, told = self._told
            loop.call_soon_threadsafe(told.set)


@contextmanager
def served(app: Any, *, breakable: bool = True) -> Iterator[str]:
    """The address of an application that is served as the command line serves it, or by uvicorn as it is."""
    listener = socket.create_server(("127.0.0.1", 0))
    # Otherwise the end of each response waits for the reader's acknowledgement, 40 ms: asyncio does not set it for this socket.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    config = uvicorn.Config(
        app, log_level="critical", lifespan="off", timeout_graceful_shutdown=1, **(OPTIONS if breakable else {"ws": "none"})
    )
    server = _Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.end()
        thread.join(20)
        listener.close()
