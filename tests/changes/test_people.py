"""What a person's change will differ in, told by name, and what does not fit the account."""

from typing import Any

import pytest

from tests.cases import cases_beside
from tests.changes.world import TOOLS, look, place

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
