"""Checks requests to a sandbox on a port: only from this machine's programs, and of a bounded size.

Any web page that is open in a browser can send requests to this machine, and can read the responses under a host name that it
resolves to this machine (DNS rebinding). So a request must name this machine as its host, and one that a browser sends for a
page must come from the sandbox's own pages. A refusal is JSON with ``{"error": what is wrong and what would be right}``.

==========  ====================================================================
status      when
==========  ====================================================================
403         ``Origin`` names a page of another site
413         the body is too large
421         ``Host`` names another machine or port
==========  ====================================================================

Every response has a ``Date`` from the sandbox's clock, because clients may use it as the time.
"""

from collections.abc import Mapping
from email.utils import formatdate

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Scope, Send

from registry.sandbox.clock import Clock
from registry.sandbox.requests import placed

LARGEST_BODY = 1_000_000
"""Bytes of a request's body; the services' largest here are a few kilobytes."""

_NAMES = ("127.0.0.1", "localhost", "[::1]")
_IDENTITY = "/identity/"


class CheckedPorts:
    """An application on one or several ports, with the checks of this module.

    Args:
        application: the sandbox.
        ports: for each port the sandbox's path to which it maps, empty for the whole sandbox.
    """

    def __init__(self, application: Starlette, ports: Mapping[int, str]) -> None:
        self._application = application
        self._clock: Clock = application.state.clock
        self._ports = ports

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return

        async def dated(message: Message) -> None:
            if message["type"] == "http.response.start":
                date = formatdate(self._clock.now(), usegmt=True).encode()
                message = {**message, "headers": [*message.get("headers", []), (b"date", date)]}
            await send(message)

        try:
            _check(scope)
            body = await _body(receive)
        except HTTPException as refused:
            await JSONResponse({"error": refused.detail}, refused.status_code, {"Connection": "close"})(scope, receive, dated)
        else:
            if body is not None:
                await self._application(placed(scope, self._ports[scope["server"][1]]), _replayed(body, receive), dated)


def _check(scope: Scope) -> None:
    port = scope["server"][1]
    hosts = {f"{name}:{port}" for name in _NAMES} | (set(_NAMES) if port == 80 else set())

    def all_of(wanted: bytes) -> list[str]:
        return [value.decode("latin-1").lower() for name, value in scope["headers"] if name == wanted]

    def is_own(origin: str) -> bool:
        if origin == "null":  # sign-in pages send no referrer, and so their forms have no origin
            return bool(scope["path"].startswith(_IDENTITY))
        scheme, _, host = origin.partition("://")
        return scheme == scope["scheme"] and host in hosts

    named = all_of(b"host")
    if len(named) != 1 or named[0] not in hosts:
        raise HTTPException(421, f"the sandbox answers only as {', '.join(sorted(hosts))}")
    if not all(is_own(origin) for origin in all_of(b"origin")):
        raise HTTPException(403, "the sandbox takes no requests from web pages of other sites")


async def _body(receive: Receive) -> Message | None:
    """The whole body, as one message; None when the client has gone."""
    body = bytearray()
    while (message := await receive())["type"] == "http.request":
        body += message.get("body", b"")
        if len(body) > LARGEST_BODY:
            raise HTTPException(413, f"a request's body may have at most {LARGEST_BODY} bytes")
        if not message.get("more_body", False):
            return {"type": "http.request", "body": bytes(body), "more_body": False}
    return None


def _replayed(first: Message, receive: Receive) -> Receive:
    """Gives a message that was read already, and then what comes."""
    waiting = [first]

    async def replayed() -> Message:
        return waiting.pop() if waiting else await receive()

    return replayed
