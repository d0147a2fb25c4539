"""The door over streamable HTTP, on this machine alone: who is let in, and how it is served.

A request must bring the token, and name this machine as its host; a page in a browser is let in from this machine only, so that
no page elsewhere reaches the door by a name of its own. The token lies in a file that only its owner can read, and stays.
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
from registry.storage.atomic_file import replace_text
from registry.storage.folders import private_folder

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

PATH = "/mcp"
_HOSTS = ("127.0.0.1", "localhost")
_LEAST, _LONGEST_END, _MOST_CONNECTIONS = 16, 5, 64


def token_in(file: Path) -> str:
    """The token in a file; a new one where there is none, or where others can read it.

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
    """What answers on a port: the door, behind its token."""
    hosts = [f"{host}:{port}" for host in _HOSTS]
    allowed = TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=[f"http://{host}" for host in hosts])
    return _Gate(server.streamable_http_app(streamable_http_path=PATH, transport_security=allowed), token)


def served(server: Server[Any], token: str, port: int) -> uvicorn.Server:
    """What serves the door on a port, until a signal asks to end."""
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
    """Lets a request in that brings the token."""

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
        await self._inner(scope, receive, send)
