"""Receives the browser's redirect on this machine: listens on a port for one request (RFC 8252, section 7.3).

Browsers open connections without sending anything, and request icons: only the first GET of the redirect address counts. A page
that resolves its own host name to this machine (DNS rebinding) names the wrong host, and is refused.
"""

from __future__ import annotations

import asyncio
import errno
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from types import TracebackType

from registry.accounts.problems import PortTaken

_PATIENCE = 10.0
"""Seconds in which a request must arrive."""

_LARGEST = 32_768
_NO_ADDRESS = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT)

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Callboard</title></head>
<body style="font: 1.1rem/1.5 sans-serif; margin: 4rem auto; max-width: 32rem">
<h1 style="font-size: 1.3rem">{title}</h1>
<p>{text} You can close this page.</p>
</body>
</html>
"""
_TAKEN = _PAGE.format(title="Callboard is signing you in", text="See the terminal for the result.")
_REFUSED = _PAGE.format(title="The sign-in failed", text="See the terminal for the reason.")


class Listener:
    """Waits for the browser. Use it as a context manager: at its end the port is closed.

    Args:
        host: the host of the redirect address: ``127.0.0.1``, or ``localhost``, which may mean ``::1`` as well.
        ports: possible ports; the first free one is used.
        path: its path.

    Raises:
        PortTaken: on entering, if no port is free.
    """

    def __init__(self, host: str, ports: Sequence[int], path: str) -> None:
        self._host = host
        self._ports = ports
        self._path = path
        self._servers: list[asyncio.Server] = []
        self._query: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._brought: _Connection | None = None
        self.open: set[_Connection] = set()
        self.port = 0

    async def __aenter__(self) -> Listener:
        why = ""
        for port in self._ports:
            try:
                sockets = _bound(self._host, port)
            except OSError as error:
                why = "" if error.errno == errno.EADDRINUSE else error.strerror or str(error)
                continue
            self.port = sockets[0].getsockname()[1]
            loop = asyncio.get_running_loop()
            self._servers = [await loop.create_server(lambda: _Connection(self), sock=one) for one in sockets]
            return self
        raise PortTaken(self._ports, why)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for server in self._servers:
            server.close()
        await self.reply(taken=False)
        for connection in tuple(self.open):  # connections without a request
            connection.transport.abort()

    @property
    def redirect_uri(self) -> str:
        """The address to which the service redirects the browser."""
        return redirect_uri(self._host, self.port, self._path)

    async def query(self) -> str:
        """The query of the one request; the browser waits for its page until `reply`."""
        query = await self._query
        for server in self._servers:
            server.close()
        return query

    async def reply(self, *, taken: bool) -> None:
        """Send the browser its page: whether the sign-in worked. Does nothing if it has one already, or made no request."""
        if self._brought is None or self._brought.replied:
            return
        self._brought.reply("200 OK", _TAKEN if taken else _REFUSED)
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                await self._brought.ended.wait()

    def came(self, connection: _Connection, head: str) -> None:
        """Handle the head of a request: keep the redirect waiting for its page, and refuse any other."""
        status, query = self._read(head)
        if query is None:
            connection.reply(status)
        else:
            self._brought = connection
            self._query.set_result(query)

    def _read(self, head: str) -> tuple[str, str | None]:
        """The status of a request's response, and its query if it is the expected redirect."""
        first, *lines = head.split("\r\n")
        method, _, rest = first.partition(" ")
        target, _, _ = rest.partition(" ")
        hosts = [line.partition(":")[2].strip().lower() for line in lines if line.lower().startswith("host:")]
        path, _, query = target.partition("?")
        if hosts not in ([f"{self._host}:{self.port}"], [f"127.0.0.1:{self.port}"], [f"[::1]:{self.port}"]):
            return "421 Misdirected Request", None
        if path != self._path:
            return "404 Not Found", None
        if method != "GET":
            return "405 Method Not Allowed", None
        if self._query.done():  # also if nobody waits for it any more
            return "410 Gone", None
        return "200 OK", query


class _Connection(asyncio.Protocol):
    """One connection, on which one request is read."""

    transport: asyncio.Transport

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._head = bytearray()
        self._late: asyncio.TimerHandle | None = None
        self.replied = False
        self.ended = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._listener.open.add(self)
        self._late = asyncio.get_running_loop().call_later(_PATIENCE, transport.abort)

    def data_received(self, data: bytes) -> None:
        if self._late is None:
            return  # bytes after the head of a request are ignored
        self._head += data
        head, end, _ = self._head.partition(b"\r\n\r\n")
        if len(self._head) > _LARGEST:
            self.transport.abort()
        elif end:
            self._in_time()
            self._listener.came(self, head.decode("latin-1"))

    def connection_lost(self, error: Exception | None) -> None:
        self._in_time()
        self._listener.open.discard(self)
        self.ended.set()

    def reply(self, status: str, page: str = "") -> None:
        """Send the response, and close the connection once it is sent."""
        self.replied = True
        self.transport.write(_response(status, page))
        self.transport.close()

    def _in_time(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None


def redirect_uri(host: str, port: int, path: str) -> str:
    """The redirect address for the browser."""
    return f"http://{host}:{port}{path}"


def _bound(host: str, port: int) -> list[socket.socket]:
    """Sockets with the port on every address that the host may mean.

    Raises:
        OSError: one of them is taken.
    """
    sockets = [socket.create_server(("127.0.0.1", port))]
    if host == "localhost":
        # Another program with this port on the other address would get the code.
        try:
            sockets.append(socket.create_server(("::1", sockets[0].getsockname()[1]), family=socket.AF_INET6))
        except OSError as error:
            if error.errno not in _NO_ADDRESS and sys.platform != "win32":
                sockets[0].close()
                raise
    return sockets


def _response(status: str, page: str) -> bytes:
    content = page.encode()
    lines = (
        f"HTTP/1.1 {status}",
        "Content-Type: text/html; charset=utf-8",
        f"Content-Length: {len(content)}",
        "Connection: close",
        "Cache-Control: no-store",
        "Referrer-Policy: no-referrer",
        "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
        "X-Content-Type-Options: nosniff",
    )
    return "\r\n".join((*lines, "", "")).encode() + content
