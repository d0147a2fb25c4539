"""The MCP server over streamable HTTP, on this machine only, with its access checks.

A request must have the token and this machine as its Host; an Origin must be this machine, which prevents DNS rebinding. The
token is kept in a file that only its owner can read.
"""

from __future__ import annotations

import hmac
import secrets
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import PlainTextResponse

from registry.doors.server_log import tell_errors
from registry.files.atomic_file import replace_text
from registry.files.folders import private_folder

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

PATH = "/mcp"
_MOST_BYTES = 4_000_000
"""The most bytes of one message; the largest value of a tool is far below."""

_HOSTS = ("127.0.0.1", "localhost")
_LEAST, _LONGEST_END, _MOST_CONNECTIONS = 16, 5, 64


def token_in(file: Path) -> str:
    """The token in a file; a new one if there is no file, if it is too short, or if others can read it.

    Raises:
        OSError: the file cannot be read or written.
    """
    if file.is_file() and not stat.S_IMODE(file.stat().st_mode) & 0o077:
        token = file.read_text("utf-8").strip()
        if len(token) >= _LEAST:
            return token
    token = secrets.token_urlsafe(32)
    private_folder(file.parent)
    replace_text(file, token + "\n")
    return token


def application(server: Server[Any], token: str, port: int) -> ASGIApp:
    """The ASGI application: the MCP server, with its token check."""
    hosts = [f"{host}:{port}" for host in _HOSTS]
    allowed = TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=[f"http://{host}" for host in hosts])
    inner = server.streamable_http_app(streamable_http_path=PATH, transport_security=allowed)
    return _Gate(inner, token)


def served(server: Server[Any], token: str, port: int) -> uvicorn.Server:
    """The HTTP server; runs until a signal ends it."""
    tell_errors("callboard mcp")
    config = uvicorn.Config(
        application(server, token, port),
        limit_concurrency=_MOST_CONNECTIONS,
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        lifespan="on",
        timeout_graceful_shutdown=_LONGEST_END,
    )
    return uvicorn.Server(config)


class _Gate:
    """Passes on requests that have the token and are not too large; refuses others."""

    def __init__(self, inner: ASGIApp, token: str) -> None:
        self._inner = inner
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            kind, _, given = Request(scope).headers.get("authorization", "").partition(" ")
            if kind.lower() != "bearer" or not hmac.compare_digest(given.strip().encode("utf-8", "replace"), self._token):
                words = "Send the token as Authorization: Bearer TOKEN. callboard mcp printed its file at the start.\n"
                refusal = PlainTextResponse(words, 401, {"WWW-Authenticate": 'Bearer realm="callboard mcp"'})
                await refusal(scope, receive, send)
                return
            length = Request(scope).headers.get("content-length", "")
            if not (length.isdecimal() and int(length) <= _MOST_BYTES) and scope["method"] == "POST":
                words = f"A message has a Content-Length, and at most {_MOST_BYTES:,} bytes.\n"
                await PlainTextResponse(words, 413 if length.isdecimal() else 411)(scope, receive, send)
                return
        await self._inner(scope, receive, send)
