"""The transports of the MCP server: standard input and output, and streamable HTTP on this machine.

Over a pipe, standard output carries the protocol and nothing else: the library sends all other writes to it to standard error.
Over HTTP a request must have the token and this machine as its Host; an Origin must be this machine, which prevents DNS
rebinding. The token is kept in a file that only its owner can read.
"""

import asyncio
import secrets
import stat
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, Response

from registry.doors.listening import gate, has_token, server
from registry.files.folders import private_folder, replace_text

_LONGEST = 1 << 28
"""The most bytes of a message."""


async def serve(mcp: Server[Any]) -> None:
    """Serve one client until it closes its end of the pipe."""
    lines: Any = _lines()
    async with stdio_server(lines) as (reading, sending):
        try:
            await mcp.run(reading, sending, mcp.create_initialization_options())
        finally:
            sys.stdout.flush()  # what was printed meanwhile: later it would go to the client


async def _lines() -> AsyncIterator[str]:
    """The messages on standard input, one per line. The library would read in a thread, which a signal does not end."""
    reader = asyncio.StreamReader(limit=_LONGEST)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        if line.strip():
            yield line.decode("utf-8", "replace")


PATH = "/mcp"
_MOST_BYTES = 4_000_000
"""The most bytes of one message; the largest value of a tool is far below."""

_LEAST, _MOST_CONNECTIONS = 16, 64


def token_in(file: Path) -> str:
    """The token in a file; a new one if there is no file, if it is too short, or if others can read it."""
    if file.is_file() and not stat.S_IMODE(file.stat().st_mode) & 0o077:
        token = file.read_text("utf-8").strip()
        if len(token) >= _LEAST:
            return token
    token = secrets.token_urlsafe(32)
    private_folder(file.parent)
    replace_text(file, token + "\n")
    return token


def served(mcp: Server[Any], token: str, port: int) -> uvicorn.Server:
    """The HTTP server; runs until a signal ends it. It refuses requests without the token, and those that are too large."""
    hosts = [f"{host}:{port}" for host in ("127.0.0.1", "localhost")]
    allowed = TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=[f"http://{host}" for host in hosts])

    def refusal(request: HTTPConnection) -> Response | None:
        if not has_token(request, token):
            words = "Send the token as Authorization: Bearer TOKEN. callboard mcp printed its file at the start.\n"
            return PlainTextResponse(words, 401, {"WWW-Authenticate": 'Bearer realm="callboard mcp"'})
        length = request.headers.get("content-length", "")
        if request.scope["method"] == "POST" and not (length.isdecimal() and int(length) <= _MOST_BYTES):
            words = f"A message has a Content-Length, and at most {_MOST_BYTES:,} bytes.\n"
            return PlainTextResponse(words, 413 if length.isdecimal() else 411)
        return None

    application = mcp.streamable_http_app(streamable_http_path=PATH, transport_security=allowed)
    return server(gate(application, refusal), "callboard mcp", limit_concurrency=_MOST_CONNECTIONS, log_level="warning")
