"""The way into an application in this process has the manners of a connection."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest

from registry.calling.network import AsgiTransport

App = Callable[[Any, Any, Any], Awaitable[None]]


def reaching(app: App, **options: Any) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=AsgiTransport(app), base_url="http://inside", **options)


def start(*headers: tuple[bytes, bytes]) -> dict[str, Any]:
    return {"type": "http.response.start", "status": 200, "headers": list(headers)}


def part(body: bytes, *, more: bool = True) -> dict[str, Any]:
    return {"type": "http.response.body", "body": body, "more_body": more}


async def test_a_request_arrives_as_it_was_sent() -> None:
    seen: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.extend((scope, await receive()))
        await send({"type": "http.response.start", "status": 201, "headers": [(b"x-one", b"1")]})
        await send(part(b"ab"))
        await send(part(b"c", more=False))

    response = await reaching(app).post("/a%20b/c?d=e%20f", content=b"body", headers={"X-Name": "v"})
    assert (response.status_code, response.headers["x-one"], response.content) == (201, "1", b"abc")
    scope, message = seen
    assert (scope["method"], scope["path"]) == ("POST", "/a b/c")
    assert (scope["raw_path"], scope["query_string"]) == (b"/a%20b/c", b"d=e%20f")
    assert (b"x-name", b"v") in scope["headers"]
    assert message == {"type": "http.request", "body": b"body", "more_body": False}


async def test_an_answer_to_head_has_no_body() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send(start((b"content-length", b"3")))
        await send(part(b"abc", more=False))

    response = await reaching(app).head("/")
    assert (response.content, response.headers["content-length"]) == (b"", "3")


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


@pytest.mark.parametrize("crash", [False, True])
async def test_an_application_without_a_response(crash: bool) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        if crash:
            raise ValueError

    if crash:
        assert (await reaching(app).get("/")).status_code == 500
    else:
        with pytest.raises(httpx.RemoteProtocolError, match="without a response"):
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
