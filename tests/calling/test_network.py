"""The ways out: a proxy sees no request to this machine and no credential, a redirect is not followed, and the way into an
application in this process has the manners of a connection."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, NamedTuple

import httpx
import pytest

from registry.accounts.connection import connections
from registry.calling.network import AsgiTransport, Network, outside_client, proxy_for
from registry.calling.result import Result
from registry.sandbox.server import application
from tests.cases import cases_beside
from tests.opened import opened
from tests.sandbox.serving import served
from tests.workshop import Received, echo

CASES = cases_beside(__file__)

KEY = "sk_test_MARKEDMARKED"


class Proxy(NamedTuple):
    address: str
    seen: list[Received]


@pytest.fixture
async def proxy(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Proxy]:
    """One that refuses what it is sent."""
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


def test_other_machines_are_reached_through_the_proxy(proxy: Proxy) -> None:
    assert [proxy_for(f"https://{host}/") for host in ("LOCALHOST", "[::1]")] == [None, None]
    for host in ("127.0.0.1.example", "localhost.example", "[::2]", "10.0.0.1", "api.payments.example"):
        assert proxy_for(f"https://{host}/") == proxy.address


async def test_elsewhere_the_proxy_sees_a_host_and_no_credential(proxy: Proxy) -> None:
    result = await balance("https://api.payments.example")
    assert result.failure is not None
    assert "MARKED" not in f"{result.failure} {result.exchanges}"
    assert proxy.seen
    for asked in proxy.seen:
        assert asked.line.startswith("CONNECT api.payments.example:443 ")
        assert KEY not in repr(asked)


@pytest.mark.parametrize(("exempt", "direct"), CASES["what needs no proxy"])
async def test_what_needs_no_proxy(proxy: Proxy, monkeypatch: pytest.MonkeyPatch, exempt: str, direct: str) -> None:
    monkeypatch.setenv("NO_PROXY", exempt)
    hosts = ("api.payments.example", "payments.example", "mypayments.example", "10.1.2.3", "[2001:db8:1::5]")
    async with outside_client(httpx.Timeout(5)):
        assert [host for host in hosts if proxy_for(f"https://{host}/") is None] == direct.split()


@pytest.mark.parametrize(("value", "words"), CASES["proxies that cannot be used"])
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


PLACES = [
    b"javascript:alert(1)",
    b"https://evil.example/\x1b[31m",
    b"https://[::1",
    b"https://evil.example:99999/",
    b"file:///etc/passwd",
    b"/" + b"x" * 70_000,
    b"\xff\xfe",
    b"",
]


@pytest.mark.parametrize("method", ["GET", "DELETE"])
@pytest.mark.parametrize("place", PLACES, ids=lambda place: repr(place[:30]))
async def test_any_address_of_a_redirect_is_a_response(method: str, place: bytes) -> None:
    response = b"HTTP/1.1 307 Elsewhere\r\nLocation: " + place + b"\r\nContent-Length: 2\r\n\r\n{}"
    async with echo([response]) as (url, received), outside_client(httpx.Timeout(30)) as client:
        found = await client.request(method, f"{url}/v1/x")
    assert (found.status_code, found.content, len(received)) == (307, b"{}", 1)


App = Callable[[Any, Any, Any], Awaitable[None]]


def reaching(app: App, **options: Any) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=AsgiTransport(app), base_url="http://inside", **options)


def start(*headers: tuple[bytes, bytes]) -> dict[str, Any]:
    return {"type": "http.response.start", "status": 200, "headers": list(headers)}


def part(body: bytes, *, more: bool = True) -> dict[str, Any]:
    return {"type": "http.response.body", "body": body, "more_body": more}


@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize("cancelled", [False, True])
async def test_silence_ends_the_work(begun: bool, cancelled: bool) -> None:
    """By the timeout, or because who asked has gone."""
    entered, ended = asyncio.Event(), asyncio.Event()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        try:
            if begun:
                await send(start())
                await send(part(b"x"))
            entered.set()
            await asyncio.Event().wait()
        finally:
            ended.set()

    task = asyncio.create_task(reaching(app, timeout=None if cancelled else 0.05).get("/"))
    await entered.wait()
    if cancelled:
        task.cancel()
    with pytest.raises(asyncio.CancelledError if cancelled else httpx.ReadTimeout):
        await task
    assert ended.is_set()


@pytest.mark.parametrize(
    "messages",
    [
        [start((b"content-length", b"9")), part(b"abc")],
        [start((b"content-length", b"9")), part(b"abc", more=False)],
        [start((b"content-length", b"1")), part(b"abc", more=False)],
    ],
)
@pytest.mark.parametrize("crash", [False, True])
async def test_an_answer_that_is_not_whole_is_an_error(messages: list[Any], crash: bool) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        for message in messages:
            await send(message)
        if crash:
            raise ValueError

    with pytest.raises(httpx.RemoteProtocolError, match="truncated after 3"):
        await reaching(app).get("/")


async def test_an_application_can_break_the_connection() -> None:
    told: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send(start((b"content-length", b"9")))
        await send(part(b"abc"))
        scope["extensions"]["sandbox.connection"].close()
        told.append(await receive())
        await send(part(b"defghi", more=False))

    with pytest.raises(httpx.RemoteProtocolError, match="truncated after 3 of 9 bytes"):
        await reaching(app).get("/")
    assert told == [{"type": "http.disconnect"}]
