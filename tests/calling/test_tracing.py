"""What is told of the last requests: where the time went, what was tried again and why, limits, and no secret."""

import json
from collections import deque

import httpx
import pytest

from registry.accounts.connection import connections
from registry.calling.tracing import Trace, Traces
from registry.catalog.loader import load
from tests.calling.network import ScriptedNetwork, one_after_the_other
from tests.cases import cases_beside
from tests.opened import opened
from tests.results.recording import recording_service

CASES = cases_beside(__file__)

KEY, CLIENT_SECRET = "sk_live_MARKED123456", "pi_1_secret_MARKED7890"
LIVE = connections({"PAYMENTS_API_KEY": KEY})["payments"]


async def traced(*answers: httpx.Response | Exception, tool: str = "RetrieveCustomerDetails", **raw: str) -> list[Trace]:
    """The requests of one call, the last one first."""
    async with opened(ScriptedNetwork(one_after_the_other(*answers))) as engine:
        await engine.run(tool, raw or {"customer_id": "cus_1"}, LIVE)
    return engine.traces.newest_first()


async def test_attempts_with_their_reasons_and_pauses() -> None:
    limited = httpx.Response(429, headers={"Retry-After": "2", "Request-Id": "req_1"}, json={"error": {"message": "slowly"}})
    last, broken, first = await traced(limited, httpx.ReadError("reset"), httpx.Response(200, json={"id": "cus_1"}))
    assert [(one.attempt, one.status) for one in (first, broken, last)] == [(1, 429), (2, None), (3, 200)]
    assert (first.pause, first.reason, first.limits) == (2.0, "Too many requests", "retry after 2 s")
    assert first.ids == (("request-id", "req_1"),)
    assert broken.pause is not None
    assert "reset" in broken.fault
    assert (broken.reason, last.pause) == ("No response", None)
    assert (last.tool, last.connection, last.method) == ("RetrieveCustomerDetails", "payments", "GET")
    assert last.url.startswith("https://api.stripe.com/v1/customers/cus_1")
    assert (json.loads(last.body), last.size) == ({"id": "cus_1"}, len(last.body))


async def test_where_the_time_goes_on_a_real_connection() -> None:
    engine = opened(sleep=ScriptedNetwork(lambda _: httpx.Response(200)).sleep)
    with recording_service() as (address, _):
        connection = connections({"PAYMENTS_API_KEY": KEY, "PAYMENTS_BASE_URL": address})["payments"]
        for _ in range(2):
            await engine.run("GetTaxSettings", {}, connection)
        await engine.aclose()
    again, first = engine.traces.newest_first()[:2]
    assert first.connecting
    assert again.connecting == 0, "reused connection"
    for one in (first, again):
        assert one.connecting is not None
        assert one.waiting is not None
        assert one.receiving is not None
        assert one.connecting + one.waiting + one.receiving == pytest.approx(one.elapsed)


async def test_what_nobody_asked_pushes_out_nothing_that_was_asked() -> None:
    engine = opened(ScriptedNetwork(lambda _: httpx.Response(200, json={})))
    engine.traces = traces = Traces(asked=deque(maxlen=3), unasked=deque(maxlen=2))
    await engine.run("GetTaxSettings", {}, LIVE)
    for _ in range(5):
        await engine.run("GetTaxSettings", {}, LIVE, remember=False)
    assert [one.number for one in traces.newest_first()] == [6, 5, 1]
    for _ in range(5):
        await engine.run("GetTaxSettings", {}, LIVE)
    assert [one.number for one in traces.newest_first()] == [11, 10, 9, 6, 5]
    await engine.aclose()


async def test_bodies_are_cut_and_files_left_out() -> None:
    (long,) = await traced(httpx.Response(200, json={"client_secret": "MARKED" * 2_000, "text": "x" * 90_000}))
    assert len(long.body) <= 4_001
    assert "MARKED" not in long.body
    (file,) = await traced(httpx.Response(200, content=b"%PDF-1.7 \x00\x01"))
    assert file.body == "(11 bytes of binary data)"


@pytest.mark.parametrize(
    "text",
    [
        "é" * 6_000,
        '\\"secret\\":\\"' + "MARKED" * 1_300 + '\\" behind',
        "y" * 3_990 + '\\"secret\\":\\"' + "MARKED" * 2_000 + '\\" behind',
        f"{KEY} " * 600 + "behind",
    ],
)
async def test_a_body_is_masked_before_it_is_cut(text: str) -> None:
    (one,) = await traced(httpx.Response(200, content=f'{{"text":"{text}"}}'))
    assert "MARKED" not in one.body
    assert len(one.body) <= 4_001


@pytest.mark.parametrize(("toolkit", "headers", "words"), CASES["limits in words"])
def test_limits_in_words(toolkit: str, headers: dict[str, str], words: str) -> None:
    style = load().toolkits[toolkit].response
    trace = Trace(1, 1, 0.0, "T", "C", "GET", "https://x", 1, 1, style, headers=tuple(headers.items()))
    assert trace.limits == words
