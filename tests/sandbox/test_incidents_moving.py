"""The incident service's world goes on with its clock: what a scenario has written down happens, to the second."""

from __future__ import annotations

import random
from typing import Any

import httpx
import pytest

from registry.sandbox.scenario_state import SCENARIOS, UnknownScenario
from registry.sandbox.server import application
from tests.sampled import chosen
from tests.sandbox import test_incidents_clocks as clocks
from tests.sandbox.test_incidents_clocks import Account, at, kind, pending

NOW = 1764555240
MINUTE, HOUR = 60, 3600


async def told(account: Account) -> dict[str, Any]:
    """All incidents and log entries by id."""
    return {one["id"]: one for one in (*await account.incidents(), *await account.every("/log_entries"))}


@pytest.mark.parametrize(
    ("scenario", "pace"), chosen([("quiet", 10), ("busy-night", 10), ("storm", 1)], lambda one: one[0] == "busy-night")
)
async def test_it_makes_no_difference_how_often_one_looks(scenario: str, pace: int) -> None:
    at_once, in_steps = Account(NOW, scenario), Account(NOW, scenario)
    earlier = await told(in_steps)
    await at_once.go_on(1_280 * pace)
    while in_steps.now < at_once.now:
        await in_steps.go_on(min(13 * pace, at_once.now - in_steps.now))
        await in_steps.api.get("/incidents")
    late, later = await told(at_once), await told(in_steps)
    assert late == later
    assert earlier.keys() <= later.keys()
    assert len(later) > len(earlier)
    logged = [id_ for id_ in earlier if id_.startswith("R")]
    assert [earlier[id_] for id_ in logged] == [later[id_] for id_ in logged]


async def test_the_same_seed_plays_the_same_night() -> None:
    one, other, third = Account(NOW), Account(NOW), Account(NOW + 1)
    for account in (one, other, third):
        await account.go_on(2 * HOUR)
    assert await told(one) == await told(other)
    assert (await told(one)).keys() == (await told(third)).keys()


async def test_an_alert_that_nobody_answers() -> None:
    """From its beginning to its end, every step at its second."""
    account = Account(NOW)
    title = "Card declines doubled for one issuer"

    async def incident() -> dict[str, Any] | None:
        found = (await account.api.get("/incidents", params={"limit": 100, "since": "2025-11-30T00:00:00Z"})).json()
        return next((one for one in found["incidents"] if one["title"] == title), None)

    async def after(seconds: int) -> dict[str, Any]:
        await account.go_on(NOW + seconds - account.now)
        found = await incident()
        assert found is not None
        return found

    await account.go_on(MINUTE - 1)
    assert await incident() is None
    begun = await after(MINUTE)
    start = NOW + MINUTE
    assert begun["status"] == "triggered"
    assert [one["assignee"]["summary"] for one in begun["assignments"]] == ["Sam Ode"]
    assert pending(begun) == {"escalate": start + 5 * MINUTE, "resolve": start + 4 * HOUR}
    unanswered = await after(6 * MINUTE - 1)
    assert [one["assignee"]["summary"] for one in unanswered["assignments"]] == ["Sam Ode"]
    escalated = await after(6 * MINUTE)
    assert [one["assignee"]["summary"] for one in escalated["assignments"]] != ["Sam Ode"]
    assert pending(escalated)["escalate"] == start + 15 * MINUTE
    taken = await after(9 * MINUTE)
    assert taken["status"] == "acknowledged"
    assert pending(taken) == {"unacknowledge": start + 38 * MINUTE, "resolve": start + 4 * HOUR}
    assert (await after(39 * MINUTE - 1))["status"] == "acknowledged"
    again = await after(39 * MINUTE)
    assert again["status"] == "triggered"
    assert again["acknowledgements"] == []
    assert "escalate" in pending(again)
    assert (await after(45 * MINUTE))["status"] == "acknowledged"
    over = await after(53 * MINUTE)
    assert (over["status"], over["pending_actions"]) == ("resolved", [])
    assert at(over["resolved_at"]) == start + 52 * MINUTE
    story = [kind(entry) for entry in (await account.logs())[over["id"]]]
    assert [one for one in story if one not in ("notify", "annotate")] == [
        "trigger", "assign", "escalate", "acknowledge", "unacknowledge", "acknowledge", "resolve",
    ]  # fmt: skip
    assert story.count("notify") >= 4


async def test_a_handoff() -> None:
    account = Account(NOW)

    async def second() -> dict[str, Any]:
        oncalls = await account.every("/oncalls")
        (found,) = [
            one for one in oncalls if one["escalation_policy"]["summary"] == "Payments" and one["escalation_level"] == 2
        ]
        return found

    await account.go_on(12 * MINUTE - 1)
    before = await second()
    assert at(before["end"]) == NOW + 12 * MINUTE
    await account.go_on(1)
    now = await second()
    assert now["user"]["summary"] == "Mei Tan" != before["user"]["summary"]
    assert (at(now["start"]), at(now["end"])) == (NOW + 12 * MINUTE, NOW + 132 * MINUTE)
    await account.go_on(2 * HOUR)
    assert (await second())["user"] == before["user"]


async def test_a_maintenance_window() -> None:
    account = Account(NOW)
    states = []
    for seconds in (20 * MINUTE - 1, 1, 30 * MINUTE - 1, 1):
        await account.go_on(seconds)
        services = {one["name"]: one for one in await account.every("/services")}
        states.append(services["pricing"]["status"])
    assert [state == "maintenance" for state in states] == [False, True, True, False]
    while account.now < NOW + 40 * HOUR:
        await account.go_on(HOUR)
    begun = [at(one["created_at"]) for one in await account.incidents() if one["service"]["summary"] == "pricing"]
    assert not [moment for moment in begun if NOW + 20 * MINUTE <= moment < NOW + 50 * MINUTE]
    assert [moment for moment in begun if moment > NOW]


async def test_somebody_is_missing() -> None:
    """There is a level that nobody covers, at any time of the night."""
    account = Account(NOW)
    policies = {one["name"]: one for one in await account.every("/escalation_policies")}
    for _ in range(3):
        oncalls = await account.every("/oncalls")
        web = {one["escalation_level"] for one in oncalls if one["escalation_policy"]["summary"] == "Web"}
        assert len(policies["Web"]["escalation_rules"]) == 3
        assert 3 not in web
        await account.go_on(4 * HOUR)


async def test_quiet() -> None:
    account = Account(NOW, "quiet")
    open_ = [one for one in await account.incidents() if one["status"] != "resolved"]
    assert [one["urgency"] for one in open_] == ["low", "low"]


async def test_storm() -> None:
    account = Account(NOW, "storm")
    recent = [one for one in await account.incidents() if at(one["created_at"]) >= NOW - 30 * MINUTE]
    assert len(recent) == 300
    assert {one["status"] for one in recent} == {"triggered", "acknowledged", "resolved"}
    await account.go_on(10 * MINUTE)
    assert len(await account.incidents()) > 310


async def test_the_service_fails_and_recovers() -> None:
    account = Account(NOW, "outage")
    seen, titles = [], set()
    for seconds in (0, MINUTE, 2 * MINUTE - 1, 1, 3 * MINUTE, MINUTE, 4 * MINUTE, 2 * MINUTE):
        await account.go_on(seconds)
        response = await account.api.get("/incidents", params={"limit": 100})
        seen.append((response.status_code, response.json().get("error", {}).get("code")))
        titles |= {one["title"] for one in response.json().get("incidents", ())}
    assert seen == [
        (200, None), (500, 2000), (500, 2000), (200, None), (429, 2020), (200, None), (500, 2000), (200, None),
    ]  # fmt: skip
    assert "Card declines doubled for one issuer" in titles


async def test_another_scenario_begins_when_it_is_chosen() -> None:
    account = Account(NOW, "quiet")
    await account.go_on(3 * HOUR)
    quiet = await account.incidents()
    chosen = await account.tell("/scenario", scenario="storm")
    assert chosen == {"scenario": "storm", "began": NOW + 3 * HOUR, "scenarios": SCENARIOS}
    storm = await account.incidents()
    assert len([one for one in storm if at(one["created_at"]) >= account.now - 30 * MINUTE]) == 300
    assert all(at(one["created_at"]) <= account.now for one in storm)
    await account.tell("/scenario", scenario="quiet")
    again = [one for one in await account.incidents() if one["status"] != "resolved"]
    assert len(again) == 2 <= len(quiet)


def test_a_scenario_that_is_none() -> None:
    with pytest.raises(UnknownScenario, match="choose quiet, busy-night, storm, outage"):
        application(scenario="calm")


@pytest.mark.parametrize(
    ("path", "body", "words"),
    [
        ("/clock", {"advance": -1}, "a number from 0"),
        ("/clock", {"advance": True}, "a number from 0"),
        ("/clock", {}, "a number from 0"),
        ("/clock", [], "must be a JSON object"),
        ("/scenario", {"scenario": "calm"}, "choose quiet"),
        ("/scenario", {}, "choose quiet"),
    ],
)
async def test_what_the_sandbox_refuses(path: str, body: Any, words: str) -> None:
    sandbox = Account(NOW).sandbox
    response = await sandbox.post(path, json=body)
    assert response.status_code == 400
    assert words in response.json()["error"]
    for content in (b"{", b"[" * 100_000):
        broken = await sandbox.post(path, content=content, headers={"Content-Type": "application/json"})
        assert broken.status_code == 400
    form = await sandbox.post(path, data={"advance": "1"})
    assert form.status_code == 415
    assert (await sandbox.get("/clock")).json() == {"now": NOW, "runs": False}


async def test_a_sandbox_that_runs_by_itself_has_the_present_time() -> None:
    transport = httpx.ASGITransport(application())
    async with httpx.AsyncClient(transport=transport, base_url="http://sandbox") as api:
        clock = (await api.get("/sandbox/clock")).json()
        later = (await api.post("/sandbox/clock", json={"advance": HOUR})).json()
    assert clock["runs"] is later["runs"] is True
    assert HOUR <= later["now"] - clock["now"] < HOUR + 30


@pytest.mark.parametrize("seed", chosen(range(3), lambda seed: seed == 1))  # 0 is a storm
async def test_clocks_match_the_logs_at_any_moment(seed: int) -> None:
    dice = random.Random(seed)
    account = Account(NOW, dice.choice(["busy-night", "storm", "quiet"]))
    for _ in range(5):
        await account.go_on(int(dice.expovariate(1 / 900)))
        await clocks.test_status_follows_from_the_log(account)
        await clocks.test_open_incidents_show_their_clocks(account)
