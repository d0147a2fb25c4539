"""The dashboard over HTTP, read-only: its routes and access checks.

It changes nothing and makes no calls: pages show only what the dashboard has read anyway. A
request must have an allowed Host, which prevents DNS rebinding, and the token; a browser sends it once in the address and gets
a cookie, so that it does not stay in the address bar.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from registry.doors.oncall_values import views_as_json
from registry.oncall import openmetrics
from registry.oncall.account_view import AccountView
from registry.oncall.page import POLICY, page
from registry.text.safe_text import visible_json

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

Views = Callable[[], Awaitable[Sequence["AccountView"]]]
"""Creates the views of all accounts for the current moment."""

LEAST_TOKEN = 16
"""Characters that a user's own token must have."""
_COOKIE_FOR = 30 * 86_400

_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


def oncall_application(views: Views, token: str, hosts: Iterable[str], port: int) -> ASGIApp:
    """The ASGI application.

    Args:
        views: creates the views of all accounts.
        token: the token that a request must have.
        hosts: the allowed host names, without a port; an IPv6 address without brackets.
        port: the port that it is served on; it is part of the cookie's name.
    """

    async def html(_: Request) -> Response:
        return Response(page(await views()), media_type="text/html; charset=utf-8")

    async def metrics(_: Request) -> Response:
        return Response(openmetrics.openmetrics(await views()), headers={"Content-Type": openmetrics.CONTENT_TYPE})

    async def values(_: Request) -> Response:
        text = visible_json(json.dumps(views_as_json(await views()), ensure_ascii=False))
        return Response(text, media_type="application/json")

    routes = [Route("/", html), Route("/metrics", metrics), Route("/board.json", values)]
    return Gate(Starlette(routes=routes), token, hosts, port)


class Gate:
    """Checks each request, and adds the same headers to every response.

    421 the host is not allowed · 405 the method would change something · 401 no token, or a wrong one
    """

    def __init__(self, inner: ASGIApp, token: str, hosts: Iterable[str], port: int) -> None:
        self._inner = inner
        self._token = token.encode()
        self._hosts = frozenset(host.lower().rstrip(".") for host in hosts)
        self._cookie = f"callboard_oncall_{port}"
        # The cookie is not the token: someone who reads it cannot use it as a token elsewhere.
        self._ticket = hmac.new(self._token, b"callboard on-call page", sha256).hexdigest()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            return
        request = Request(scope, receive)

        async def with_headers(message: dict[str, object]) -> None:
            if message["type"] == "http.response.start":
                given = list(message.get("headers", ()))  # type: ignore[call-overload]
                own = [(name.lower().encode(), value.encode()) for name, value in _HEADERS.items()]
                message = {**message, "headers": [*given, *own]}
            await send(message)

        response = self._refusal(request)
        await (response if response is not None else self._inner)(scope, receive, with_headers)  # type: ignore[arg-type]

    def _refusal(self, request: Request) -> Response | None:
        """The response to a refused request; None if the request is allowed."""
        if _host_of(request.headers.get("host", "")) not in self._hosts:
            return PlainTextResponse("This host name is not allowed; start with --allow-host NAME to allow it.\n", 421)
        if request.method not in ("GET", "HEAD"):
            return PlainTextResponse("Only GET and HEAD: this dashboard cannot change anything.\n", 405, {"Allow": "GET, HEAD"})
        kind, _, credential = request.headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer" and self._is_token(credential.strip()):
            return None
        if self._is_token(request.query_params.get("token", "")):
            if request.url.path != "/":
                return None
            response = RedirectResponse("/", 303)
            response.set_cookie(self._cookie, self._ticket, max_age=_COOKIE_FOR, httponly=True, samesite="lax")
            return response
        if hmac.compare_digest(request.cookies.get(self._cookie, "").encode(), self._ticket.encode()):
            return None
        words = "Send the token as Authorization: Bearer TOKEN, or once as /?token=TOKEN.\n"
        return PlainTextResponse(words, 401, {"WWW-Authenticate": 'Bearer realm="callboard"'})

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), self._token)


def _host_of(header: str) -> str:
    """The name in a ``Host`` header, without its port; empty if it is invalid."""
    if header.startswith("["):
        name, bracket, rest = header[1:].partition("]")
        return name.lower() if bracket and (not rest or rest[1:].isdecimal()) else ""
    name, _, port = header.partition(":")
    return name.lower().rstrip(".") if not port or port.isdecimal() else ""
