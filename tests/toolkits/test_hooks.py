"""Functions that toolkits name: those that ship exist, a user's folder has none, and a toolkit works without any."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from msgspec.structs import replace

from registry.accounts.connection import sandbox
from registry.calling.arguments import check
from registry.calling.sending import opening
from registry.catalog.folders import BUILT_IN, forget
from registry.catalog.loader import load, optional_hook
from registry.toolkits.checking import problems_in
from tests.calling.network import ScriptedNetwork
from tests.changes.world import look, place
from tests.opened import opened
from tests.toolkits.test_files import written

TOOLS = load().tools
CREATE, UPDATE, REMOVE = TOOLS["CreateCrmUser"], TOOLS["UpdateCrmUserInfo"], TOOLS["RemoveCrmUser"]
MEI = "41759806"
CHANGED = {"user_identifier": MEI, "first_name": "Maya", "additional_teams_ids": []}


@pytest.fixture
def plain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the CRM as a user would bring it: without functions, and without files at first."""
    for module in ("registry.catalog.loader", "registry.changes.declared"):
        monkeypatch.setattr(f"{module}.folder_of", lambda _: tmp_path)
    return tmp_path


def test_code_in_a_users_folder_is_never_run(plain: Path) -> None:
    content = {
        "checks": {"crm_user": ["remove"]},
        "companions": {"crm_user": ["remove"]},
        "facts": {"crm_user": "remove"},
        "writes": {"crm_user": {"check": "remove", "same": "remove"}},
    }
    written(plain, deleting=content)
    (plain / "__init__.py").write_text("")
    for module in ("rules", "composed", "deleting"):
        (plain / f"{module}.py").write_text(f"open({str(plain / 'ran')!r}, 'w')\n")
    problems = problems_in(plain)
    assert [one.field for one in problems] == [
        "checks.crm_user", "companions.crm_user", "facts.crm_user", "writes.crm_user.check", "writes.crm_user.same",
    ]  # fmt: skip
    assert {one.message for one in problems} == {
        "names a function, `remove`; only toolkits that come with Callboard have functions"
    }
    assert optional_hook("CrmUsersApi", "rules", "inferred") is None
    check(UPDATE, CHANGED)
    opening(replace(REMOVE, composed="remove"), check(REMOVE, {"user_identifier": MEI}))
    assert not (plain / "ran").exists()


async def test_a_composed_tool_without_its_function_is_a_failure_and_sends_nothing(plain: Path) -> None:
    network = ScriptedNetwork(lambda _: httpx.Response(200, json={}))
    async with opened(network, folder=plain) as engine:
        for tool in (
            replace(TOOLS["Whoami"], composed="no_such"),
            replace(TOOLS["Whoami"], composed="no_such", toolkit="Incidents"),
        ):
            result = await engine.run(tool, {}, sandbox())
            assert result.failure is not None
            assert (result.failure.kind, result.failure.title) == ("refused", "The tool needs code that does not exist")
            assert "`no_such`" in result.failure.cause
    assert network.requests == []


async def test_companions_are_counted_as_data_says(plain: Path) -> None:
    by_id = {"tool": "RetrieveCrmUserById", "arguments": {"user_identifier": "{id}"}, "one": "x", "many": "xs"}
    companions: list[dict[str, Any]] = [
        {"tool": "ViewAccountTeams", "arguments": {}, "one": "team", "many": "teams"},
        {"tool": "FetchCrmUsersList", "arguments": {"user_retrieval_limit": "1"}, "one": "user", "many": "users"},
        # Neither what is not there, nor what belongs to another service, nor what changes something is called.
        by_id | {"tool": "ListTickets", "many": "tickets"},
        by_id | {"tool": "SearchPaymentsInvoices", "many": "invoices"},
        by_id | {"tool": "RemoveCrmUser", "many": "users"},
    ]
    written(plain, deleting={"companions": {"crm_user": companions}, "checks": {"crm_user": [{"words": "It may own deals."}]}})
    async with place() as one:
        seen = await look(one.reads(REMOVE), REMOVE, {"user_identifier": MEI})
        assert one.wire.changes == []
        teams = (await one.json("ViewAccountTeams"))["results"]
    assert [(each.words, each.count) for each in seen.companions[:1]] == [(f"{len(teams)} teams", len(teams))]
    assert [each.problem for each in seen.companions[2:]] == [
        "Could not count tickets: no tool ListTickets lists them",
        "Could not count invoices: no tool SearchPaymentsInvoices lists them",
        "Could not count users: no tool RemoveCrmUser lists them",
    ]
    assert [(each.holds, each.words) for each in seen.checks] == [(None, "It may own deals.")]
    assert seen.verdict == "unknown"


@pytest.mark.usefixtures("plain")
async def test_a_toolkit_without_files_is_looked_at_field_by_field() -> None:
    async with place() as one:
        seen = await look(one.reads(REMOVE), REMOVE, {"user_identifier": MEI})
        assert (seen.verdict, seen.checks, seen.companions) == ("go", (), ())
        assert ("first name", "Mei") in seen.facts
        changed = await look(one.reads(UPDATE), UPDATE, CHANGED)
        assert (changed.verdict, changed.names[0]) == ("go", "Mei Tan")
        assert changed.differences == (("secondary team ids", "20805846", ""), ("first name", "Mei", "Maya"))
        new = await look(one.reads(CREATE), CREATE, {"user_email": "new@fernway.example", "send_welcome_email": True})
        assert (new.verdict, new.checks) == ("go", ())
        assert new.differences == (("email", "", "new@fernway.example"), ("send welcome email", "", "yes"))
        gone = await look(one.reads(UPDATE), UPDATE, CHANGED | {"user_identifier": "1"})
        assert (gone.gone, gone.verdict) == (True, "refuse")


@pytest.mark.parametrize(("how", "became"), [("drop after", "done"), ("drop before", "not done")])
async def test_a_lost_new_object_is_found_as_data_says(plain: Path, how: str, became: str) -> None:
    finding = json.loads((BUILT_IN / "crm_users" / "deleting.json").read_text("utf-8"))["finding_new"]
    written(plain, deleting={"finding_new": finding, "writes": {"crm_user": {"not_returned": ["sendWelcomeEmail"]}}})
    async with place(faults=[f"crm POST {how}"]) as one:
        arguments = {"user_email": "new@fernway.example", "send_welcome_email": True}
        outcome = await one.carry_out(CREATE, arguments)
        assert (outcome.became, outcome.by_reading, one.wire.changes) == (became, True, ["POST"])
    written(plain, deleting={})
    forget()
    async with place(faults=["crm POST drop after"]) as one:
        outcome = await one.carry_out(CREATE, {"user_email": "new@fernway.example"})
        assert (outcome.became, one.wire.changes) == ("unknown", ["POST"]), "nothing finds it"
