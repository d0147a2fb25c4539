"""What the servers of the program share: their ports, uvicorn's settings, and a gate that refuses strangers.

Clients get their errors in responses. An error in our own code is reported as everywhere else, and nothing else is logged.
"""

import hmac
import logging
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from registry.doors.output import complain_crash, fail, say

HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""The headers of every response that does not set them itself."""

_LONGEST_END = 5
"""Seconds after which a server stops although a response is still being sent."""


@contextmanager
def listening(host: str, port: int, option: str = "--port") -> Iterator[socket.socket]:
    """A socket that listens; port 0 picks a free one. `option` names the port in the message for one that cannot be used."""
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except socket.gaierror as error:
        fail(f"--host {host}: {error.strerror}")
    # asyncio sends small responses at once only if the protocol is given; otherwise each waits for a delayed acknowledgement.
    with socket.socket(family, kind, protocol) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(where)
            listener.listen()
        except OSError as error:
            way_out = f"choose another one with {option}, or 0 for a free one"
            fail(f"{host} port {port} cannot be used: {error.strerror}; {way_out}")
        yield listener


def server(
    application: ASGIApp, where: str, certificate: tuple[Path | None, Path | None] = (None, None), **settings: Any
) -> uvicorn.Server:
    """A server that serves until a signal. `where` is its name for crash reports; `settings` are those of uvicorn.

    It uses https with a `certificate`, whose key may be in a file of its own: that one is deleted.
    """
    log = logging.getLogger("uvicorn")
    log.handlers, log.propagate = [_CrashReporter(where)], False
    usual = {"log_config": None, "log_level": "error", "access_log": False, "server_header": False}
    settings = {**usual, "timeout_graceful_shutdown": _LONGEST_END, **settings}
    chain, key = certificate
    made = uvicorn.Server(uvicorn.Config(application, ssl_certfile=chain, ssl_keyfile=key, **settings))
    try:
        made.config.load()
    except OSError as error:
        fail(f"--tls: {chain}: {error.strerror or error}")
    if key is not None:
        key.unlink()  # loaded, and not needed any more
    return made


def has_token(request: HTTPConnection, token: str) -> bool:
    """Whether a request has ``Authorization: Bearer TOKEN``."""
    kind, _, given = request.headers.get("authorization", "").partition(" ")
    return kind.lower() == "bearer" and hmac.compare_digest(given.strip().encode("utf-8", "replace"), token.encode())


def welcome(text: str) -> None:
    """Print how to reach a server. Call it inside the event loop: an interrupt right after it then ends the running server."""
    say(text)
    sys.stdout.flush()  # a script may wait for it on a pipe


class _CrashReporter(logging.Handler):
    def __init__(self, where: str) -> None:
        super().__init__(logging.ERROR)
        self._where = where

    def emit(self, record: logging.LogRecord) -> None:
        """Report an error."""
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, Exception):
            complain_crash(error, self._where)


def gate(inner: ASGIApp, refusal: Callable[[HTTPConnection], Response | None]) -> ASGIApp:
    """An application that answers with `refusal` where that returns a response, and adds `HEADERS` to every response."""

    async def gated(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await inner(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refused = refusal(HTTPConnection(scope))
        if refused is None:
            await inner(scope, receive, guarded)
        elif scope["type"] == "websocket":
            await WebSocket(scope, receive, guarded).send_denial_response(refused)
        else:
            await refused(scope, receive, guarded)

    return gated
