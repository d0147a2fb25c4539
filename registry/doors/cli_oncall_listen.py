"""``callboard oncall --listen PORT``: serves the dashboard, metrics and calendar until interrupted."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import hmac
import json
import os
import secrets
import socket
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from ipaddress import ip_address
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from registry.accounts.book import AccountBook
from registry.accounts.stores import Secrets
from registry.catalog.loader import services
from registry.doors.oncall_account import account_of, oncall_connection
from registry.doors.oncall_print import views_as_json
from registry.doors.output import ExitCode, complain, fail, say
from registry.doors.server_log import tell_errors
from registry.engine import Engine, Sandbox, Settings, open_engine
from registry.files.folders import config_file
from registry.oncall import openmetrics
from registry.oncall.account import AccountView, views_of
from registry.oncall.alarm_command import AlarmCommand, WrongCommand, environment_without
from registry.oncall.page import POLICY, page
from registry.oncall.recorder import recordings_folder
from registry.text.digits import whole
from registry.text.safe_text import visible_json, visible_line

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


TOKEN_VARIABLE = "CALLBOARD_ONCALL_TOKEN"
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_MOST_CONNECTIONS = 64
_LONGEST_END = 5


def address(text: str) -> tuple[str, int]:
    """Where to listen: ``8310``, ``0.0.0.0:8310``, ``[::1]:8310``; on loopback if there is no address."""
    host, colon, number = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") if colon else "127.0.0.1"
    try:
        found = str(ip_address("127.0.0.1" if host == "localhost" else host))
    except ValueError:
        found = ""
    port = whole(number)
    if not found or port is None or port > 65_535:
        fail(f"--listen must be a port, or an address and a port, such as 8310 or 0.0.0.0:8310; got {text!r}")
    return found, port


def token_of(environment: Mapping[str, str]) -> str:
    """The token from the environment, or a new one."""
    token = environment.get(TOKEN_VARIABLE, "")
    if not token:
        return secrets.token_urlsafe(32)
    if len(token) < LEAST_TOKEN or not token.isascii() or not token.isprintable() or " " in token:
        fail(f"{TOKEN_VARIABLE} must have at least {LEAST_TOKEN} characters, without spaces")
    return token


def alarm_command(text: str | None, environment: Mapping[str, str]) -> AlarmCommand | None:
    """The command to run on an alarm; None without one."""
    if text is None:
        return None

    credentials = {way.variable for service in services().values() for way in service.authentication if way.variable}
    book = AccountBook(config_file(environment), services(), Secrets(environment))
    credentials |= {one.secret.at for one in book.read().found.values() if one.secret.kind == "env"}
    try:
        return AlarmCommand(text, environment_without(frozenset({*credentials, TOKEN_VARIABLE}), environment), complain)
    except WrongCommand as error:
        fail(str(error))


def listen(known: argparse.Namespace, sandbox: Sandbox) -> int:
    """Serve the dashboards until interrupted."""
    host, port = address(known.listen)
    engine = open_engine(Settings(sandbox=sandbox, journal=False))
    names = list(dict.fromkeys(known.connections or [None]))
    chosen = [oncall_connection(name, engine) for name in names]
    token = token_of(os.environ)
    command = alarm_command(known.on_alarm, os.environ)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends small responses at once only if the protocol is given.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
            listener.listen()
        except OSError as error:
            fail(f"{host} port {port} cannot be used: {error.strerror}; choose another one with --listen, or 0 for a free one")
        hosts = [*_LOOPBACK, host, *known.allow_host]
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(_serve(engine, chosen, known.every, listener, token, hosts, command))
    return ExitCode.OK


async def _serve(
    engine: Engine,
    names: list[str],
    every: float,
    listener: socket.socket,
    token: str,
    hosts: list[str],
    command: AlarmCommand | None,
) -> None:
    import uvicorn

    folder = recordings_folder(os.environ)
    port = listener.getsockname()[1]
    async with engine:
        accounts = [account_of(engine, name, every, folder) for name in names]
        application = oncall_application(lambda: views_of(accounts), token, hosts, port)
        tell_errors("callboard oncall")
        config = uvicorn.Config(
            application,
            limit_concurrency=_MOST_CONNECTIONS,
            ws="none",  # WebSockets are not used; requests for one get the page
            log_config=None,
            log_level="error",
            access_log=False,  # addresses may contain the token
            server_header=False,
            lifespan="off",
            timeout_graceful_shutdown=_LONGEST_END,
        )
        keeping = [
            asyncio.create_task(one.keep(command.ring if command else None, complain, asyncio.sleep, shifts=True))
            for one in accounts
        ]
        say(welcome(listener.getsockname()[0], port, token, names))
        sys.stdout.flush()  # a script may wait for it on a pipe
        try:
            await uvicorn.Server(config).serve(sockets=[listener])
        finally:
            for task in keeping:
                task.cancel()
            await asyncio.gather(*keeping, return_exceptions=True)
            if command is not None:
                await command.aclose()


def welcome(host: str, port: int, token: str, names: list[str]) -> str:
    """The text printed at the start: the addresses, and how to authenticate."""
    place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    accounts = ", ".join(visible_line(name) for name in names)
    lines = [
        f"Serving the on-call dashboard of {accounts}, read-only (Ctrl+C stops it)",
        "",
        f"  page      http://{place}/?token={token}",
        f"  metrics   http://{place}/metrics     (Authorization: Bearer {token})",
        f"  JSON      http://{place}/board.json",
    ]
    if not ip_address(host).is_loopback:
        lines += ["", "  Not encrypted: put it behind an HTTPS server, and pass its host name with --allow-host."]
    return "\n".join([*lines, ""])
