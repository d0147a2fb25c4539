"""Answers that mean harm, or that never come; and what a person's change will differ in, told by name."""

import json
from typing import Any

import httpx
import pytest

from registry.accounts.connection import sandbox
from registry.catalog.model import Tool
from registry.changes.check_result import lines
from tests.calling.network import ScriptedNetwork
from tests.cases import cases_beside
from tests.changes.test_carrying_out import service
from tests.changes.world import TOOLS, look, place
from tests.hostile import CONTROLS, MARKUP, forbidden_in_output
from tests.opened import opened
from tests.random_bodies import controls_in
from tests.sampled import first_of_each
from tests.test_every_tool import examples

CHANGES = first_of_each([tool for tool in TOOLS.values() if tool.effect != "read"], lambda one: one.returns.objects)
_MEMBERS = """
name email status description currency balance amount created customer test_clock invoice parent status default_price
type relationship verification default_for_currency controller list_items configuration_overrides times_redeemed source
enabled_events items price plan recurring unit_amount interval interval_count quantity firstName lastName roleId roleIds
primaryTeamId secondaryTeamIds entitlement_feature livemode results data total_count has_more coupon percent_off
"""
NAMES = _MEMBERS.split()


@pytest.mark.parametrize("tool", CHANGES, ids=lambda tool: tool.name)
async def test_harm_is_made_visible(tool: Tool) -> None:
    body = b""

    def answer(request: httpx.Request) -> httpx.Response:
        assert request.method == "GET"
        return httpx.Response(200, content=body, headers={"content-type": "application/json"})

    arguments = examples(tool) | ({"user_role_id": "1"} if tool.effect == "write" else {})
    async with opened(ScriptedNetwork(answer)) as engine:
        for text in (" ".join(CONTROLS[:10]), " ".join(CONTROLS[10:]), " ".join(MARKUP)):
            inside = {"object": text, **dict.fromkeys(NAMES, text)}
            whole = inside | {"object": tool.returns.objects[0], "id": text, "results": [inside | {"id": text}]}
            body = json.dumps(whole).encode("utf-8", "surrogatepass")
            seen = await look(engine.reads(tool, sandbox()), tool, arguments)
            assert seen.complete
            told = "\n".join(line.text for line in lines(seen, tool))
            assert forbidden_in_output(told.encode("utf-8", "surrogatepass")) == []


FAULTS = (
    *("drop before", "drop after", "drop after 100 bytes", "cut after 1 bytes", "html 200", "bomb 2MB", "401", "409", "429"),
    *("500", "large 1MB", "latency 5ms-9ms", "encoding", "nan", "surrogate 500", "escapes", "echo-credential", "forge 402"),
)


@pytest.mark.parametrize(
    ("name", "fault"),
    [("DeletePaymentsCoupon", one) for one in FAULTS]
    + [("DeleteWalletPayDomain", one) for one in ("large 1MB", "bomb 2MB", "drop after")],  # takes several requests
)
async def test_one_request_and_a_true_account(name: str, fault: str) -> None:
    tool = TOOLS[name]
    async with place(faults=[f"{service(tool)} DELETE {fault}"]) as one:
        outcome = await one.carry_out(tool, examples(tool))
        assert one.wire.changes == ["DELETE"], (fault, one.wire.changes)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=one.wire), base_url="http://sandbox") as control:
            assert (await control.delete("/sandbox/faults")).is_success
        seen = await look(one.reads(tool), tool, examples(tool))
        assert outcome.became in (("done", "unknown") if seen.gone else ("refused", "not done", "unknown")), outcome.words
        assert not controls_in(outcome.words)


CASES = cases_beside(__file__)

CREATE, UPDATE, REMOVE = TOOLS["CreateCrmUser"], TOOLS["UpdateCrmUserInfo"], TOOLS["RemoveCrmUser"]
MEI = "41759806"


async def test_a_change_is_told_by_name() -> None:
    arguments = {"user_identifier": MEI, "first_name": "Maya", "user_role_id": "172841", "additional_teams_ids": ["20806855"]}
    async with place() as one:
        seen = await look(one.reads(UPDATE), UPDATE, arguments)
        assert seen.verdict == "go"
        assert seen.differences == (
            ("first name", "Mei", "Maya"),
            ("role", "Reports only", "Sales"),
            ("additional teams", "Platform", "Data"),
        )
        assert [one.words for one in seen.companions] == ["a paid seat, used by this role"]
        assert one.wire.changes == []
        outcome = await one.carry_out(UPDATE, arguments)
        assert outcome.became == "done"
        again = await look(one.reads(UPDATE), UPDATE, arguments)
        assert (again.differences, again.companions) == ((), ())


async def test_a_person_is_known_by_the_address_too() -> None:
    async with place() as one:
        values = {"user_identifier": "mei.tan@fernway.example", "user_identifier_property": "EMAIL"}
        seen = await look(one.reads(REMOVE), REMOVE, values)
        assert ("last name", "Tan") in seen.facts
        outcome = await one.carry_out(REMOVE, {"user_identifier": "mei.tan@fernway.example"})
        assert outcome.became == "done"
        assert await one.json("RetrieveCrmUserById", user_identifier=MEI) is None


@pytest.mark.parametrize(("arguments", "words"), CASES["changes that do not fit the account"])
async def test_what_does_not_fit_the_account_is_foreseen(arguments: dict[str, Any], words: str) -> None:
    async with place() as one:
        seen = await look(one.reads(CREATE), CREATE, arguments)
        assert seen.verdict == "refuse"
        assert words in seen.in_the_way
        said = await one.unchecked(CREATE, arguments)
        assert said.status in (400, 409), "the service says the same"


@pytest.mark.parametrize(("how", "became"), [("drop after", "done"), ("drop before", "not done")])
async def test_lost_answers(how: str, became: str) -> None:
    for tool, method, arguments in (
        (CREATE, "POST", {"user_email": "new@fernway.example", "user_role_id": "172841"}),
        (UPDATE, "PUT", {"user_identifier": MEI, "first_name": "Maya", "additional_teams_ids": []}),
    ):
        async with place(faults=[f"crm {method} {how}"]) as one:
            outcome = await one.carry_out(tool, arguments)
            assert (outcome.became, outcome.by_reading, one.wire.changes) == (became, True, [method])


async def test_a_change_that_takes_the_last_additional_team_says_so() -> None:
    async with place() as one:
        user = await one.json("RetrieveCrmUserById", user_identifier=MEI)
        (team,) = user["secondaryTeamIds"]
        changes: list[dict[str, object]] = [{"user_primary_team_id": team}, {"additional_teams_ids": []}]
        for arguments in changes:
            seen = await look(one.reads(UPDATE), UPDATE, {"user_identifier": MEI, **arguments})
            assert ("additional teams", "Platform", "") in seen.differences
            assert [line.words for line in seen.companions] == ["no additional team is left: Platform removed"]
        seen = await look(one.reads(UPDATE), UPDATE, {"user_identifier": MEI, "first_name": "Maya"})
        assert seen.companions == ()
        outcome = await one.carry_out(UPDATE, {"user_identifier": MEI, "user_primary_team_id": team})
        assert outcome.became == "done"
        after = await one.json("RetrieveCrmUserById", user_identifier=MEI)
        assert (after["primaryTeamId"], after["secondaryTeamIds"]) == (team, [])
