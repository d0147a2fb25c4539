"""The httpx client for requests over the network, without the parts of httpx that slow down many large responses."""

from __future__ import annotations

import importlib.util
import os
import ssl
import sys
from collections.abc import Mapping
from functools import cache
from http.cookiejar import CookieJar
from ipaddress import ip_address, ip_network
from typing import Any
from urllib.request import getproxies

import httpcore
import httpx

from registry.accounts.addresses import is_this_machine
from registry.calling.failures import BadProxy

_HIGHEST_PORT = 65_535
_READ_AT_ONCE = 262_144
_CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "SSLKEYLOGFILE")

# The only hosts that may be reached without TLS. Everything else uses https, which a proxy passes on without reading it.
_IN_CLEAR = ("127.0.0.1", "localhost", "::1")


class HttpClient(httpx.AsyncClient):
    """Sends requests and keeps no cookie: the only state that a request carries is its credential.

    Raises:
        BadProxy: the environment names a proxy, or a certificate file, that cannot be used.
    """

    def __init__(self, *, timeout: httpx.Timeout) -> None:
        environment = getproxies()
        self._named = _proxies(environment)
        self._exempt = tuple(name for one in environment.get("no", "").split(",") if (name := one.strip().lower()))
        try:
            trusted = _trusted(*map(os.environ.get, _CERTIFICATES))
            super().__init__(timeout=timeout, verify=trusted, follow_redirects=False, mounts={})
        except OSError as error:
            names = [name for name in _CERTIFICATES if os.environ.get(name)]
            raise BadProxy(f"{' or '.join(names)} names a file that cannot be read: {error.strerror or 'not found'}.") from None

    async def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        """Send a request; never over plain http beyond this machine.

        Raises:
            BadProxy: it would use plain http, so that a proxy, and anyone on the network, could read it.
        """
        host = request.url.host
        if request.url.scheme == "http" and host not in _IN_CLEAR:
            raise BadProxy(f"{host} uses plain http: anyone on the network could read the credential.")
        return await super().send(request, **options)

    def _build_redirect_request(self, request: httpx.Request, response: httpx.Response) -> httpx.Request:
        # Redirects are never followed. httpx reads their address nevertheless, and if it is none, calls the response invalid
        # or the request unsent.
        return request

    def proxy_for(self, address: str) -> str | None:
        """The proxy for an address, as written in the environment; None if the address is reached directly."""
        url = httpx.URL(address)
        if self._is_direct(url):
            return None
        return next((self._named[pattern.pattern] for pattern in self._mounts if pattern.matches(url)), None)

    def _transport_for_url(self, url: httpx.URL) -> httpx.AsyncBaseTransport:
        return self._transport if self._is_direct(url) else super()._transport_for_url(url)

    def _is_direct(self, url: httpx.URL) -> bool:
        # Even if HTTP_PROXY or ALL_PROXY is set: a proxy must not see what this machine serves.
        return is_this_machine(url.host) or any(_names(one, url) for one in self._exempt)

    def _get_proxy_map(self, proxy: object, allow_env_proxies: bool) -> dict[str, httpx.Proxy | None]:
        # httpx also makes patterns of NO_PROXY entries, and fails on usual ones, such as [::1] and ::1/128.
        return {pattern: httpx.Proxy(_with_scheme(address)) for pattern, address in self._named.items()}

    @property  # type: ignore[misc] # nothing is kept, so nothing can be set
    def cookies(self) -> httpx.Cookies:
        """Always empty: cookies of services are not kept."""
        return _NO_COOKIES


@cache
def _trusted(*_named: str | None) -> ssl.SSLContext:
    """The trusted certificates for these environment variables. Cached, because reading them takes longer than a request."""
    return httpx.create_ssl_context()


def _names(entry: str, url: httpx.URL) -> bool:
    """Whether an entry of ``NO_PROXY`` matches an address: a host and its subdomains, perhaps with a port, or a network."""
    host, name = url.host.lower().rstrip("."), entry.rpartition("://")[2]
    if name == "*":
        return True
    try:
        return ip_address(host) in ip_network(name.strip("[]"), strict=False)
    except ValueError:  # one of them is a name
        name, colon, port = name.rpartition(":") if ":" in name else (name, "", "")
    if colon and port != str(url.port or 443):
        return False
    name = name.removeprefix("*").strip(".")
    return bool(name) and (host == name or host.endswith(f".{name}"))


def _with_scheme(address: str) -> str:
    return address if "://" in address else f"http://{address}"


def _proxies(environment: Mapping[str, str]) -> dict[str, str]:
    """The proxies of the environment, by httpx's patterns, most specific first.

    Raises:
        BadProxy: one of them cannot be used.
    """
    found = {scheme: address for scheme in ("http", "https", "all") if (address := environment.get(scheme))}
    for scheme, address in found.items():
        variable = f"{scheme.upper()}_PROXY"
        try:
            proxy = httpx.Proxy(_with_scheme(address))
            if (proxy.url.port or 0) > _HIGHEST_PORT:
                raise ValueError
        except (ValueError, httpx.InvalidURL):
            raise BadProxy(f"{variable} must be a URL such as http://proxy.example:3128.") from None
        if proxy.url.scheme.startswith("socks") and importlib.util.find_spec("socksio") is None:
            raise BadProxy(f"{variable} is a SOCKS proxy, which needs another package: pip install socksio.")
    return {f"{scheme}://": address for scheme, address in found.items()}


class _NoCookies(httpx.Cookies):
    def extract_cookies(self, response: httpx.Response) -> None:
        """Keep no cookies."""


_NO_COOKIES = _NoCookies(CookieJar())

# Read a page in a few chunks and not in dozens: each goes through the whole stack.
httpcore.AsyncHTTP11Connection.READ_NUM_BYTES = _READ_AT_ONCE
# httpcore asks four times per request which event loop it runs on, and each time searches the disk for this package.
if importlib.util.find_spec("sniffio") is None:
    sys.modules["sniffio"] = None  # type: ignore[assignment]
