"""A server over HTTP that answers a call with something else than a message: never told as a refusal, as nothing refused it."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

pytest.importorskip("mcp", reason="the extra callboard[mcp] is not installed")

from registry.mcp_client.session import McpSession
from registry.mcp_client.values import Server, ServerProblem

LARGEST = 200_000
Answer = Callable[[Any], httpx.Response]


def response(status: int, content: str | bytes = b"", **headers: str) -> httpx.Response:
    """A response whose body is still to be read."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    stream = httpx.ByteStream(content.encode() if isinstance(content, str) else content)
    return httpx.Response(status, headers=named, stream=stream)


def as_json(content: str | bytes, **headers: str) -> Answer:
    return lambda _: response(200, content, content_type="application/json", **headers)


def as_events(text: str) -> Answer:
    return lambda _: response(200, text, content_type="text/event-stream")


def as_html(status: int) -> Answer:
    return lambda _: response(status, "<html>\x1b[31m</html>", content_type="text/html")


def told(request: Any, status: int = 200, **more: Any) -> httpx.Response:
    message = {"jsonrpc": "2.0", "id": request["id"], **more}
    return response(status, json.dumps(message), content_type="application/json", mcp_session_id="s")


def broken(_: Any) -> httpx.Response:
    raise httpx.ReadError("")


def unreachable(_: Any) -> httpx.Response:
    raise httpx.ConnectError("no route")


SERVER = {"capabilities": {"tools": {}}, "serverInfo": {"name": "n", "version": "1"}, "protocolVersion": "2025-06-18"}


@asynccontextmanager
async def session_with(*answers: Answer, **more: list[Any]) -> AsyncIterator[McpSession]:
    """A session whose calls get these answers, one after the other, and other methods these results."""
    waiting = list(answers)
    results = {name.replace("_", "/"): list(ones) for name, ones in more.items()}

    def answer(sent: httpx.Request) -> httpx.Response:
        request = json.loads(sent.content) if sent.method == "POST" else {}
        method, id_ = request.get("method", ""), request.get("id")
        if method == "tools/call" and waiting:
            return waiting.pop(0)(request)
        if id_ is None:
            return response(202 if request else 405)
        if found := results.get(method, [SERVER] if method == "initialize" else []):
            result = found.pop(0) if len(found) > 1 else found[0]
            return told(request, **(result if "error" in result else {"result": result}))
        return told(request, error={"code": -32601, "message": "unknown"})

    async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as client:
        session = McpSession(Server(url="https://desk.example/mcp"), lambda: client, LARGEST)
        await session.open()
        try:
            yield session
        finally:
            await session.aclose()


async def problem_with(session: McpSession) -> ServerProblem:
    with pytest.raises(ServerProblem) as caught:
        async with asyncio.timeout(10):
            await session.call("tools/call", {}, lambda *_: None, name="t")
    return caught.value


REDIRECTED = "The server redirects to https://other.example/mcp"


def as_redirect(status: int) -> Answer:
    return lambda _: response(status, location_not_followed="https://u:p@other.example/mcp?token=hidden#x")


FINE = {"content": [{"type": "text", "text": "fine"}]}
NO_MESSAGE = "The server sent something that is not an MCP message."


@pytest.mark.parametrize(
    ("answer", "kind", "sent", "words"),
    [
        (as_json(b""), "no MCP", True, NO_MESSAGE),
        (as_json("[" * 5_000), "no MCP", True, NO_MESSAGE),
        (as_json('{"jsonrpc": "2.0", "id": 4711, "result": {}}'), "no MCP", True, "The server answered another request"),
        (as_json("x" * (LARGEST + 1)), "too large", True, "The server’s response is too large."),
        (as_html(200), "no MCP", True, "The server answered with HTTP 200 and text/html, where JSON belongs."),
        (as_html(500), "no MCP", True, "The server answered with HTTP 500."),
        (as_html(403), "refused", False, "The server refused the request with HTTP 403."),
        (as_redirect(307), "not reached", False, f"{REDIRECTED}, and Callboard does not follow."),
        (lambda _: response(302), "not reached", False, "The server redirects (HTTP 302), and Callboard does not follow."),
        (as_events("data: {}\n\n"), "no MCP", True, "The server sent an event that is too large, or no MCP message."),
        (as_events(": nothing\n\n"), "ended", True, "The server closed the connection."),
        (broken, "not reached", True, "The server cannot be reached: the connection broke off."),
        (unreachable, "not reached", False, "The server cannot be reached: no route."),
        (lambda one: told(one, error={"code": -7, "message": "no"}), "said no", True, "no"),
        (lambda one: told(one, 500, error={"code": -7, "message": "no"}), "said no", True, "no"),
    ],
)
async def test_what_is_no_answer_is_told_as_what_it_is(answer: Answer, kind: str, sent: bool, words: str) -> None:
    async with session_with(answer, lambda one: told(one, result=FINE)) as session:
        problem = await problem_with(session)
        assert (problem.kind, problem.sent) == (kind, sent)
        assert str(problem).startswith(words)
        assert "validation error" not in str(problem)
        # The conversation goes on.
        assert (await session.call("tools/call", {}, lambda *_: None, name="t")).content == {"text": "fine"}


async def test_a_redirect_of_the_first_request_is_told_and_not_followed() -> None:
    asked = []

    def answer(sent: httpx.Request) -> httpx.Response:
        asked.append(sent.url.host)
        return as_redirect(307)(None)

    async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as client:
        with pytest.raises(ServerProblem, match=f"{REDIRECTED}, and Callboard does not follow."):
            await McpSession(Server(url="https://desk.example/mcp"), lambda: client, LARGEST).open()
    assert set(asked) == {"desk.example"}


async def test_one_answer_says_nothing_of_the_next() -> None:
    refusal: Answer = lambda one: told(one, error={"code": -7, "message": "no"})  # noqa: E731
    async with session_with(as_html(401), refusal, broken, refusal) as session:
        kinds = [(await problem_with(session)).kind for _ in range(4)]
    assert kinds == ["refused", "said no", "not reached", "said no"]


async def test_a_session_that_the_server_has_ended_is_closed() -> None:
    async with session_with(as_html(404)) as session:
        problem = await problem_with(session)
        assert (problem.kind, problem.sent, session.closed) == ("ended", False, True)
