"""Which requests a proxy of the environment sees: none to this machine, and no credential in clear."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass

import httpx
import pytest

from registry.accounts.connection import connections
from registry.calling.network import Network, outside_client, proxy_for
from registry.calling.result import Result
from registry.sandbox.server import application
from tests.opened import opened
from tests.sandbox.serving import served
from tests.workshop import Received, echo

KEY = "sk_test_MARKEDMARKED"


@dataclass
class Proxy:
    """Refuses what it is sent."""

    address: str
    seen: list[Received]


@pytest.fixture
async def proxy(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Proxy]:
    for name in ("no_proxy", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    async with echo([b"HTTP/1.1 502 No\r\nContent-Length: 0\r\n\r\n"]) as (url, seen):
        address = url.replace("//", "//user:MARKEDPASSWORD@")
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, address)
        yield Proxy(address, seen)


async def balance(base: str) -> Result:
    found = connections({"PAYMENTS_API_KEY": KEY, "PAYMENTS_BASE_URL": base})["payments"]

    async def at_once(_: float) -> None:
        return None

    async with opened(Network(), sleep=at_once) as engine:
        return await engine.run("GetCurrentAccountBalance", {}, found)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_this_machine_is_reached_without_the_proxy(proxy: Proxy, host: str) -> None:
    with served(application()) as base:
        result = await balance(base.replace("127.0.0.1", host) + "/payments")
    assert result.ok
    assert proxy.seen == []


HERE = ["127.1", "localhost.", "LOCALHOST", "2130706433", "0x7f000001", "127.255.1.2", "0.0.0.0", "api.localhost"]
HERE += ["[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:0:0:1]"]


async def test_this_machine_has_many_names_and_the_proxy_hears_none(proxy: Proxy) -> None:
    async with outside_client(httpx.Timeout(5)) as client:
        assert {host: proxy_for(f"https://{host}/") for host in HERE} == dict.fromkeys(HERE)
        for host in ("127.0.0.1.example", "localhost.example", "[::2]", "10.0.0.1", "api.payments.example"):
            assert proxy_for(f"https://{host}/") == proxy.address
        for host in HERE:
            with suppress(httpx.TransportError):
                await client.get(f"https://{host}:9/")
    assert proxy.seen == []


async def test_elsewhere_the_proxy_sees_a_host_and_no_credential(proxy: Proxy) -> None:
    result = await balance("https://api.payments.example")
    assert result.failure is not None
    assert "MARKED" not in f"{result.failure} {result.exchanges}"
    assert proxy.seen
    for asked in proxy.seen:
        assert asked.line.startswith("CONNECT api.payments.example:443 ")
        assert KEY not in repr(asked)


@pytest.mark.parametrize(
    ("exempt", "direct"),
    [
        ("[::1],[::1,é.example,a b,a:b,%,http://[", ""),
        ("Payments.Example", "api.payments.example payments.example"),
        (".payments.example,,", "api.payments.example payments.example"),
        ("api.payments.example:443", "api.payments.example"),
        ("api.payments.example:8443", ""),
        ("*", "api.payments.example payments.example mypayments.example 10.1.2.3 [2001:db8:1::5]"),
    ],
)
async def test_what_needs_no_proxy(proxy: Proxy, monkeypatch: pytest.MonkeyPatch, exempt: str, direct: str) -> None:
    monkeypatch.setenv("NO_PROXY", exempt)
    hosts = ("api.payments.example", "payments.example", "mypayments.example", "10.1.2.3", "[2001:db8:1::5]")
    async with outside_client(httpx.Timeout(5)):
        assert [host for host in hosts if proxy_for(f"https://{host}/") is None] == direct.split()


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("foo:bar", "must be a URL"),
        ("http://[::1", "must be a URL"),
        ("http://127.0.0.1:99999", "must be a URL"),
        ("socks5://127.0.0.1:9", "pip install socksio"),
    ],
)
async def test_a_proxy_that_cannot_be_used_is_named(
    proxy: Proxy, monkeypatch: pytest.MonkeyPatch, value: str, words: str
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("ALL_PROXY", value)
    failure = (await balance("https://api.payments.example")).failure
    assert failure is not None
    assert failure.cause.startswith("ALL_PROXY ")
    assert words in failure.cause
    assert value not in str(failure)
