"""Receives the browser's redirect on this machine: listens on a port for one request (RFC 8252, section 7.3).

Browsers open connections without sending anything, and request icons: only the first GET of the redirect address counts. A page
that resolves its own host name to this machine (DNS rebinding) names the wrong host, and is refused.
"""

from __future__ import annotations

import asyncio
import errno
import socket
import sys
from collections.abc import Callable, Sequence

from registry.accounts.oauth import SignInFailed
from registry.accounts.secrets import Secret

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
_HEADERS = (
    "Content-Type: text/html; charset=utf-8",
    "Connection: close",
    "Cache-Control: no-store",
    "Referrer-Policy: no-referrer",
    "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "X-Content-Type-Options: nosniff",
)


class Listener:
    """Waits for the browser. Use it as a context manager: at its end the port is closed.

    Args:
        host: the host of the redirect address: ``127.0.0.1``, or ``localhost``, which may mean ``::1`` as well.
        ports: possible ports; the first free one is used.
        path: its path.
        take: takes the query of the redirect; raises `SignInFailed`, which the browser's page shows.

    Raises:
        SignInFailed: on entering, if no port is free.
    """

    def __init__(self, host: str, ports: Sequence[int], path: str, take: Callable[[str], Secret]) -> None:
        self._host, self._ports, self._path, self._take = host, ports, path, take
        self._servers: list[asyncio.Server] = []
        self._taken: asyncio.Future[Secret] = asyncio.get_running_loop().create_future()
        self.port = ports[0]

    async def __aenter__(self) -> Listener:
        why = ""
        for port in self._ports:
            try:
                sockets = _bound(self._host, port)
            except OSError as error:
                why = "" if error.errno == errno.EADDRINUSE else error.strerror or str(error)
                continue
            self.port = sockets[0].getsockname()[1]
            self._servers = [await asyncio.start_server(self._connected, sock=one, limit=_LARGEST) for one in sockets]
            return self
        named = f"Port {', '.join(map(str, self._ports))} of this machine"
        cause = f"{named} cannot be opened: {why}." if why else f"{named} is in use by another program."
        way_out = "End that program, or sign in with --no-browser."
        raise SignInFailed("Cannot listen for the browser", cause, way_out)

    async def __aexit__(self, *_: object) -> None:
        for server in self._servers:
            server.close()
        self._taken.cancel()

    @property
    def redirect_uri(self) -> str:
        """The address to which the service redirects the browser."""
        return f"http://{self._host}:{self.port}{self._path}"

    async def taken(self) -> Secret:
        """What `take` made of the one redirect, after the browser got its page; raises what that raised."""
        return await self._taken

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request."""
        try:
            async with asyncio.timeout(_PATIENCE):
                head = await reader.readuntil(b"\r\n\r\n")
                # From here to the written page nothing waits: a second redirect finds the first one taken.
                status, page = self._answer(head.decode("latin-1"))
                lines = (f"HTTP/1.1 {status}", f"Content-Length: {len(page.encode())}", *_HEADERS)
                writer.write("\r\n".join((*lines, "", page)).encode())
                writer.close()
                await writer.wait_closed()
        except (TimeoutError, asyncio.CancelledError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError):
            writer.transport.abort()

    def _answer(self, head: str) -> tuple[str, str]:
        """The status and the page for a request; takes the query of the expected redirect."""
        first, *lines = head.split("\r\n")
        method, _, rest = first.partition(" ")
        path, _, query = rest.partition(" ")[0].partition("?")
        hosts = [line.partition(":")[2].strip().lower() for line in lines if line.lower().startswith("host:")]
        if hosts not in ([f"{self._host}:{self.port}"], [f"127.0.0.1:{self.port}"], [f"[::1]:{self.port}"]):
            return "421 Misdirected Request", ""
        if path != self._path:
            return "404 Not Found", ""
        if method != "GET":
            return "405 Method Not Allowed", ""
        if self._taken.done():  # also if nobody waits for it any more
            return "410 Gone", ""
        try:
            self._taken.set_result(self._take(query))
        except SignInFailed as error:
            self._taken.set_exception(error)
            return "200 OK", _REFUSED
        return "200 OK", _TAKEN


def _bound(host: str, port: int) -> list[socket.socket]:
    """Sockets with the port on every address that the host may mean; `OSError` if one of them is taken."""
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
