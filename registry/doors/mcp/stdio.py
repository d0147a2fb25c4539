"""The MCP server over standard input and output, which carry the protocol and nothing else.

While it is served, all other writes to standard output go to standard error. Standard input is read in a thread that
nothing waits for, so a signal ends the server even if no line comes.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

from registry.text.safe_text import visible_line

_CHUNK = 65_536


async def serve(server: Server[Any]) -> None:
    """Serve one client until it closes its end of the pipe."""
    with _own_output() as output:
        lines: Any = _Lines(sys.stdin.fileno())
        async with stdio_server(lines, anyio.wrap_file(output)) as (reading, writing):
            lines.send_errors_to(writing)
            await server.run(reading, writing, server.create_initialization_options())


class _Lines:
    """The messages in a file, one per line, read in a separate thread. Lines that are not messages get an error in response."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._writing: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, name="standard input", daemon=True).start()

    def send_errors_to(self, writing: Any) -> None:
        """Where errors go."""
        self._writing.set_result(writing)

    async def __aiter__(self) -> AsyncIterator[str]:
        while (line := await self._lines.get()) is not None:
            try:
                if line.strip():
                    json.loads(line)
                    yield line.decode()
            except (ValueError, RecursionError) as wrong:
                with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
                    message = visible_line(f"Parse error: {wrong}.")[:300]
                    error = {"jsonrpc": "2.0", "id": None, "error": {"code": types.PARSE_ERROR, "message": message}}
                    await (await self._writing).send(SessionMessage(types.JSONRPCError.model_validate(error)))

    def _read(self) -> None:
        begun = b""
        with suppress(OSError, RuntimeError):  # the pipe broke, or the loop has ended
            while chunk := os.read(self._descriptor, _CHUNK):
                *lines, begun = (begun + chunk).split(b"\n")
                for line in lines:
                    self._put(line)
        with suppress(RuntimeError):
            self._put(None)

    def _put(self, line: bytes | None) -> None:
        self._loop.call_soon_threadsafe(self._lines.put_nowait, line)


@contextmanager
def _own_output() -> Iterator[TextIOWrapper]:
    """Standard output for the protocol; meanwhile all other output goes to standard error."""
    sys.stdout.flush()
    wire = os.dup(1)
    os.dup2(2, 1)
    output = TextIOWrapper(os.fdopen(wire, "wb"), encoding="utf-8", newline="\n")
    try:
        yield output
    finally:
        with suppress(OSError, ValueError):
            output.flush()
        sys.stdout.flush()
        os.dup2(wire, 1)
        with suppress(OSError):
            output.close()
