"""What may be sent: every effect, everything that a connection can reach, every amount of consent, at every door."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from registry.calling.client import ToolClient
from registry.catalog.loader import load
from registry.catalog.model import Tool
from registry.connections.policy import WINDOW, Consent, NotAllowed, Policy
from registry.connections.profiles import Connection, connections
from tests.calling.network import ScriptedNetwork
from tests.harvest import example_of

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


def policies() -> Iterator[tuple[str, Policy, bool]]:
    """A policy in every state: its name, and whether changes to live data are switched on."""
    for read_only, typed, is_open in itertools.product((False, True), repeat=3):
        yield f"read_only={read_only} typed={typed} open={is_open}", Policy(read_only=read_only, typed=typed), is_open


def test_there_are_28_changes() -> None:
    assert sorted(tool.effect for tool in CHANGES) == ["delete"] * 26 + ["write"] * 2


def test_what_each_change_needs() -> None:
    delete, write = TOOLS["DeletePaymentsCustomer"], TOOLS["CreateCrmUser"]
    policy = Policy()
    assert policy.decide(TOOLS["Whoami"], LIVE["incidents"]).kind == "allow"
    assert (policy.decide(delete, SANDBOX).kind, policy.decide(write, SANDBOX).kind) == ("confirm", "allow")
    assert policy.decide(delete, TEST).kind == "confirm"
    assert Policy(typed=True).decide(delete, TEST).kind == "type"
    assert (policy.decide(delete, LIVE["payments"]).kind, policy.decide(write, LIVE["crm"]).kind) == ("switch", "switch")
    policy.open_writing(LIVE["payments"], "PaymentsApi")
    assert (policy.decide(delete, LIVE["payments"]).kind, policy.decide(write, LIVE["crm"]).kind) == ("type", "switch")
    policy.open_writing(LIVE["crm"], "CrmUsersApi")
    assert policy.decide(write, LIVE["crm"]).kind == "confirm"


def test_what_is_not_known_to_be_test_data_counts_as_live() -> None:
    assert Policy().decide(TOOLS["DeletePaymentsCustomer"], ODD).kind == "switch"


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


@pytest.mark.parametrize("consent", list(Consent))
async def test_no_change_is_sent_that_the_policy_does_not_let_through(consent: Consent) -> None:
    sent = 0
    for (name, policy, is_open), tool in itertools.product(policies(), CHANGES):
        targets = [SANDBOX, live(tool)] + ([TEST, ODD] if tool.toolkit == "PaymentsApi" else [])
        for target in targets:
            mode = target.endpoint(tool.toolkit).mode
            if is_open and mode == "live":
                policy.open_writing(target, tool.toolkit)
            network = ScriptedNetwork(lambda request: httpx.Response(200, json={"id": "x", "deleted": True}))
            client = ToolClient(Path(), network=network, policy=policy)
            needed = {
                ("delete", "sandbox"): Consent.CONFIRMED,
                ("write", "sandbox"): Consent.NONE,
                ("delete", "test"): Consent.TYPED if "typed=True" in name else Consent.CONFIRMED,
                ("delete", "live"): Consent.TYPED,
                ("write", "live"): Consent.CONFIRMED,
            }[tool.effect, mode]
            allowed = not policy.read_only and (mode != "live" or is_open) and consent >= needed
            try:
                await client.call(tool, arguments(tool), target, consent=consent)
            except NotAllowed:
                assert not allowed, (name, tool.name, target.name)
            finally:
                await client.aclose()
            assert len(network.requests) == allowed, (name, tool.name, target.name)
            sent += allowed
    assert sent if consent else sent == 4 * 2, "without consent, only writes in the sandbox"
