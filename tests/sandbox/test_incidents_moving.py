"""The incident service's world goes on with its clock: what a scenario has written down happens, to the second."""

import random
from typing import Any

import pytest

from registry.sandbox.clock import SCENARIOS, UnknownScenario
from registry.sandbox.server import application
from tests.sampled import chosen
from tests.sandbox import test_incidents_clocks as clocks
from tests.sandbox.incidents import Incidents, at
from tests.sandbox.test_incidents_clocks import kind, logs_of, pending

NOW = 1764555240
MINUTE, HOUR = 60, 3600


def told(account: Incidents) -> dict[str, Any]:
    """All incidents and log entries by id."""
    return {one["id"]: one for one in (*account.all("incidents"), *account.all("log_entries"))}


@pytest.mark.parametrize(
    ("scenario", "pace"), chosen([("quiet", 10), ("busy-night", 10), ("storm", 1)], lambda one: one[0] == "busy-night")
)
def test_it_makes_no_difference_how_often_one_looks(scenario: str, pace: int) -> None:
    at_once, in_steps = Incidents(NOW, scenario=scenario), Incidents(NOW, scenario=scenario)
    earlier = told(in_steps)
    at_once.go_on(1_280 * pace)
    while in_steps.now < at_once.now:
        in_steps.go_on(min(13 * pace, at_once.now - in_steps.now))
        in_steps.get("/incidents")
    late, later = told(at_once), told(in_steps)
    assert late == later
    assert earlier.keys() <= later.keys()
    assert len(later) > len(earlier)
    logged = [id_ for id_ in earlier if id_.startswith("R")]
    assert [earlier[id_] for id_ in logged] == [later[id_] for id_ in logged]


def test_an_alert_that_nobody_answers() -> None:
    """From its beginning to its end, every step at its second."""
    account = Incidents(NOW)
    title = "Card declines doubled for one issuer"

    def incident() -> dict[str, Any] | None:
        found = account.get("/incidents", limit=100, since="2025-11-30T00:00:00Z")
        return next((one for one in found["incidents"] if one["title"] == title), None)

    def after(seconds: int) -> dict[str, Any]:
        account.go_on(NOW + seconds - account.now)
        found = incident()
        assert found is not None
        return found

    account.go_on(MINUTE - 1)
    assert incident() is None
    begun = after(MINUTE)
    start = NOW + MINUTE
    assert begun["status"] == "triggered"
    assert [one["assignee"]["summary"] for one in begun["assignments"]] == ["Sam Ode"]
    assert pending(begun) == {"escalate": start + 5 * MINUTE, "resolve": start + 4 * HOUR}
    unanswered = after(6 * MINUTE - 1)
    assert [one["assignee"]["summary"] for one in unanswered["assignments"]] == ["Sam Ode"]
    escalated = after(6 * MINUTE)
    assert [one["assignee"]["summary"] for one in escalated["assignments"]] != ["Sam Ode"]
    assert pending(escalated)["escalate"] == start + 15 * MINUTE
    taken = after(9 * MINUTE)
    assert taken["status"] == "acknowledged"
    assert pending(taken) == {"unacknowledge": start + 38 * MINUTE, "resolve": start + 4 * HOUR}
    assert (after(39 * MINUTE - 1))["status"] == "acknowledged"
    again = after(39 * MINUTE)
    assert again["status"] == "triggered"
    assert again["acknowledgements"] == []
    assert "escalate" in pending(again)
    assert (after(45 * MINUTE))["status"] == "acknowledged"
    over = after(53 * MINUTE)
    assert (over["status"], over["pending_actions"]) == ("resolved", [])
    assert at(over["resolved_at"]) == start + 52 * MINUTE
    story = [kind(entry) for entry in logs_of(account)[over["id"]]]
    assert [one for one in story if one not in ("notify", "annotate")] == [
        "trigger", "assign", "escalate", "acknowledge", "unacknowledge", "acknowledge", "resolve",
    ]  # fmt: skip
    assert story.count("notify") >= 4


def test_the_service_fails_and_recovers() -> None:
    account = Incidents(NOW, scenario="outage")
    seen, titles = [], set()
    for seconds in (0, MINUTE, 2 * MINUTE - 1, 1, 3 * MINUTE, MINUTE, 4 * MINUTE, 2 * MINUTE):
        account.go_on(seconds)
        response = account.send("GET", "/incidents", params={"limit": 100})
        seen.append((response.status_code, response.json().get("error", {}).get("code")))
        titles |= {one["title"] for one in response.json().get("incidents", ())}
    assert seen == [
        (200, None), (500, 2000), (500, 2000), (200, None), (429, 2020), (200, None), (500, 2000), (200, None),
    ]  # fmt: skip
    assert "Card declines doubled for one issuer" in titles


def test_another_scenario_begins_when_it_is_chosen() -> None:
    account = Incidents(NOW, scenario="quiet")
    account.go_on(3 * HOUR)
    quiet = account.all("incidents")
    chosen = account.tell("/scenario", scenario="storm")
    assert chosen == {"scenario": "storm", "began": NOW + 3 * HOUR, "scenarios": SCENARIOS}
    storm = account.all("incidents")
    assert len([one for one in storm if at(one["created_at"]) >= account.now - 30 * MINUTE]) == 300
    assert all(at(one["created_at"]) <= account.now for one in storm)
    account.tell("/scenario", scenario="quiet")
    again = [one for one in account.all("incidents") if one["status"] != "resolved"]
    assert len(again) == 2 <= len(quiet)


def test_a_scenario_that_is_none() -> None:
    with pytest.raises(UnknownScenario, match="choose quiet, busy-night, storm, outage"):
        application(scenario="calm")


@pytest.mark.parametrize("seed", chosen(range(3), lambda seed: seed == 1))  # 0 is a storm
def test_clocks_match_the_logs_at_any_moment(seed: int) -> None:
    dice = random.Random(seed)
    account = Incidents(NOW, scenario=dice.choice(["busy-night", "storm", "quiet"]))
    for _ in range(5):
        account.go_on(int(dice.expovariate(1 / 900)))
        clocks.test_status_follows_from_the_log(account)
        clocks.test_open_incidents_show_their_clocks(account)


def test_a_maintenance_window() -> None:
    account = Incidents(NOW)
    states = []
    for seconds in (20 * MINUTE - 1, 1, 30 * MINUTE - 1, 1):
        account.go_on(seconds)
        services = {one["name"]: one for one in account.all("services")}
        states.append(services["pricing"]["status"])
    assert [state == "maintenance" for state in states] == [False, True, True, False]
    while account.now < NOW + 40 * HOUR:
        account.go_on(HOUR)
    begun = [at(one["created_at"]) for one in account.all("incidents") if one["service"]["summary"] == "pricing"]
    assert not [moment for moment in begun if NOW + 20 * MINUTE <= moment < NOW + 50 * MINUTE]
    assert [moment for moment in begun if moment > NOW]
