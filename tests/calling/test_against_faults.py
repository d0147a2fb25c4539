"""Tools against services that fail: every result says what happened and what to do, reads are repeated, deletions never.

Over a real socket, as `callboard sandbox` serves it.
"""

import asyncio
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from registry.accounts.connection import Connection, connections
from registry.calling.failures import ATTEMPTS
from registry.calling.network import Network
from registry.calling.receiving import ResponseLimits
from registry.calling.result import Result
from registry.calling.sending import Progress
from registry.engine import Presenter
from registry.sandbox.server import application
from tests.calling.network import TOOLS, ScriptedNetwork
from tests.calling.network import call as call_scripted
from tests.cases import cases_beside
from tests.opened import open_writing, opened, unchecked
from tests.sandbox.serving import served

CASES = cases_beside(__file__)

NOW = 1764555240
IMPATIENT = ResponseLimits(silence=0.2)
HASTY = ResponseLimits(whole=1.0)
MAYBE = "may have been made"
READS = {"payments": "GetPaymentsWebhookEndpoints", "incidents": "Whoami", "crm": "GetAccountRoles"}


class Desk:
    """Calls tools against served services with faults, and keeps the waits between attempts."""

    app: Any = None
    endpoint = ""

    def __init__(self) -> None:
        self.address, self.folder = "", Path()
        self.waits: list[float] = []
        self.progress: list[Progress] = []
        self.receiving = asyncio.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self.app(scope, receive, send)

    async def call(self, fault: str, name: str, bounds: ResponseLimits | None = None, **raw: object) -> Result:
        """The result of one call while one fault is in force."""
        return (await self.calls(fault, [(name, raw, bounds)]))[0]

    async def calls(self, fault: str, calls: list[tuple[str, dict[str, object], ResponseLimits | None]]) -> list[Result]:
        """The results of calls, one after the other, to the same services."""
        self.app = application(seed=1, now=NOW, faults=[fault])
        results = []
        for name, raw, bounds in calls:
            async with opened(Network(bounds or ResponseLimits()), folder=self.folder, sleep=self._sleep) as engine:
                tool, there = TOOLS[name], self._connection(name)
                if tool.effect == "read":
                    results.append(await engine.run(tool, raw, there, presenter=Presenter(self._observe)))
                else:
                    open_writing(engine, there)
                    results.append(await unchecked(engine, tool, raw, there))
        return results

    def _observe(self, progress: Progress) -> None:
        self.progress.append(progress)
        if progress.received:
            self.receiving.set()

    async def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)

    def _connection(self, name: str) -> Connection:
        """That on which a tool is called."""
        address = self.address
        found = connections(
            {
                "PAYMENTS_API_KEY": "sk_test_1",
                "PAYMENTS_BASE_URL": f"{address}/payments",
                "PAYMENTS_FILES_URL": f"{address}/files",
                "INCIDENTS_API_TOKEN": "t",
                "INCIDENTS_BASE_URL": f"{address}/incidents",
                "CRM_ACCESS_TOKEN": "c",
                "CRM_BASE_URL": f"{address}/crm",
            }
        )
        return next(one for one in found.values() if list(one.endpoints) == [TOOLS[name].toolkit])


@pytest.fixture(scope="module")
def serving() -> Iterator[Desk]:
    one = Desk()
    with served(one) as one.address:
        yield one


@pytest.fixture
def desk(serving: Desk, tmp_path: Path) -> Desk:
    serving.waits, serving.progress, serving.receiving, serving.folder = [], [], asyncio.Event(), tmp_path
    return serving


@pytest.mark.parametrize(
    ("fault", "attempts"),
    [
        ("payments 500 x3", ATTEMPTS),
        ("incidents 503 x3", ATTEMPTS),
        ("crm 429 x3", ATTEMPTS),
        ("payments 429 bare x3", ATTEMPTS),
        ("incidents html 502 x3", ATTEMPTS),
        ("crm drop before x3", ATTEMPTS),
        ("payments drop after x3", ATTEMPTS),
        ("incidents drop after 20 bytes x3", ATTEMPTS),
        ("payments 409 x1", 2),
        ("crm 409 x1", 2),
        ("crm latency 1ms-5ms", 1),
        ("payments trickle 0.001ms", 1),
        ("incidents large 3MB", 1),
    ],
)
async def test_reads_get_through(desk: Desk, fault: str, attempts: int) -> None:
    result = await desk.call(fault, READS[fault.split()[0]])
    assert result.ok, result.failure
    assert result.json
    assert (len(result.exchanges), len(desk.waits)) == (attempts, attempts - 1)


@pytest.mark.parametrize(
    ("fault", "attempts", "kind", "title", "cause"),
    [
        ("incidents 500", ATTEMPTS, "service", "Server error", "Internal Server Error"),
        ("incidents 429", ATTEMPTS, "service", "Too many requests", "Rate Limit Exceeded"),
        ("incidents 429 bare", ATTEMPTS, "service", "Too many requests", "Too Many Requests"),
        ("incidents html 502", ATTEMPTS, "service", "Server error", "it may come from a proxy"),
        ("incidents drop before", ATTEMPTS, "connection", "No response", "closed the connection"),
        ("incidents drop after 20 bytes", ATTEMPTS, "connection", "No response", "20"),
        ("payments 401", 1, "authentication", "Credential rejected", "Expired API Key"),
        ("incidents 401", 1, "authentication", "Credential rejected", "Authentication failed"),
        ("crm 401", 1, "authentication", "Credential rejected", "expired 60 second(s) ago"),
        ("payments 402", 1, "service", "Request failed", "declined"),
        ("incidents 408", 1, "service", "Request timed out", "Took Too Long"),
        ("incidents cut", 1, "protocol", "Invalid response", "truncated"),
        ("crm html 200", 1, "protocol", "Invalid response", "text/html"),
        ("incidents large", 1, "protocol", "Response too large", "exceeds the limit of 128 MB"),
        ("incidents latency 10m", ATTEMPTS, "connection", "No response", "waiting for a response"),
        ("incidents trickle 50ms", 1, "connection", "Response took too long", "within 1 s"),
    ],
)
async def test_reads_give_up_in_the_end_and_at_once_where_nothing_will_change(
    desk: Desk, fault: str, attempts: int, kind: str, title: str, cause: str
) -> None:
    bounds = {"latency": IMPATIENT, "trickle": HASTY}.get(fault.split()[1])
    result = await desk.call(fault, READS[fault.split()[0]], bounds)
    assert result.failure is not None
    assert (result.failure.kind, title in result.failure.title, len(result.exchanges)) == (kind, True, attempts)
    assert cause in result.failure.cause
    assert result.failure.next_step
    assert kind == "protocol" or (result.status is None) is (kind == "connection")


@pytest.mark.parametrize(("service", "wait"), [("incidents", 5.0), ("crm", 10.0)])
async def test_a_service_that_says_when_to_come_back_is_taken_at_its_word(desk: Desk, service: str, wait: float) -> None:
    assert (await desk.call(f"{service} 429 x2", READS[service])).ok
    assert desk.waits == [wait, wait]
    refused = await desk.call(f"{service} 429", READS[service])
    assert refused.failure is not None
    assert refused.failure.next_step == f"Wait {wait:.0f} s and run it again."


async def test_how_far_a_slow_answer_has_come_is_told(desk: Desk) -> None:
    call = asyncio.create_task(desk.call("incidents trickle 20ms", "Whoami"))
    await desk.receiving.wait()
    call.cancel()
    await asyncio.wait({call})
    received = [progress.received for progress in desk.progress if progress.received]
    assert received
    assert received == sorted(received)
    assert all(progress.expected for progress in desk.progress if progress.received)


@pytest.mark.parametrize("fault", ["incidents large 200MB", "incidents:/users/me large 2GB"])
async def test_a_huge_answer_is_not_taken_in(desk: Desk, fault: str) -> None:
    tracemalloc.start()
    try:
        result = await desk.call(fault, "Whoami")
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert result.failure is not None
    assert "lower the limit" in result.failure.next_step
    assert result.body == b""
    assert most < 30_000_000


async def test_a_huge_answer_that_does_not_tell_its_size() -> None:
    taken = 0

    async def endless() -> Any:
        nonlocal taken
        while True:
            taken += 65_536
            yield b" " * 65_536

    network = ScriptedNetwork(lambda request: httpx.Response(200, content=endless()))
    network.bounds = ResponseLimits(size=1_000_000)
    async with opened(network) as engine:
        result = await engine.run("Whoami")
    assert result.failure is not None
    assert result.failure.title == "Response too large"
    assert len(network.requests) == 1
    assert taken <= network.bounds.size + 2 * 65_536


@pytest.mark.parametrize(("fault", "open_", "done"), CASES["deletions under faults"])
async def test_a_deletion_is_sent_once_and_its_doubt_is_told(desk: Desk, fault: str, open_: bool, done: bool | None) -> None:
    """`open_`: the caller cannot know whether it was done. `done`: whether it was; None for either."""
    if not desk.endpoint:  # every world has the same ones
        Desk.endpoint = (await desk.call("POST 500", "GetPaymentsWebhookEndpoints")).json["data"][0]["id"]
    bounds = {"trickle 100ms": HASTY, "latency 10m": IMPATIENT}.get(fault)
    raw: dict[str, object] = {"webhook_endpoint_id": desk.endpoint}
    look, delete = ("RetrieveWebhookEndpoint", raw, None), ("DeletePaymentsWebhookEndpoint", raw, bounds)
    before, deletion, found = await desk.calls(f"payments DELETE {fault}", [look, delete, look])
    assert before.ok
    assert deletion.failure is not None
    assert len(deletion.exchanges) == 1
    assert desk.waits == []
    assert (MAYBE in deletion.failure.next_step) is open_, deletion.failure
    assert found.status in ((200, 404) if done is None else (404,) if done else (200,))


@pytest.mark.parametrize("fault", ["html 200", "large 1MB"])
async def test_a_page_is_not_saved_as_a_file(desk: Desk, fault: str, tmp_path: Path) -> None:
    result = await desk.call(f"files {fault}", "DownloadQuotePdf", quote_id="qt_1")
    assert result.failure is not None
    assert (result.failure.kind, result.failure.title) == ("protocol", "Not a file")
    assert list(tmp_path.iterdir()) == []  # noqa: ASYNC240


async def test_a_tool_of_several_requests_tells_which_part_is_missing(desk: Desk) -> None:
    teams = await desk.call("POST 500", "ListTeams")
    team = teams.json["teams"][0]["id"]
    result = await desk.call("incidents:/services* drop after 20 bytes", "GetTeam", team_id=team)
    assert result.ok
    assert result.json["services"] is None
    assert "load the team's services" in " ".join(result.notes)


@pytest.mark.parametrize(("headers", "told"), CASES["when to come back"])
async def test_when_to_come_back_is_told_in_seconds(headers: dict[str, str], told: str) -> None:
    refusal = httpx.Response(429, json={"message": "slow down"}, headers=headers)
    result, _ = await call_scripted("GetAccountRoles", lambda _: refusal)
    assert result.failure.next_step.startswith(told)
    assert "GMT" not in result.failure.next_step
