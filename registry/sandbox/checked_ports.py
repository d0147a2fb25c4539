"""Checks requests to a sandbox on a port: only from this machine's programs, of a bounded size, sent in a bounded time.

Any web page that is open in a browser can send requests to this machine, and can read the responses under a host name that it
resolves to this machine (DNS rebinding). So a request must name this machine as its host, and one that a browser sends for a
page must come from the sandbox's own pages. A refusal is JSON with ``{"error": what is wrong and what would be right}``.

==========  ====================================================================
status      when
==========  ====================================================================
403         ``Origin`` names a page of another site
408         the body did not arrive in time
413         the body is too large
421         ``Host`` names another machine or port
==========  ====================================================================

Every response has a ``Date`` from the sandbox's clock, because clients may use it as the time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from email.utils import formatdate

from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Scope, Send

from registry.sandbox.address import placed
from registry.sandbox.clock import Clock

LARGEST_BODY = 1_000_000
"""Bytes of a request's body; the services' largest here are a few kilobytes."""

LONGEST_BODY = 30.0
"""Seconds in which a body must arrive."""

_NAMES = ("127.0.0.1", "localhost", "[::1]")
_IDENTITY = "/identity/"


class CheckedPort:
    """An application with the checks of this module.

    Args:
        application: the sandbox.
        port: its port.
        below: the sandbox's path to which the port maps; empty for the whole sandbox.
        largest: bytes of a request's body.
        longest: seconds in which a body must arrive.
    """

    def __init__(
        self,
        application: Starlette,
        port: int,
        below: str = "",
        *,
        largest: int = LARGEST_BODY,
        longest: float = LONGEST_BODY,
    ) -> None:
        self._below = below
        self._application = application
        self._clock: Clock = application.state.clock
        self._hosts = {f"{name}:{port}" for name in _NAMES} | (set(_NAMES) if port == 80 else set())
        self._largest = largest
        self._longest = longest
        self._too_large = f"a request's body may have at most {largest} bytes"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        send = self._dated(send)
        if refusal := self._refusal(scope):
            await refusal(scope, receive, send)
            return
        try:
            body = await self._body(receive)
        except _Refused as refused:
            await _refuse(refused.status, str(refused))(scope, receive, send)
        else:
            if body is not None:
                await self._application(placed(scope, self._below), _replayed(body, receive), send)

    def _dated(self, send: Send) -> Send:
        async def dated(message: Message) -> None:
            if message["type"] == "http.response.start":
                date = formatdate(self._clock.now(), usegmt=True).encode()
                message = {**message, "headers": [*message.get("headers", []), (b"date", date)]}
            await send(message)

        return dated

    async def _body(self, receive: Receive) -> Message | None:
        """The whole body, as one message; None when the client has gone.

        Raises:
            _Refused: it is too large, or too slow.
        """
        body = bytearray()
        try:
            async with asyncio.timeout(self._longest):
                while True:
                    message = await receive()
                    if message["type"] != "http.request":
                        return None
                    body += message.get("body", b"")
                    if len(body) > self._largest:
                        raise _Refused(413, self._too_large)
                    if not message.get("more_body", False):
                        return {"type": "http.request", "body": bytes(body), "more_body": False}
        except TimeoutError:
            raise _Refused(408, f"a request's body must arrive within {self._longest:g} s") from None

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        def all_of(wanted: bytes) -> list[str]:
            return [value.decode("latin-1").lower() for name, value in scope["headers"] if name == wanted]

        hosts = all_of(b"host")
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return _refuse(421, f"the sandbox answers only as {', '.join(sorted(self._hosts))}")
        if not all(self._is_own(origin, scope) for origin in all_of(b"origin")):
            return _refuse(403, "the sandbox takes no requests from web pages of other sites")
        if any(length.isdecimal() and int(length) > self._largest for length in all_of(b"content-length")):
            return _refuse(413, self._too_large)
        return None

    def _is_own(self, origin: str, scope: Scope) -> bool:
        if origin == "null":  # sign-in pages send no referrer, and so their forms have no origin
            return bool(scope["path"].startswith(_IDENTITY))
        scheme, _, host = origin.partition("://")
        return bool(scheme == scope["scheme"] and host in self._hosts)


class CheckedPorts:
    """Several ports of one sandbox, each with the checks of this module and mapped to its own path.

    Args:
        application: the sandbox.
        ports: the path for each port, empty for the one that leads to everything.
    """

    def __init__(self, application: Starlette, ports: Mapping[int, str]) -> None:
        self._ports = {port: CheckedPort(application, port, below) for port, below in ports.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on at the port at which it arrived, or refuse it."""
        await self._ports[scope["server"][1]](scope, receive, send)


class _Refused(Exception):
    """A body that is refused."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


def _replayed(first: Message, receive: Receive) -> Receive:
    """Gives a message that was read already, and then what comes."""
    waiting = [first]

    async def replayed() -> Message:
        return waiting.pop() if waiting else await receive()

    return replayed


def _refuse(status: int, text: str) -> JSONResponse:
    return JSONResponse({"error": text}, status, {"Connection": "close"})
