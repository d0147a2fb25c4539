"""Middleware of every response: only known hosts and origins, and security headers.

A page of another site can neither connect (its Origin differs) nor use DNS rebinding (its Host differs).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.websockets import WebSocket

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
}


class Gate:
    """Passes on requests from a known origin to a known host.

    Args:
        inner: handles allowed requests.
        hosts: as in the Host header, with their ports.
        origins: scheme, host and port.
    """

    def __init__(self, inner: ASGIApp, hosts: Collection[str], origins: Collection[str]) -> None:
        self._inner = inner
        self._hosts = frozenset(one.lower() for one in hosts)
        self._origins = frozenset(one.lower() for one in origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: D102
        if scope["type"] not in ("http", "websocket"):
            await self._inner(scope, receive, send)
            return
        if problem := self._problem(Headers(scope=scope), needed=scope["type"] == "websocket" or scope["method"] != "GET"):
            response = PlainTextResponse(problem[1], problem[0], _ALWAYS)
            if scope["type"] == "websocket":
                await WebSocket(scope, receive, send).send_denial_response(response)
            else:
                await response(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                headers = MutableHeaders(scope=message)
                for name, value in _ALWAYS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._inner(scope, receive, guarded)

    def _problem(self, headers: Headers, *, needed: bool) -> tuple[int, str] | None:
        """The status and text of a refusal; None if the request is allowed."""
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return 421, "This server does not answer to that name. Open the link that callboard serve printed.\n"
        origins = [one.lower() for one in headers.getlist("origin")]
        if any(one not in self._origins for one in origins) or len(origins) > 1 or (needed and not origins):
            return 403, "Only the page of this server may connect to it.\n"
        return None
