"""Receives the browser's answer on this machine: listens on a port for one request (RFC 8252, section 7.3).

Browsers open connections on which they send nothing, and ask for icons: only a GET of the redirect address counts, and the
first one is the only one. A page that resolves a name of its own to this machine names the wrong host, and is refused.
"""

from __future__ import annotations

import asyncio
import errno
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from types import TracebackType

from registry.signing_in.problems import PortTaken

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
_TAKEN = _PAGE.format(title="Callboard has received your answer", text="How it goes on is shown in the terminal.")
_REFUSED = _PAGE.format(title="Signing in did not work", text="The reason is shown in the terminal.")


class Listener:
    """Waits for the browser. Use it as a context: at its end nothing listens any more.

    Args:
        host: the host of the redirect address: ``127.0.0.1``, or ``localhost``, which may mean ``::1`` as well.
        ports: its port, the first that is free.
        path: its path.

    Raises:
        PortTaken: on entering, none is free.
    """

    def __init__(self, host: str, ports: Sequence[int], path: str) -> None:
        self._host = host
        self._ports = ports
        self._path = path
        self._servers: list[asyncio.Server] = []
        self._query: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._page: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._sent = asyncio.Event()
        self._came = False
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
            self._servers = [await asyncio.start_server(self._serve, sock=one, limit=_LARGEST) for one in sockets]
            return self
        raise PortTaken(self._ports, why)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for server in self._servers:
            server.close()
        if self._came and not self._sent.is_set():
            await self.reply(taken=False)

    @property
    def redirect_uri(self) -> str:
        """The address that the browser is to be sent back to."""
        return redirect_uri(self._host, self.port, self._path)

    async def query(self) -> str:
        """The query of the one request; the browser waits for its page until `reply`."""
        query = await self._query
        for server in self._servers:
            server.close()
        return query

    async def reply(self, *, taken: bool) -> None:
        """Give the browser its page: whether the answer was taken."""
        if not self._page.done():
            self._page.set_result(_TAKEN if taken else _REFUSED)
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                await self._sent.wait()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with suppress(TimeoutError, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                async with asyncio.timeout(_PATIENCE):
                    head = await reader.readuntil(b"\r\n\r\n")
                status, query = self._read(head.decode("latin-1"))
                page = ""
                if query is not None:
                    self._came = True
                    self._query.set_result(query)
                    page = await self._page
                writer.write(_response(status, page))
                async with asyncio.timeout(_PATIENCE):
                    await writer.drain()
                if query is not None:
                    self._sent.set()
        finally:
            writer.close()

    def _read(self, head: str) -> tuple[str, str | None]:
        """The status that a request gets, and its query where it is the one that is waited for."""
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
        if self._query.done():
            return "410 Gone", None
        return "200 OK", query


def redirect_uri(host: str, port: int, path: str) -> str:
    """The address that the browser is sent back to."""
    return f"http://{host}:{port}{path}"


def _bound(host: str, port: int) -> list[socket.socket]:
    """Sockets with the port on every address that the host may mean.

    Raises:
        OSError: one of them is taken.
    """
    sockets = [socket.create_server(("127.0.0.1", port))]
    if host == "localhost":
        # Whoever held the port on the other address would get the code.
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
