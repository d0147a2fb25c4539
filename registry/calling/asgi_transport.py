"""An httpx transport to an ASGI application in this process that behaves like a network connection.

A response is streamed, with back-pressure while the caller does not read; a service that sends
nothing runs into the timeout; a response that is cut off, or shorter than its Content-Length, is a connection error. A caller
that disconnects cancels its request.

An application can break the connection with the object under ``sandbox.connection`` in the scope's ``extensions``.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, MutableMapping
from typing import Any

import httpx
from starlette.types import ASGIApp

_PIECES = 4
_Message = MutableMapping[str, Any]


class AsgiTransport(httpx.AsyncBaseTransport):
    """Carries requests to an ASGI application.

    An error that the application does not handle is a 500, or a broken connection if the response has started.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request and return its response, whose body is not read yet."""
        conversation = _Conversation(self._app, request, await request.aread())
        try:
            return await conversation.begin()
        except BaseException:
            await conversation.aclose()
            raise


class _Conversation(httpx.AsyncByteStream):
    """One request and its response. The application runs in its own task, at most a few chunks ahead of the reader."""

    def __init__(self, app: ASGIApp, request: httpx.Request, content: bytes) -> None:
        self._request = request
        self._content: bytes | None = content
        self._over = asyncio.Event()
        self._pieces: asyncio.Queue[_Message | None] = asyncio.Queue(_PIECES)
        self._silence: float | None = request.extensions.get("timeout", {}).get("read")
        self._crashed = False
        self._expected: int | None = None
        self._task = asyncio.create_task(self._run(app))

    async def begin(self) -> httpx.Response:
        """The response's status and headers."""
        start = await self._next()
        if start is None:
            if self._crashed:
                return httpx.Response(500, text="Internal Server Error")
            raise httpx.RemoteProtocolError("connection closed without a response", request=self._request)
        headers = httpx.Headers(start.get("headers", []))
        length = headers.get("content-length", "")
        self._expected = int(length) if length.isdigit() and self._request.method != "HEAD" else None
        return httpx.Response(start["status"], headers=headers, stream=self)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        received, more, piece = 0, True, None
        while more and (piece := await self._next()) is not None:
            body, more = piece.get("body", b""), piece.get("more_body", False)
            if body and self._request.method != "HEAD":
                received += len(body)
                yield body
        if piece is None or (self._expected is not None and received != self._expected):
            expected = "" if self._expected is None else f" of {self._expected}"
            raise httpx.RemoteProtocolError(f"response truncated after {received}{expected} bytes", request=self._request)

    async def aclose(self) -> None:
        """Cancel the request, if it is still running."""
        self._over.set()
        self._task.cancel()
        await asyncio.wait({self._task})

    def close(self) -> None:
        """Close the connection for the application; what it has already sent is still delivered."""
        self._over.set()

    async def _run(self, app: ASGIApp) -> None:
        url = self._request.url
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": self._request.method,
            "headers": [(name.lower(), value) for name, value in self._request.headers.raw],
            "scheme": url.scheme,
            "path": url.path,
            "raw_path": url.raw_path.partition(b"?")[0],
            "query_string": url.query,
            "server": (url.host, url.port),
            "client": ("127.0.0.1", 123),
            "root_path": "",
            "extensions": {"sandbox.connection": self},
        }
        try:
            await app(scope, self._receive, self._send)
        except Exception:
            self._crashed = True
        await self._pieces.put(None)

    async def _receive(self) -> _Message:
        content, self._content = self._content, None
        if content is not None:
            return {"type": "http.request", "body": content, "more_body": False}
        await self._over.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: _Message) -> None:
        if not self._over.is_set():
            await self._pieces.put(message)

    async def _next(self) -> _Message | None:
        """The next message of the application; None if there are no more."""
        try:
            async with asyncio.timeout(self._silence):
                return await self._pieces.get()
        except TimeoutError:
            raise httpx.ReadTimeout("timed out", request=self._request) from None
