"""The HTTP connections that all calls share. Only the engine creates one; `registry.calling.sending` sends the requests."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING

import httpx

from registry.accounts.connection import SANDBOX_URL
from registry.calling.asgi_transport import AsgiTransport
from registry.calling.http_client import outside_client
from registry.calling.mcp_gateway import McpGateway
from registry.calling.receiving import ResponseLimits

if TYPE_CHECKING:
    from starlette.types import ASGIApp


class Network:
    """The connections that all calls share: one connection pool, and one transport to the embedded sandbox.

    Both are created on first use. Connections are kept alive between calls.

    Args:
        bounds: time and size limits of a response.
        sandbox: creates the application that responds at the sandbox's address; without it, nothing responds there.
    """

    def __init__(self, bounds: ResponseLimits | None = None, sandbox: Callable[[], ASGIApp] | None = None) -> None:
        self.bounds = bounds or ResponseLimits()
        self._sandbox = sandbox
        self._outside: httpx.AsyncClient | None = None
        self._inside: httpx.AsyncClient | None = None
        self._mcp: httpx.AsyncClient | None = None

    async def __aenter__(self) -> Network:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close every connection."""
        for client in (self._mcp, self._outside, self._inside):  # MCP sessions are ended through the outside client
            if client is not None:
                await client.aclose()

    def client_for(self, url: str) -> httpx.AsyncClient:
        """The client that reaches an address."""
        timeout = httpx.Timeout(self.bounds.silence, connect=self.bounds.connecting)
        if url.startswith(SANDBOX_URL + "/"):
            if self._inside is None:
                if self._sandbox is None:
                    raise httpx.ConnectError("this network has no sandbox")
                self._inside = httpx.AsyncClient(transport=AsgiTransport(self._sandbox()), timeout=timeout)
            return self._inside
        if self._outside is None:
            self._outside = outside_client(timeout)
        return self._outside

    @property
    def mcp_client(self) -> httpx.AsyncClient:
        """The client that reaches MCP servers, at any address."""
        if self._mcp is None:
            gateway = McpGateway(self.bounds, lambda: self.client_for("https://"))
            self._mcp = httpx.AsyncClient(transport=gateway)
        return self._mcp
