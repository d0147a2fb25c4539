"""The HTTP connections that all calls share: to the embedded sandbox, and to addresses outside this program.

Outside: proxies of the environment, no redirects, no cookies, no plain http. Only the engine creates a `Network`;
`registry.calling.sending` sends the requests.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import ssl
import sys
from collections.abc import AsyncIterator, Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING, Any
from urllib.request import getproxies, proxy_bypass

import httpx
from starlette.types import ASGIApp

from registry.accounts.connection import NOT_FOLLOWED, SANDBOX_URL
from registry.calling.failures import BadProxy
from registry.calling.receiving import ResponseLimits
from registry.catalog.service import LOOPBACK

if TYPE_CHECKING:
    from registry.calling.mcp_gateway import McpGateway

# httpcore looks for this package several times for each request, and Python searches every folder for what is missing.
if importlib.util.find_spec("sniffio") is None:
    sys.modules["sniffio"] = None  # type: ignore[assignment]  # Python's own way to say: not importable

_HIGHEST_PORT, _PIECES = 65_535, 4
_Message = MutableMapping[str, Any]
_CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "SSLKEYLOGFILE")


@dataclass(eq=False)
class Network:
    """The connections that all calls share: one connection pool, and one transport to the embedded sandbox.

    Each is created on first use. Connections are kept alive between calls.

    Attributes:
        bounds: time and size limits of a response.
        sandbox: creates the application that responds at the sandbox's address; without it, nothing responds there.
    """

    bounds: ResponseLimits = field(default_factory=ResponseLimits)
    sandbox: Callable[[], ASGIApp] | None = None
    _clients: dict[bool, httpx.AsyncClient] = field(default_factory=dict)

    async def aclose(self) -> None:
        """Close every connection."""
        if "mcp" in vars(self):  # MCP sessions are ended through a client
            await self.mcp.aclose()
        while self._clients:
            await self._clients.popitem()[1].aclose()

    def client_for(self, url: str) -> httpx.AsyncClient:
        """The client that reaches an address: the embedded sandbox, or what is outside of this program."""
        inside = url.startswith(SANDBOX_URL + "/")
        if inside not in self._clients:
            timeout = httpx.Timeout(self.bounds.silence, connect=self.bounds.connecting)
            if not inside:
                self._clients[inside] = outside_client(timeout)
            elif self.sandbox is not None:
                self._clients[inside] = httpx.AsyncClient(transport=AsgiTransport(self.sandbox()), timeout=timeout)
            else:
                raise httpx.ConnectError("this network has no sandbox")
        return self._clients[inside]

    @cached_property
    def mcp(self) -> McpGateway:
        """The sessions with MCP servers."""
        from registry.calling.mcp_gateway import McpGateway

        return McpGateway(self.bounds, lambda: self.client_for("https://"))


def outside_client(timeout: httpx.Timeout) -> httpx.AsyncClient:
    """A client that keeps no cookie: the only state that a request carries is its credential.

    Raises:
        BadProxy: the environment names a proxy, or a certificate file, that cannot be used.
    """
    return httpx.AsyncClient(
        timeout=timeout,
        transport=_Transport(),
        follow_redirects=False,
        trust_env=False,
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
    )


def proxy_for(address: str) -> str | None:
    """The proxy for an address, as written in the environment; None if the address is reached directly."""
    return _proxy_of(httpx.URL(address), _proxies())


def _proxies() -> dict[str, str]:
    """The proxies of the environment, by scheme."""
    found = getproxies()
    return {scheme: address for scheme in ("http", "https", "all") if (address := found.get(scheme))}


def _proxy_of(url: httpx.URL, proxies: Mapping[str, str]) -> str | None:
    # Even if HTTP_PROXY or ALL_PROXY is set: a proxy must not see what this machine serves.
    if not proxies or url.host in LOOPBACK or proxy_bypass(f"{url.host.rstrip('.')}:{url.port or 443}"):
        return None
    return proxies.get(url.scheme, proxies.get("all"))


class _Transport(httpx.AsyncBaseTransport):
    """Sends each request directly or through its proxy; never over plain http beyond this machine."""

    def __init__(self) -> None:
        try:
            trusted = _trusted(*map(os.environ.get, _CERTIFICATES))
        except OSError as error:
            names = [name for name in _CERTIFICATES if os.environ.get(name)]
            raise BadProxy(f"{' or '.join(names)} names a file that cannot be read: {error.strerror or 'not found'}.") from None
        self._proxies = _proxies()
        proxies = {address: _proxy(f"{scheme.upper()}_PROXY", address) for scheme, address in self._proxies.items()}
        self._ways: dict[str | None, httpx.AsyncHTTPTransport] = {
            address: httpx.AsyncHTTPTransport(verify=trusted, proxy=proxy)
            for address, proxy in (*proxies.items(), (None, None))
        }

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        host = request.url.host
        # Only this machine is reached without TLS: a proxy passes https on without reading it.
        if request.url.scheme == "http" and host not in LOOPBACK:
            raise BadProxy(f"{host} uses plain http: anyone on the network could read the credential.")
        response = await self._ways[_proxy_of(request.url, self._proxies)].handle_async_request(request)
        # httpx reads the address of a redirect even if it is not followed, and calls the response invalid if it is none.
        if (elsewhere := response.headers.pop("location", None)) is not None:
            response.headers[NOT_FOLLOWED] = elsewhere
        return response

    async def aclose(self) -> None:
        for way in self._ways.values():
            await way.aclose()


@cache
def _trusted(*_named: str | None) -> ssl.SSLContext:
    """The trusted certificates for these environment variables. Cached, because reading them takes longer than a request."""
    return httpx.create_ssl_context()


def _proxy(variable: str, address: str) -> httpx.Proxy:
    try:
        proxy = httpx.Proxy(address if "://" in address else f"http://{address}")
        if (proxy.url.port or 0) > _HIGHEST_PORT:
            raise ValueError
    except (ValueError, httpx.InvalidURL):
        raise BadProxy(f"{variable} must be a URL such as http://proxy.example:3128.") from None
    if proxy.url.scheme.startswith("socks") and importlib.util.find_spec("socksio") is None:
        raise BadProxy(f"{variable} is a SOCKS proxy, which needs another package: pip install socksio.")
    return proxy


@dataclass(eq=False)
class AsgiTransport(httpx.AsyncBaseTransport):
    """Carries requests to an ASGI application in this process, and behaves like a network connection.

    A response is streamed, with back-pressure while the caller does not read; a service that sends nothing runs into the
    timeout; a response that is cut off, or shorter than its Content-Length, is a connection error. A caller that disconnects
    cancels its request. An error that the application does not handle is a 500, or a broken connection if the response has
    started.

    An application can break the connection with the object under ``sandbox.connection`` in the scope's ``extensions``.
    """

    app: ASGIApp

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request and return its response, whose body is not read yet."""
        conversation = _Conversation(self.app, request, await request.aread())
        try:
            start = await conversation.next()
            if start is None and not conversation.crashed:
                raise httpx.RemoteProtocolError("connection closed without a response", request=request)
        except BaseException:
            await conversation.aclose()
            raise
        if start is None:
            return httpx.Response(500, text="Internal Server Error")
        headers = httpx.Headers(start.get("headers", []))
        length = headers.get("content-length", "")
        conversation.expected = int(length) if length.isdigit() and request.method != "HEAD" else None
        return httpx.Response(start["status"], headers=headers, stream=conversation)


class _Conversation(httpx.AsyncByteStream):
    """One request and its response. The application runs in its own task, at most a few chunks ahead of the reader."""

    def __init__(self, app: ASGIApp, request: httpx.Request, content: bytes) -> None:
        self._request = request
        self._content: bytes | None = content
        self._over = asyncio.Event()
        self._pieces: asyncio.Queue[_Message | None] = asyncio.Queue(_PIECES)
        self._silence: float | None = request.extensions.get("timeout", {}).get("read")
        self.crashed = False
        self.expected: int | None = None
        self._task = asyncio.create_task(self._run(app))

    async def __aiter__(self) -> AsyncIterator[bytes]:
        received, more, piece = 0, True, None
        while more and (piece := await self.next()) is not None:
            body, more = piece.get("body", b""), piece.get("more_body", False)
            if body and self._request.method != "HEAD":
                received += len(body)
                yield body
        if piece is None or (self.expected is not None and received != self.expected):
            expected = "" if self.expected is None else f" of {self.expected}"
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
            self.crashed = True
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

    async def next(self) -> _Message | None:
        """The next message of the application; None if there are no more."""
        try:
            async with asyncio.timeout(self._silence):
                return await self._pieces.get()
        except TimeoutError:
            raise httpx.ReadTimeout("timed out", request=self._request) from None
