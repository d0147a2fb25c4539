"""A sandbox on a port of this machine, in a thread of its own."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from registry.calling.sandbox_gateway import serving_options


@contextmanager
def served(app: Any, *, breakable: bool = True) -> Iterator[str]:
    """The address of an application that is served as the command line serves it, or by uvicorn as it is."""
    listener = socket.create_server(("127.0.0.1", 0))
    # Otherwise the end of each response waits for the reader's acknowledgement, 40 ms: asyncio does not set it for this socket.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    config = uvicorn.Config(
        app,
        log_level="critical",
        lifespan="off",
        timeout_graceful_shutdown=1,
        **(serving_options() if breakable else {"ws": "none"}),
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(20)
        listener.close()
