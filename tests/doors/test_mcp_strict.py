"""What a client of the door for agents sends is read strictly: nothing is dropped, and numbers keep their digits."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra callboard[mcp] is not installed")

import httpx
from mcp import Client
from starlette.types import Receive, Scope, Send

from registry.calling.exact_json import Exact, dumps
from registry.calling.marked_numbers import marked, unmarked
from registry.calling.strict_json import loads_exact
from registry.doors.mcp import stdio
from registry.doors.mcp.agent_tools import AgentTools, ToolResult
from registry.doors.mcp.budget import Rest, fitted, fitted_items, fitted_text, safe
from registry.doors.mcp.http import PATH, application
from registry.doors.mcp.offers import offers
from registry.doors.mcp.server import made
from registry.doors.mcp.strict_messages import MOST_BYTES, InvalidMessage, StrictMessages, strict
from tests.calling.network import ScriptedNetwork
from tests.changes.world import CATALOG, place
from tests.opened import opened

TOKEN = "a token of sixteen or more"
CALL = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"call_tool","arguments":%s}}'

REFUSED = {
    "a property twice": (CALL % '{"tool":"a","tool":"b"}', '"tool" appears twice', 7),
    "a property twice, deep": (CALL % '{"arguments":{"x":[{"y":1,"y":2}]}}', '"y" appears twice', 7),
    "the method twice": ('{"jsonrpc":"2.0","id":"a","method":"ping","method":"tools/call"}', '"method" appears twice', "a"),
    "NaN": (CALL % '{"x":NaN}', "NaN is not valid JSON", 7),
    "Infinity": (CALL % '{"x":-Infinity}', "Infinity is not valid JSON", 7),
    "cut off": ((CALL % "{}")[:-1], "line 1, column", None),
    "too deep": (CALL % ('{"x":' + "[" * 200 + "]" * 200 + "}"), "nested more than 64 deep", 7),
    "far too deep": ("[" * 200_000, "nested more than 64 deep", None),
    "not UTF-8": (CALL % '{"x":"\udcff"}', "not UTF-8: byte 0xff", None),
    "UTF-16": ((CALL % "{}").encode("utf-16").decode("utf-8", "surrogateescape"), "not UTF-8", None),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused_is_named(what: str) -> None:
    text, words, id_ = REFUSED[what]
    with pytest.raises(InvalidMessage) as refused:
        strict(text.encode("utf-8", "surrogateescape"))
    assert words in str(refused.value)
    assert refused.value.response["id"] == id_


@pytest.mark.parametrize(
    "digits", ["1.10", "12345678901234567890.123", "1e400", "-0", "0.1000", "1E5", "123456789012345678901234567890", "0.1", "5"]
)
def test_numbers_keep_their_digits(digits: str) -> None:
    message = strict((CALL % f'{{"tool":"t","arguments":{{"price":{digits},"all":[{digits}]}}}}').encode())
    arguments = unmarked(json.loads(message)["params"]["arguments"])["arguments"]
    for value in (arguments["price"], *arguments["all"]):
        assert str(value) == digits
        assert isinstance(value, Exact | int | float)


def test_a_message_without_such_numbers_is_passed_on_as_it_came() -> None:
    for text in (CALL % '{ "x" : 0.5, "y":null }', '{"jsonrpc":"2.0","method":"notifications/initialized"}', "[]", "5"):
        assert strict(text.encode()) == text.encode()


class _Recorded(AgentTools):
    given: Mapping[str, object] = {}

    async def call(self, name: str, arguments: Mapping[str, object], *_: Any) -> ToolResult:
        self.given = arguments
        return ToolResult({})


async def test_over_http() -> None:
    async with place() as one:
        agent_tools = _Recorded(one.engine)
        app = application(made(one.engine, agent_tools, offers(CATALOG)), TOKEN, 8211)
        transport = httpx.ASGITransport(app=app)
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8211", headers=headers) as http:
            answer = await http.post(PATH, content=CALL % '{"tool":"a","tool":"b"}')
            assert (answer.status_code, answer.json()["id"], answer.json()["error"]["code"]) == (400, 7, -32700)
            assert answer.json()["error"]["message"] == 'Parse error: "tool" appears twice.'
            answer = await http.post(PATH, content=b" " * (MOST_BYTES + 1))
            assert (answer.status_code, "larger than" in answer.json()["error"]["message"]) == (413, True)
            answer = await http.post(PATH, content=CALL % '{"tool":"a","tool":"b"}', headers={"Authorization": "none"})
            assert answer.status_code == 401, "who may not is told nothing"
        assert agent_tools.given == {}


async def test_what_is_passed_on_has_its_own_length() -> None:
    seen: dict[str, Any] = {}

    async def inner(scope: Scope, receive: Receive, send: Send) -> None:
        message = await receive()
        seen.update(body=message["body"], more=message["more_body"], headers=dict(scope["headers"]))
        await send({"type": "http.response.start", "status": 202, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=StrictMessages(inner)), base_url="http://x") as http:
        assert (await http.post("/", content=CALL % '{"price":1.10}')).status_code == 202
    assert seen["headers"][b"content-length"] == str(len(seen["body"])).encode()
    assert not seen["more"]


async def test_a_number_reaches_the_tool_with_its_digits() -> None:
    async with place() as one:
        agent_tools = _Recorded(one.engine)
        async with Client(made(one.engine, agent_tools, offers(CATALOG)), mode="legacy") as client:
            marked = json.loads(strict((CALL % '{"tool":"t","arguments":{"price":1.10}}').encode()))
            await client.call_tool("call_tool", marked["params"]["arguments"])
        assert agent_tools.given == {"tool": "t", "arguments": {"price": Exact("1.10")}}
        assert isinstance(agent_tools.given["arguments"]["price"], Exact)  # type: ignore[index]


async def test_over_a_pipe() -> None:
    ours, theirs = os.pipe()
    lines = stdio._Lines(ours)
    answers: asyncio.Queue[Any] = asyncio.Queue()

    class Writing:
        send = staticmethod(answers.put)

    lines.send_errors_to(Writing)
    good = CALL % '{"tool":"t"}'
    os.write(theirs, "\n".join([CALL % '{"tool":"a","tool":"b"}', "", good, "{"]).encode() + b"\n")
    os.close(theirs)
    assert [line async for line in lines] == [good]
    errors = [answers.get_nowait().message for _ in range(answers.qsize())]
    assert [one.id for one in errors] == [7, None]
    assert errors[0].error.message == 'Parse error: "tool" appears twice.'
    os.close(ours)


NUMBERS = (
    '{"id":"pi_1","object":"payment_intent","a":0.1000000000000000055,"b":12345678901234567890.12,"c":[1.10,-0,1E5,1e400,0.5],'
    '"d":12345678901234567890,"e":{"f":-1.50}}'
)


async def test_results_keep_their_digits_over_http() -> None:
    network = ScriptedNetwork(lambda _: httpx.Response(200, content=NUMBERS, headers={"content-type": "application/json"}))
    call = CALL.replace("call_tool", "call_read_tool") % (
        '{"tool":"RetrievePaymentIntentDetails","arguments":{"payment_intent_id":"pi_1"}}'
    )
    headers = {
        "Authorization": f"Bearer {TOKEN}",
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
    }
    async with opened(network) as engine:
        server = made(engine, AgentTools(engine), offers(CATALOG))
        for as_json in (True, False):
            inner = server.streamable_http_app(streamable_http_path=PATH, stateless_http=True, json_response=as_json)
            app = StrictMessages(inner)
            transport = httpx.ASGITransport(app=app)
            async with (
                server.session_manager.run(),
                httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as http,
            ):
                answer = await http.post(PATH, content=call, headers=headers)
            assert answer.status_code == 200
            assert f'"data":{NUMBERS}' in answer.text, "in the structured content"
            assert json.dumps(f'"data":{NUMBERS}')[1:-1] in answer.text, "in the text"
            length = answer.headers.get("content-length")
            assert length is None or int(length) == len(answer.content)


def test_results_keep_their_digits_over_a_pipe(tmp_path: Path) -> None:
    with stdio._Output((tmp_path / "wire").open("wb"), encoding="utf-8", newline="\n") as output:
        output.write(json.dumps({"a": marked(Exact("1.10")), "b": marked([Exact("5")]), "c": "1.10"}))
    assert (tmp_path / "wire").read_text() == '{"a": 1.10, "b": [5], "c": "1.10"}'


@pytest.mark.parametrize("tokens", [5, 20, 6_000])
def test_results_that_are_cut_keep_their_digits(tokens: int) -> None:
    items = safe(loads_exact('[{"a":1.10,"b":"x"},{"a":0.1000000000000000055}]'))
    shown, left = fitted(items, items, Rest({}), tokens)
    text = str(shown.get("part_of_json") or dumps(shown))
    while left is not None:
        shown, left = fitted_text(left.text, left, tokens) if left.text else fitted_items(left.items, left, tokens)
        text += str(shown.get("part_of_json") or dumps(shown))
    assert "1.10" in text
    assert "0.1000000000000000055" in text
