"""What happens between a request and its result: retries, failures, cancellation, an account of everything sent."""

import asyncio
import gzip
import json
import zlib
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import httpx
import msgspec
import pytest

from registry.calling.failures import ATTEMPTS, retry_after, wait_before_retry
from registry.calling.receiving import Response
from registry.calling.sending import Progress
from registry.catalog.loader import load
from registry.catalog.service import Retry
from registry.engine import Presenter
from tests.calling.network import LIVE, TOOLS, ScriptedNetwork, call, one_after_the_other
from tests.cases import cases_beside
from tests.opened import opened

CASES = cases_beside(__file__)

SERVICES = load().toolkits
OK = httpx.Response(200, json={"id": "cus_1", "object": "customer"}, headers={"Request-Id": "req_1"})


def refusal(status: int, **headers: str) -> httpx.Response:
    return httpx.Response(status, json={"error": {"type": "api_error", "message": "no"}}, headers=headers)


@pytest.mark.parametrize("tool", ["RetrieveCustomerDetails", "DeletePaymentsCustomer"])
async def test_an_address_that_cannot_be_used_is_not_tried_again(tool: str) -> None:
    result, network = await call(tool, lambda request: OK, customer_id="c" * 70_000)
    assert (result.failure.title, result.failure.cause) == ("Request not sent", "The address cannot be used: URL too long.")
    assert result.failure.next_step.startswith("Nothing was sent.")
    assert (network.requests, network.waits, len(result.exchanges)) == ([], [], 1)


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (
            httpx.RemoteProtocolError("illegal status line: bytearray(b'HTTP/1.1 20 Odd')"),
            "is not valid HTTP: illegal status line",
        ),
        (httpx.RemoteProtocolError("illegal header line: bytearray(b'X-\\x00: \"')"), "is not valid HTTP: illegal header line"),
        (httpx.RemoteProtocolError("Receive buffer too long"), "is not valid HTTP: Receive buffer too long"),
        (httpx.RemoteProtocolError("Server disconnected"), "closed the connection: Server disconnected"),
        (httpx.ConnectError("refused"), "Cannot reach api.stripe.com: refused"),
        (
            httpx.DecodingError("Error -3 while decompressing data: incorrect header check"),
            "decompressed: incorrect header check",
        ),
    ],
)
async def test_what_is_no_response_is_told_without_the_words_of_python(error: httpx.HTTPError, cause: str) -> None:
    result, _ = await call("RetrieveCustomerDetails", one_after_the_other(*[error] * ATTEMPTS), customer_id="cus_1")
    assert result.failure.cause.endswith(cause)


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "gzip, deflate"])
@pytest.mark.parametrize("kept", [0.4, 1])
async def test_a_compressed_response_is_whole_or_none(encoding: str, kept: float) -> None:
    body = json.dumps({"id": "cus_1", "object": "customer"}).encode() + b" " * 999
    for one in encoding.split(", "):
        body = gzip.compress(body) if one == "gzip" else zlib.compress(body)
    body = body[: int(len(body) * kept)]

    def cut(_: httpx.Request) -> httpx.Response:
        return httpx.Response(200, headers={"content-encoding": encoding}, stream=httpx.ByteStream(body))

    result, _ = await call("RetrieveCustomerDetails", cut, customer_id="cus_1")
    assert result.ok == (kept == 1)


@pytest.mark.parametrize("tool", ["RetrieveCustomerDetails", "DeletePaymentsCustomer"])
@pytest.mark.parametrize("body", [b'{"a":' * 100_000, b'{"a":' * 100_000 + b"1" + b"}" * 100_000], ids=["cut", "whole"])
async def test_a_response_that_is_nested_too_deeply_is_a_failure(tool: str, body: bytes) -> None:
    result, _ = await call(tool, lambda _: httpx.Response(200, content=body), customer_id="cus_1")
    assert result.failure.title == "Invalid response"
    assert "nested too deeply" in result.failure.cause


@pytest.mark.parametrize("status", [200, 204])
async def test_an_empty_response_is_no_list_without_items(status: int) -> None:
    result, _ = await call("ListUsers", lambda _: httpx.Response(status))
    assert result.failure.title == "Invalid response"
    assert "it is empty" in result.failure.cause


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("DeletePaymentsCustomer", {"customer_id": "cus_1"}),
        ("CreateCrmUser", {"user_email": "a@b.example"}),
        ("UpdateCrmUserInfo", {"user_identifier": "7", "first_name": "A"}),
    ],
)
@pytest.mark.parametrize("answer", [refusal(503), refusal(429), httpx.ReadError("reset")])
async def test_writes_and_deletes_are_never_repeated(
    name: str, raw: dict[str, Any], answer: httpx.Response | Exception
) -> None:
    result, network = await call(name, lambda request: answer, **raw)
    assert not result.ok
    assert len(network.requests) == 1
    if isinstance(answer, Exception) or answer.status_code >= 500:
        assert "may have been made" in result.failure.next_step


@pytest.mark.parametrize(
    ("policy", "left", "attempts"),
    [("DAILY", "5", 1), ("TEN_SECONDLY_ROLLING", "0", ATTEMPTS), (None, "0", 1), (None, "5", ATTEMPTS)],
)
async def test_s5_a_limit_of_the_day_is_not_waited_for(policy: str | None, left: str, attempts: int) -> None:
    headers = {"X-HubSpot-RateLimit-Interval-Milliseconds": "10000", "X-HubSpot-RateLimit-Daily-Remaining": left}
    body = {"message": "too many", **({"policyName": policy} if policy else {})}
    result, network = await call("FetchCrmUsersList", lambda request: httpx.Response(429, json=body, headers=headers))
    assert len(network.requests) == attempts
    assert ("midnight of the account's time zone" in result.failure.next_step) == (attempts == 1)


@pytest.mark.parametrize("status", [400, 402, 403])
async def test_s3_what_not_every_plan_has_is_left_out_when_it_is_refused(status: int) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        there = {"escalation_policies": [], "more": False}
        return httpx.Response(200, json=there) if "include[]" not in request.url.params else httpx.Response(status, json={})

    result, network = await call("ListEscalationPolicies", answer)
    assert (result.ok, len(network.requests)) == (True, 2)


def rules(toolkit: str) -> Retry:
    return SERVICES[toolkit].response.retry


def test_waits() -> None:
    payments, incidents = rules("PaymentsApi"), rules("Incidents")
    assert wait_before_retry(1, Response(429, {"retry-after": "3"}, b"{}"), payments) == 3.0
    assert wait_before_retry(1, Response(429, {"ratelimit-reset": "7"}, b"{}"), incidents) == 7.0
    assert wait_before_retry(1, Response(429, {"ratelimit-reset": "600"}, b"{}"), incidents) is None
    assert wait_before_retry(1, Response(400, {"stripe-should-retry": "true"}, b"{}"), payments) is not None
    assert wait_before_retry(1, Response(503, {"stripe-should-retry": "false"}, b"{}"), payments) is None
    now = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
    assert (
        wait_before_retry(1, Response(503, {"retry-after": "Sun, 01 Mar 2026 12:00:09 GMT"}, b"{}"), payments, now=now) == 9.0
    )
    for odd in ("soon", f"Mon, 01 Jan {'9' * 30} 00:00:00 GMT", f"Mon, 01 Jan 2035 00:00:00 +{'9' * 30}"):
        assert retry_after(Response(503, {"retry-after": odd}, b"{}"), payments) is None
        assert wait_before_retry(1, Response(503, {"retry-after": odd}, b"{}"), payments) is not None
    waits = [wait_before_retry(attempt, None, payments) for attempt in (1, 2, 3)]
    assert all(0.25 * 2**place <= wait <= 0.5 * 2**place for place, wait in enumerate(waits) if wait is not None)
    assert wait_before_retry(ATTEMPTS, Response(503, {}, b"{}"), payments) is None


async def test_progress_is_told() -> None:
    told: list[Progress] = []
    network = ScriptedNetwork(one_after_the_other(refusal(503), OK))
    raw = {"customer_id": "cus_1"}
    await opened(network).run("RetrieveCustomerDetails", raw, LIVE["payments"], presenter=Presenter(told.append))
    assert [(progress.attempt, progress.waiting is None) for progress in told] == [(1, True), (1, False), (2, True)]
    assert told[1].reason == "Server error"


@pytest.mark.parametrize(("size", "is_told"), [(0, False), (1_000_000, True)])
async def test_the_beginning_of_a_large_result_is_told_once(size: int, is_told: bool) -> None:
    told: list[Progress] = []
    secret = next(iter(LIVE["payments"].endpoints.values())).credential.reveal()
    body = json.dumps({"id": "cus_1", "object": "customer", "echo": secret, "rest": ["x", {"y": "a,b"}] * (5_000 + size // 10)})

    async def in_parts(_: httpx.Request) -> httpx.Response:
        async def parts() -> AsyncIterator[bytes]:
            for start in range(0, len(body), 10_000):
                yield body[start : start + 10_000].encode()

        return httpx.Response(200, headers={"content-type": "application/json"}, content=parts())

    raw = {"customer_id": "cus_1"}
    await opened(ScriptedNetwork(in_parts)).run(
        "RetrieveCustomerDetails", raw, LIVE["payments"], presenter=Presenter(told.append)
    )
    beginnings = [progress.beginning for progress in told if progress.beginning is not None]
    assert len(beginnings) == is_told
    for one in beginnings:
        value = json.loads(one.body)
        assert value["id"] == "cus_1"
        assert secret not in value["echo"]
        assert 500 < len(value["rest"]) < 5_000


async def test_a_call_can_be_cancelled_at_any_moment() -> None:
    under_way, never = asyncio.Event(), asyncio.Event()

    async def silent(request: httpx.Request) -> httpx.Response:
        under_way.set()
        await never.wait()
        return OK

    network = ScriptedNetwork(silent)
    call_ = opened(network).run(TOOLS["RetrieveCustomerDetails"], {"customer_id": "cus_1"}, LIVE["payments"])
    task = asyncio.ensure_future(call_)
    await under_way.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


ERRORS: list[tuple[str, int, dict[str, Any], dict[str, Any]]] = CASES["errors of services"]


@pytest.mark.parametrize(("tool", "status", "body", "expected"), ERRORS)
async def test_errors_keep_the_services_words(tool: str, status: int, body: dict[str, Any], expected: dict[str, Any]) -> None:
    raw: dict[str, Any] = {"customer_id": "cus_x"} if tool == "GetCustomerCards" else {}
    answer = httpx.Response(status, json=body, headers={"request-id": "req_9"})
    result, _ = await call(tool, lambda request: answer, **raw)
    failure = json.loads(msgspec.json.encode(result.failure))
    assert {name: failure[name] for name in expected} == expected
    assert (result.status, result.request_id, result.json) == (status, "req_9" if raw else result.request_id, body)


@pytest.mark.parametrize(
    "body", [b"", b"not json", b"[]", b'{"error": 7}', b'{"error": {"doc_url": "javascript:x"}}', b"\xff\xfe"]
)
async def test_error_bodies_of_any_form(body: bytes) -> None:
    result, _ = await call("GetAccountRoles", lambda request: httpx.Response(400, content=body))
    assert result.failure.cause
    assert result.failure.documentation is None


async def test_an_empty_answer_to_a_deletion() -> None:
    result, _ = await call("RemoveCrmUser", lambda request: httpx.Response(204), user_identifier="7")
    assert (result.ok, result.status, result.body, result.json) == (True, 204, b"", None)
