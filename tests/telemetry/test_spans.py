"""Traces for OpenTelemetry: what a span says and what it never says, and that nobody waits for a collector."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest

pytest.importorskip("opentelemetry.sdk", reason="the extra callboard[telemetry] is not installed")

from opentelemetry import trace

from registry.accounts.connection import Connection, connections
from registry.accounts.consent import Consent
from registry.files.extras import how_to_install
from registry.telemetry import setting
from registry.telemetry.exporting import MOST_WAITING, Exporting
from registry.telemetry.record import SpanRecord
from registry.telemetry.setting import HOSTS, telemetry
from tests.calling.network import Answer, ScriptedNetwork, one_after_the_other
from tests.doors.test_cli import run
from tests.opened import opened
from tests.telemetry.collector import Collector, collecting

__all__ = ["run"]

KEY, CLIENT_SECRET = "sk_live_MARKED123456", "pi_1_secret_MARKED7890"
LIVE = connections({"PAYMENTS_API_KEY": KEY})["payments"]
HOST = "api.stripe.com"
INTERNAL, CLIENT = 1, 3


@pytest.fixture
def collector() -> Iterator[Collector]:
    with collecting() as found:
        yield found


async def called(
    collector: Collector,
    *answers: Answer,
    tool: str = "RetrieveCustomerDetails",
    connection: Connection = LIVE,
    more: Mapping[str, str] | None = None,
    raw: Mapping[str, str] | None = None,
) -> list[httpx.Request]:
    """Make a call and leave; gives what was sent to the service."""
    network = ScriptedNetwork(one_after_the_other(*answers))
    environment = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.address, **(more or {})}
    async with opened(network, environment=environment) as engine:
        await engine.run(tool, raw or {"customer_id": "cus_MARKED"}, connection)
    return network.requests


async def test_a_span_for_the_call_and_one_for_each_attempt(collector: Collector) -> None:
    limited = httpx.Response(429, headers={"Retry-After": "2"}, json={"error": {"message": "slowly MARKED"}})
    await called(collector, limited, httpx.ReadError("reset MARKED"), httpx.Response(200, json={"id": "cus_MARKED"}))
    (call,) = collector.calls
    assert (call.name, call.kind, call.failed) == ("RetrieveCustomerDetails", INTERNAL, False)
    assert call.attributes == {
        "callboard.tool": "RetrieveCustomerDetails",
        "callboard.toolkit": "PaymentsApi",
        "callboard.effect": "read",
    }
    first, second, third = collector.requests
    assert {(one.trace, one.parent) for one in collector.requests} == {(call.trace, call.id)}
    assert len({one.id for one in collector.spans}) == 4
    template = first.attributes["url.template"]
    assert isinstance(template, str)
    assert template.startswith("/")
    assert template.count("{") == 1
    usual = {
        "url.template": template,
        "callboard.tool": "RetrieveCustomerDetails",
        "callboard.toolkit": "PaymentsApi",
        "server.address": HOST,
        "server.port": 443,
        "http.request.method": "GET",
    }
    assert {(one.name, one.kind) for one in collector.requests} == {(f"GET {template}", CLIENT)}
    assert first.attributes == {**usual, "http.response.status_code": 429, "error.type": "429"}
    assert second.attributes == {**usual, "http.request.resend_count": 1, "error.type": "ReadError"}
    assert third.attributes == {**usual, "http.request.resend_count": 2, "http.response.status_code": 200}
    assert [one.failed for one in collector.requests] == [True, True, False]
    assert all(one.nanoseconds >= 0 for one in collector.spans)
    assert set(collector.paths) == {"/v1/traces"}
    assert collector.resources[0]["service.name"] == "callboard"
    assert b"MARKED" not in b"".join(collector.raw)


async def test_nothing_that_was_asked_or_answered_is_in_a_span(collector: Collector) -> None:
    echo = {"error": {"message": f"No such intent {CLIENT_SECRET}, Bearer {KEY}"}, "client_secret": "cs_MARKED"}
    refusal = httpx.Response(404, headers={"X-Echo": f"Bearer {KEY}", "Set-Cookie": "session=MARKED"}, json=echo)
    given = {"payment_intent_id": "pi_MARKED", "payment_intent_client_secret": CLIENT_SECRET}
    query, coupon = {"search_query_string": "number:MARKED"}, {"coupon_id": "MARKED"}
    await called(collector, refusal, tool="RetrievePaymentIntentDetails", raw=given)
    await called(collector, httpx.Response(200, json={"data": []}), tool="SearchPaymentsInvoices", raw=query)
    await called(collector, httpx.ConnectError(f"no way to MARKED with {KEY}"), tool="GetCouponDetails", raw=coupon)
    assert [one.failed for one in collector.calls][:2] == [True, False]
    assert {one.attributes.get("error.type") for one in collector.requests} == {"404", None, "ConnectError"}
    assert b"MARKED" not in b"".join(collector.raw)
    assert "?" not in "".join(f"{one.name} {one.attributes}" for one in collector.spans)


async def test_paths_of_tools_with_several_requests_are_templates_too(collector: Collector) -> None:
    environment = {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": f"{collector.address}/own/path"}
    async with opened(environment=environment) as engine:
        composed = [one for one in engine.catalog.tools.values() if one.composed is not None and one.effect == "read"]
        made = 0
        for tool in composed:
            needed = {one.name: "PMARKED" for one in tool.parameters if one.required}
            if not engine.validate(tool, needed).errors:
                await engine.run(tool, needed)
                made += 1
    assert made
    assert len(collector.calls) == made
    assert len(collector.requests) >= made
    assert set(collector.paths) == {"/own/path"}
    assert b"MARKED" not in b"".join(collector.raw)


async def test_a_call_that_is_cancelled_ends_its_spans(collector: Collector) -> None:
    begun = asyncio.Event()

    async def never(_: httpx.Request) -> httpx.Response:
        begun.set()
        await asyncio.Event().wait()
        raise AssertionError

    environment = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.address + "/"}
    async with opened(ScriptedNetwork(never), environment=environment) as engine:
        task = asyncio.create_task(engine.run("RetrieveCustomerDetails", {"customer_id": "cus_1"}, LIVE))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert [one.attributes["error.type"] for one in collector.spans] == ["cancelled", "cancelled"]


async def test_services_are_told_of_a_trace_only_where_the_user_says_so(collector: Collector) -> None:
    answer = httpx.Response(200, json={"id": "cus_1"})
    for more in ({}, {HOSTS: "stripe.com, example.org"}, {HOSTS: ""}):
        (request,) = await called(collector, answer, more=more)
        assert "traceparent" not in request.headers
    (request,) = await called(collector, answer, more={HOSTS: f"example.org, {HOST.upper()}"})
    sent = collector.requests[-1]
    assert request.headers["traceparent"] == f"00-{sent.trace}-{sent.id}-01"
    assert "tracestate" not in request.headers
    assert "baggage" not in request.headers


@pytest.mark.parametrize("status", [400, 503])
async def test_a_collector_that_fails_costs_spans_and_nothing_else(
    status: int, collector: Collector, capfd: pytest.CaptureFixture[str]
) -> None:
    collector.answer = status
    assert len(await called(collector, httpx.Response(200, json={"id": "cus_1"}))) == 1
    assert collector.spans
    assert capfd.readouterr() == ("", "")


async def test_a_collector_that_is_not_there_costs_nothing_else(capfd: pytest.CaptureFixture[str]) -> None:
    with collecting() as gone:
        pass
    assert len(await called(gone, httpx.Response(200, json={"id": "cus_1"}))) == 1
    assert capfd.readouterr() == ("", "")


class Stuck:
    """A sender that takes nothing until it is let go on."""

    def __init__(self) -> None:
        self.begun, self.go_on = threading.Event(), threading.Event()
        self.taken = 0

    def send(self, batch: Sequence[SpanRecord], *, in_haste: bool) -> bool:
        self.begun.set()
        self.go_on.wait(30)
        self.taken += len(batch)
        return True

    def close(self) -> None:
        self.begun.set()


def span() -> SpanRecord:
    return SpanRecord("x", "internal", 1, 1, 0, {})


def test_nobody_waits_for_a_collector_that_hangs_and_the_queue_is_bounded() -> None:
    stuck = Stuck()
    exporting = Exporting("http://collector.example", lambda _: stuck)
    exporting.take(span())
    assert stuck.begun.wait(30)
    for _ in range(3 * MOST_WAITING):
        exporting.take(span())
    assert len(exporting._waiting) == MOST_WAITING
    exporting.close(0.05)
    assert stuck.taken == 0, "it hangs, and whoever leaves is gone"
    exporting.take(span())
    stuck.go_on.set()
    thread = exporting._thread
    assert thread is not None
    thread.join(30)
    assert stuck.taken == MOST_WAITING + 1


def test_a_library_that_cannot_be_loaded_stops_nothing() -> None:
    def broken(_: str) -> Any:
        raise RuntimeError("MARKED")

    exporting = Exporting("http://collector.example", broken)
    exporting.take(span())
    exporting.close()
    exporting.take(span())
    assert not exporting._waiting


def test_a_missing_extra_is_told_once_and_nothing_fails(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://user:MARKED@127.0.0.1:9")
    monkeypatch.setattr(setting, "find_spec", lambda _: None)
    done = run("call", "ListTeams")
    words = "Traces are not sent: OTEL_EXPORTER_OTLP_ENDPOINT needs OpenTelemetry."
    assert (done.code, done.err.count(words)) == (0, 1)
    assert how_to_install("telemetry") in done.err
    assert json.loads(done.out)
    report = run("doctor", "--offline", "--json").json
    told = {"endpoint": "http://127.0.0.1:9/v1/traces", "traces": "not sent", "traceparent": []}
    assert report["telemetry"] == told
    assert any(one.startswith(words) for one in report["problems"])
    assert "MARKED" not in json.dumps(report) + done.err
    monkeypatch.undo()
    assert "telemetry" not in run("doctor", "--offline", "--json").json


@pytest.mark.parametrize(
    ("environment", "is_on", "words"),
    [
        ({}, False, ""),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "  "}, False, ""),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"}, True, ""),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "c:4318"}, False, "must be an address with http:// or https://"),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://c:999999/x"}, False, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT must be"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, False, "protocol grpc is not"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_SDK_DISABLED": "TRUE"}, False, ""),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_TRACES_EXPORTER": "none"}, False, ""),
    ],
)
def test_what_the_environment_says(environment: Mapping[str, str], is_on: bool, words: str) -> None:
    found = telemetry(environment)
    assert (found.is_on, words in found.problem, bool(found.problem)) == (is_on, True, bool(words))


@pytest.fixture
def mcp_server(tmp_path: Path) -> Iterator[None]:
    """A toolkit made of an MCP server."""
    pytest.importorskip("mcp", reason="the extra callboard[mcp] is not installed")
    from tests.mcp_client.desk import kept

    with pytest.MonkeyPatch.context() as patch:
        for _ in kept(patch, tmp_path):
            yield


async def test_a_call_of_an_mcp_server_is_told_once_and_as_what_it_is(
    mcp_server: None, collector: Collector, tmp_path: Path
) -> None:
    """Its library makes spans of its own by the global provider: that one is left alone."""
    from tests.mcp_client.desk import engine_of

    async with engine_of(tmp_path, environment={"OTEL_EXPORTER_OTLP_ENDPOINT": collector.address}) as engine:
        done = await engine.run("FindTicket", {"number": "70417"}, consent=Consent.CONFIRMED)
        assert done.failure is None
    (call,), (request,) = collector.calls, collector.requests
    assert (call.name, request.name, request.parent) == ("FindTicket", "tools/call", call.id)
    assert request.attributes == {"callboard.tool": "FindTicket", "callboard.toolkit": "Desk", "mcp.method.name": "tools/call"}
    assert b"70417" not in b"".join(collector.raw)
    assert type(trace.get_tracer_provider()).__name__ == "ProxyTracerProvider"


def test_without_the_variables_nothing_of_it_is_imported(tmp_path: Path) -> None:
    program = (
        "import sys; from registry.doors.cli import main; main(['call', 'ListTeams']);"
        "names = ('opentelemetry', 'registry.telemetry', 'registry.sharing', 'registry.presets.shared', 'requests');"
        "print([one for one in sys.modules if one.startswith(names)], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "[]"
