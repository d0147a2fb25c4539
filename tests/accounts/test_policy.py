"""What may be sent: every effect, everything that a connection can reach, every amount of consent, at every door."""

import itertools
import time
from typing import Any

import httpx
import pytest

from registry.accounts.connection import Connection, connections
from registry.accounts.policy import WINDOW, Consent, NotAllowed, Policy
from registry.catalog.loader import load
from registry.catalog.model import Tool
from tests.calling.network import ScriptedNetwork
from tests.opened import open_writing, opened
from tests.sampled import further
from tests.test_every_tool import example_of

TOOLS = load().tools
CHANGES = [tool for tool in TOOLS.values() if tool.effect != "read"]
TEST = connections({"PAYMENTS_API_KEY": "sk_test_1"})["payments"]
LIVE = connections({"PAYMENTS_API_KEY": "sk_live_1", "INCIDENTS_API_TOKEN": "t", "CRM_ACCESS_TOKEN": "t"})
ODD = connections({"PAYMENTS_API_KEY": "anything"})["payments"]
SANDBOX = LIVE["sandbox"]


def live(tool: Tool) -> Connection:
    return next(one for name, one in LIVE.items() if name != "sandbox" and tool.toolkit in one.endpoints)


def arguments(tool: Tool) -> dict[str, Any]:
    """Arguments that pass every check."""
    return {
        one.name: "new@north.example" if one.format == "email" else example_of(one) or "cus_1"
        for one in tool.parameters
        if one.required
    }


def test_changes_are_switched_on_for_a_limited_time() -> None:
    now = [100.0]
    policy = Policy(clock=lambda: now[0])
    connection, delete = LIVE["payments"], TOOLS["DeletePaymentsCustomer"]
    policy.open_writing(connection, "PaymentsApi")
    assert policy.writing_left(connection, "PaymentsApi") == WINDOW
    now[0] += WINDOW - 1
    assert policy.decide(delete, connection).kind == "type"
    now[0] += 1
    assert policy.decide(delete, connection).kind == "switch"
    policy.open_writing(connection, "PaymentsApi", 60)
    policy.close_writing(connection, "PaymentsApi")
    assert policy.writing_left(connection, "PaymentsApi") is None


@pytest.mark.skipif(not hasattr(time, "CLOCK_BOOTTIME"), reason="only Linux has this clock")
def test_the_time_that_the_computer_sleeps_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The monotonic clock stops meanwhile: a lid closed for a night left changes to live data allowed in the morning."""
    slept, read = [0.0], time.clock_gettime
    monkeypatch.setattr(time, "clock_gettime", lambda which: read(which) + slept[0] * (which == time.CLOCK_BOOTTIME))
    policy, connection = Policy(), LIVE["payments"]
    policy.open_writing(connection, "PaymentsApi")
    assert policy.writing_left(connection, "PaymentsApi") is not None
    slept[0] = WINDOW
    assert policy.decide(TOOLS["DeletePaymentsCustomer"], connection).kind == "switch"


def lets_nobody_look(request: httpx.Request) -> httpx.Response:
    """A service that carries out every change."""
    return httpx.Response(403 if request.method == "GET" else 200, json={"id": "x", "deleted": True})


def some_changes() -> list[Tool]:
    """One of each service and effect, and the one that live keys cannot reach."""
    of_each = {(tool.toolkit, tool.effect): tool for tool in CHANGES}
    return [*of_each.values(), TOOLS["DeleteTestClock"]]


@pytest.mark.parametrize("tools", [some_changes(), *further(CHANGES)], ids=["some", "all"])
@pytest.mark.parametrize("consent", list(Consent))
async def test_no_change_is_sent_that_the_policy_does_not_let_through(consent: Consent, tools: list[Tool]) -> None:
    sent = 0
    for read_only, typed, is_open in itertools.product((False, True), repeat=3):
        network = ScriptedNetwork(lets_nobody_look)
        environment = {"CALLBOARD_TYPE_TO_DELETE": "1"} if typed else {}
        async with opened(network, read_only=read_only, environment=environment) as engine:
            for tool in tools:
                for target in [SANDBOX, live(tool)] + ([TEST, ODD] if tool.toolkit == "PaymentsApi" else []):
                    mode = target.endpoint(tool.toolkit).mode
                    if is_open and mode == "live":
                        open_writing(engine, target)
                    needed = {
                        ("delete", "sandbox"): Consent.CONFIRMED,
                        ("write", "sandbox"): Consent.NONE,
                        ("delete", "test"): Consent.TYPED if typed else Consent.CONFIRMED,
                        ("delete", "live"): Consent.TYPED,
                        ("write", "live"): Consent.CONFIRMED,
                    }[tool.effect, mode]
                    allowed = not read_only and (mode != "live" or is_open) and consent >= needed
                    network.requests.clear()
                    case = (read_only, typed, is_open, tool.name, target.name)
                    try:
                        result = await engine.run(tool, arguments(tool), target, consent=consent)
                    except NotAllowed:
                        assert not allowed, case
                        assert network.requests == [], "without consent nobody looks either"
                    else:
                        assert allowed, case
                        # What a live key cannot reach at all is not sent either.
                        allowed = result.became != "refused"
                        assert allowed or (tool.name, target) == ("DeleteTestClock", LIVE["payments"]), case
                    changes = [request.method for request in network.requests if request.method != "GET"]
                    assert changes == [tool.method] * allowed, case
                    sent += allowed
    writes = sum(tool.effect == "write" for tool in tools)
    assert sent if consent else sent == 4 * writes == (4 * 2 if tools is CHANGES else 4), (
        "without consent, only writes in the sandbox"
    )
