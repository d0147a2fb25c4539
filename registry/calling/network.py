"""The HTTP connections that all calls share: to the embedded sandbox, and to addresses outside this program.

Outside: proxies of the environment, no redirects, no cookies, no plain http. Only the engine creates a `Network`;
`registry.calling.sending` sends the requests.
"""

from __future__ import annotations

import importlib.util
import os
import ssl
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING
from urllib.request import getproxies, proxy_bypass

import httpx
from starlette.types import ASGIApp

from registry.accounts.addresses import NOT_FOLLOWED, is_this_machine
from registry.accounts.connection import SANDBOX_URL
from registry.calling.asgi_transport import AsgiTransport
from registry.calling.failures import BadProxy
from registry.calling.receiving import ResponseLimits

if TYPE_CHECKING:
    from registry.calling.mcp_gateway import McpGateway

_HIGHEST_PORT = 65_535
_CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "SSLKEYLOGFILE")

# The only hosts that may be reached without TLS. Everything else uses https, which a proxy passes on without reading it.
_IN_CLEAR = ("127.0.0.1", "localhost", "::1")


class Network:
    """The connections that all calls share: one connection pool, and one transport to the embedded sandbox.

    Each is created on first use. Connections are kept alive between calls.

    Args:
        bounds: time and size limits of a response.
        sandbox: creates the application that responds at the sandbox's address; without it, nothing responds there.
    """

    def __init__(self, bounds: ResponseLimits | None = None, sandbox: Callable[[], ASGIApp] | None = None) -> None:
        self.bounds = bounds or ResponseLimits()
        self._sandbox = sandbox
        self._timeout = httpx.Timeout(self.bounds.silence, connect=self.bounds.connecting)

    async def aclose(self) -> None:
        """Close every connection."""
        for name in ("mcp", "_outside", "_inside"):  # MCP sessions are ended through the outside client
            if name in vars(self):
                await getattr(self, name).aclose()

    def client_for(self, url: str) -> httpx.AsyncClient:
        """The client that reaches an address."""
        return self._inside if url.startswith(SANDBOX_URL + "/") else self._outside

    @cached_property
    def _inside(self) -> httpx.AsyncClient:
        if self._sandbox is None:
            raise httpx.ConnectError("this network has no sandbox")
        return httpx.AsyncClient(transport=AsgiTransport(self._sandbox()), timeout=self._timeout)

    @cached_property
    def _outside(self) -> httpx.AsyncClient:
        return outside_client(self._timeout)

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
    if not proxies or is_this_machine(url.host) or proxy_bypass(f"{url.host.rstrip('.')}:{url.port or 443}"):
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
        if request.url.scheme == "http" and host not in _IN_CLEAR:
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
