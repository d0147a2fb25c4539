"""Where credentials are sent: to which hosts, directly or through which proxy; and the clock skew of those hosts."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Iterable, Sequence
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies

import httpx

from registry.accounts.connection import SANDBOX_URL, Connection, Endpoint
from registry.accounts.secrets import RenewedSecret
from registry.calling.failures import BadProxy
from registry.calling.http_client import HttpClient

_PATIENCE = 5.0
_MOST_SKEW = 30.0
"""Seconds of clock skew that are a problem: relative times, and tokens, depend on the clock."""

_SCHEME = re.compile(r"[a-z0-9]{0,10}", re.IGNORECASE)
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[0-9]{1,5})?", re.IGNORECASE)
_EXEMPT = re.compile(r"[ a-z0-9.*_:/\[\]-]*", re.IGNORECASE)


def proxies() -> tuple[dict[str, str], list[str]]:
    """The proxies in the environment, without user names and passwords; and their problems."""
    found = {f"{name.upper()}_PROXY": _shown(address) for name, address in getproxies().items() if name != "no"}
    if exempt := getproxies().get("no"):
        found["NO_PROXY"] = ",".join(one if _EXEMPT.fullmatch(one) else "…" for one in exempt.split(","))
    try:
        HttpClient(timeout=httpx.Timeout(_PATIENCE))
    except BadProxy as error:
        return found, [str(error)]
    return found, []


def accounts(connections: Iterable[Connection], *, usable: bool) -> list[dict[str, Any]]:
    """For each account and toolkit: where its ``credential`` comes from, and to which ``hosts`` it is sent, and how.

    Args:
        connections: the accounts.
        usable: whether the proxies can be used; otherwise it is unknown how the hosts are reached.
    """
    return [
        {
            "account": connection.name,
            "toolkit": toolkit,
            "mode": endpoint.mode,
            "credential": source_of(endpoint),
            "hosts": [{"address": one, "way": way_to(one) if usable else "unknown"} for one in _hosts(endpoint)],
        }
        for connection in connections
        for toolkit, endpoint in connection.endpoints.items()
    ]


async def ask_hosts(found_accounts: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The time of each host, requested without a credential: ``address``, ``said``, ``skew`` in seconds, ``problem``."""
    wanted = dict.fromkeys(host["address"] for one in found_accounts for host in one["hosts"])
    return list(await asyncio.gather(*(_asked(one) for one in wanted if not one.startswith(SANDBOX_URL))))


def way_to(address: str) -> str:
    """How requests reach an address: inside this program, directly, or through a proxy."""
    if address.startswith(SANDBOX_URL):
        return "inside this program"

    try:
        proxy = HttpClient(timeout=httpx.Timeout(_PATIENCE)).proxy_for(address)
    except UnicodeError:  # such as xn--a
        return "nowhere: it is not a valid host name"
    if proxy is None:
        return "directly"
    return f"through the proxy {_shown(proxy)}, which sees the host name but no credential"


def source_of(endpoint: Endpoint) -> str:
    """Where an endpoint's credential comes from, in words that contain no part of the credential."""
    if endpoint.public:
        return "is public"
    if endpoint.source:
        return f"from {endpoint.source}"
    names = [name for name in endpoint.authentication.variables if name]
    return f"from {' and '.join(names)}" if names else "is not needed"


def _hosts(endpoint: Endpoint) -> list[str]:
    credential = endpoint.credential
    renewing = credential.travels_to if isinstance(credential, RenewedSecret) else ()
    starts = endpoint.service.mcp is not None and endpoint.service.mcp.command
    addresses = () if starts else endpoint.addresses.values()  # a program is not a host
    parts = (urlsplit(address) for address in (*addresses, *renewing))
    return list(dict.fromkeys(f"{one.scheme}://{one.netloc}" for one in parts))


async def _asked(address: str) -> dict[str, Any]:
    began = time.time()
    try:
        async with HttpClient(timeout=httpx.Timeout(_PATIENCE)) as client, asyncio.timeout(2 * _PATIENCE):
            response = await client.head(address, headers={"user-agent": "callboard doctor"})
        moment = parsedate_to_datetime(response.headers["date"]).timestamp()
    except (httpx.HTTPError, httpx.InvalidURL, TimeoutError, BadProxy, OSError, UnicodeError) as error:
        words = f"not reached ({type(error).__name__})"
        return {"address": address, "said": words, "skew": None, "problem": f"{address}: {words}"}
    except (KeyError, ValueError, OverflowError):
        return {"address": address, "said": "reached; it sends no time", "skew": None, "problem": None}
    skew = round(moment - (began + time.time()) / 2)
    said = "reached; the clocks agree" if abs(skew) < 2 else f"reached; this computer's clock is {abs(skew)} s {_side(skew)}"
    return {"address": address, "said": said, "skew": skew, "problem": f"{address}: {said}" if abs(skew) > _MOST_SKEW else None}


def _side(skew: float) -> str:
    return "behind" if skew > 0 else "ahead"


def _shown(address: str) -> str:
    """A proxy's address without user name and password."""
    scheme, slashes, rest = address.rpartition("://")
    host = rest.rpartition("@")[2].partition("/")[0]
    if not _SCHEME.fullmatch(scheme) or not _HOST.fullmatch(host):
        return "…"  # any part of it may be a password
    return f"{scheme}{slashes}{'…@' if '@' in rest else ''}{host}"
