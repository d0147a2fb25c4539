"""What incidents say about themselves agrees with their log, their service's timeouts and their policy's levels."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from typing import Any

import pytest

from tests.sandbox.incidents import Incidents, at

MOMENTS = {
    "a winter night": 1764555240,
    "the night the clocks go forward": 1774747200,
    "a summer noon": 1785405600,
    "a Sunday": 1780817400,
}


LATER = {"an hour and a half into the night": 5_400, "a night of ten hours": 36_000}


@pytest.fixture(scope="module")
def accounts() -> dict[str, Incidents]:
    """By their moments, made when first asked for: every test here only reads."""
    return {}


@pytest.fixture(params=[*MOMENTS, *LATER], ids=str)
def account(request: pytest.FixtureRequest, accounts: dict[str, Incidents]) -> Incidents:
    name = request.param
    if name not in accounts:
        accounts[name] = Incidents(MOMENTS.get(name, MOMENTS["a winter night"]))
        if name in LATER:
            accounts[name].go_on(LATER[name])
    return accounts[name]


def logs_of(account: Incidents) -> dict[str, list[dict[str, Any]]]:
    """The log of each incident, oldest first."""
    by_incident = defaultdict(list)
    for entry in reversed(account.all("log_entries")):
        by_incident[entry["incident"]["id"]].append(entry)
    return by_incident


def by_id(account: Incidents, name: str) -> dict[str, dict[str, Any]]:
    return {one["id"]: one for one in account.all(name)}


def kind(entry: dict[str, Any]) -> str:
    return str(entry["type"]).removesuffix("_log_entry")


def pending(incident: dict[str, Any]) -> dict[str, int]:
    return {action["type"]: at(action["at"]) for action in incident["pending_actions"]}


def last(entries: list[dict[str, Any]], *kinds: str) -> dict[str, Any] | None:
    return next((entry for entry in reversed(entries) if kind(entry) in kinds), None)


def changes_level(entry: dict[str, Any]) -> bool:
    return kind(entry) in ("assign", "delegate", "escalate")


def test_status_follows_from_the_log(account: Incidents) -> None:
    after = {
        "trigger": "triggered",
        "acknowledge": "acknowledged",
        "snooze": "acknowledged",
        "unacknowledge": "triggered",
        "delegate": "triggered",
        "resolve": "resolved",
    }
    logs = logs_of(account)
    for incident in account.all("incidents"):
        entries = logs[incident["id"]]
        # Further alerts are logged as triggers too, and change nothing.
        story = [
            after[kind(entry)]
            for entry in (entries[0], *(one for one in entries if kind(one) != "trigger"))
            if kind(entry) in after
        ]
        assert incident["status"] == story[-1], incident["title"]
        assert kind(entries[0]) == "trigger"
        assert entries[0]["id"] == incident["first_trigger_log_entry"]["id"]
        assert at(entries[0]["created_at"]) == at(incident["created_at"]) <= account.now
        assert at(entries[-1]["created_at"]) == at(incident["updated_at"]) <= account.now
        assert [at(entry["created_at"]) for entry in entries] == sorted(at(entry["created_at"]) for entry in entries)
        assert story.count("resolved") == (incident["status"] == "resolved")


def test_open_incidents_show_their_clocks(account: Incidents) -> None:
    logs, services = logs_of(account), by_id(account, "services")
    for incident in account.all("incidents"):
        if incident["status"] == "resolved":
            continue
        service, entries, clocks = services[incident["service"]["id"]], logs[incident["id"]], pending(incident)
        assert all(moment > account.now for moment in clocks.values()), incident["title"]
        timeout = service["auto_resolve_timeout"]
        assert clocks.get("resolve") == (None if timeout is None else at(incident["created_at"]) + timeout)
        assert incident["resolved_at"] is None
        assert incident["assignments"]
        if incident["status"] == "triggered":
            assert incident["acknowledgements"] == []
            assert "unacknowledge" not in clocks
            continue
        assert "escalate" not in clocks
        taken = last(entries, "acknowledge", "snooze")
        assert taken is not None
        assert at(incident["last_status_change_at"]) == at(taken["created_at"])
        assert taken["agent"]["id"] in [one["acknowledger"]["id"] for one in incident["acknowledgements"]]
        if kind(taken) == "snooze":
            assert clocks["unacknowledge"] == at(taken["changed_actions"][0]["at"])
        elif service["acknowledgement_timeout"] is None:
            assert "unacknowledge" not in clocks
        else:
            assert taken["acknowledgement_timeout"] == service["acknowledgement_timeout"]
            assert clocks["unacknowledge"] == at(taken["created_at"]) + service["acknowledgement_timeout"]


def test_escalation_keeps_the_times_of_the_policy(account: Incidents) -> None:
    """Every level was left after its delay, and the next time that one will be is announced."""
    logs, policies = logs_of(account), by_id(account, "escalation_policies")
    announced = 0
    for incident in account.all("incidents"):
        entries = logs[incident["id"]]
        if any(kind(entry) == "delegate" for entry in entries):
            continue
        rules = policies[incident["escalation_policy"]["id"]]["escalation_rules"]
        delays = {rule["escalation_delay_in_minutes"] * 60 for rule in rules}
        start = None
        for entry in entries:
            if kind(entry) in ("escalate", "exhaust_escalation_path"):
                assert start is not None
                assert at(entry["created_at"]) - start in delays, incident["title"]
            if changes_level(entry) or kind(entry) in ("unacknowledge", "urgency_change"):
                start = at(entry["created_at"])
        due = pending(incident).get("escalate")
        if due is not None:
            announced += 1
            assert start is not None
            assert incident["urgency"] == "high"
            assert incident["assigned_via"] == "escalation_policy"
            holders = {one["assignee"]["id"] for one in incident["assignments"]}
            assert due - start in delays_of(account, incident, rules, holders, start)
        elif incident["status"] == "triggered" and incident["urgency"] == "high":
            given_up = last(entries, "exhaust_escalation_path", "unacknowledge", "urgency_change")
            assert (
                incident["assigned_via"] == "direct_assignment" or kind(given_up or {"type": ""}) == "exhaust_escalation_path"
            )
    assert announced >= (1 if account.moved else 4)


def test_a_level_that_hands_out_in_turn_reaches_one_person_at_a_time(account: Incidents) -> None:
    logs, policies = logs_of(account), by_id(account, "escalation_policies")
    reached: dict[str, set[str]] = defaultdict(set)
    for incident in account.all("incidents"):
        rules = policies[incident["escalation_policy"]["id"]]["escalation_rules"]
        in_turn = [rule for rule in rules if rule["escalation_rule_assignment_strategy"] == "round_robin"]
        for rule in in_turn:
            people = {target["id"] for target in rule["targets"]}
            for entry in logs[incident["id"]]:
                holders = {one["id"] for one in entry["assignees"]} if kind(entry) == "escalate" else set()
                if holders & people:
                    assert len(holders) == 1
                    reached[rule["id"]] |= holders
    assert [len(people) > 1 for people in reached.values()] == [True]


def delays_of(
    account: Incidents, incident: dict[str, Any], rules: list[dict[str, Any]], holders: set[str], moment: int
) -> set[int]:
    """Delays of the levels that could have given the incident to its holders when they got it."""
    got_it = min(at(one["at"]) for one in incident["assignments"])
    assert got_it <= moment
    when = datetime.fromtimestamp(got_it).astimezone().isoformat()
    params = {"since": when, "until": when, "escalation_policy_ids[]": incident["escalation_policy"]["id"]}
    found: dict[int, set[str]] = defaultdict(set)
    for duty in account.all("oncalls", **params):
        found[duty["escalation_level"]].add(duty["user"]["id"])
    levels = [level for level, people in found.items() if holders <= people]
    assert levels, incident["title"]
    return {rules[level - 1]["escalation_delay_in_minutes"] * 60 for level in levels}


def test_only_people_it_is_assigned_to_are_told_and_only_until_they_answer(account: Incidents) -> None:
    logs = logs_of(account)
    told = 0
    for entries in logs.values():
        holders: set[str] = set()
        answered = False
        for entry in entries:
            if changes_level(entry):
                holders, answered = {one["id"] for one in entry["assignees"]}, False
            elif kind(entry) in ("acknowledge", "snooze", "resolve"):
                answered = True
            elif kind(entry) == "unacknowledge":
                answered = False
            elif kind(entry) == "notify":
                told += 1
                assert not answered
                assert entry["user"]["id"] in holders
                assert entry["channel"]["notification"]["user"]["id"] == entry["user"]["id"]
    assert told > 100


def test_assignments_are_those_of_the_log(account: Incidents) -> None:
    logs = logs_of(account)
    for incident in account.all("incidents"):
        if incident["status"] == "resolved":
            continue
        given = next(entry for entry in reversed(logs[incident["id"]]) if changes_level(entry))
        assert [one["assignee"]["id"] for one in incident["assignments"]] == [one["id"] for one in given["assignees"]]
        assert {at(one["at"]) for one in incident["assignments"]} == {at(given["created_at"])}
        by_hand = kind(given) == "assign" and given["agent"]["type"] == "user_reference"
        assert (incident["assigned_via"] == "direct_assignment") == by_hand


def test_service_status_follows_from_its_open_incidents(account: Incidents) -> None:
    statuses, latest = defaultdict(set), dict[str, int]()
    for incident in account.all("incidents"):
        id_ = incident["service"]["id"]
        statuses[id_].add(incident["status"])
        latest[id_] = max(latest.get(id_, 0), at(incident["created_at"]))
    services = account.all("services")
    assert {one["status"] for one in services} == {"active", "warning", "critical", "maintenance", "disabled"}
    for service in services:
        known = statuses[service["id"]]
        stamp = service["last_incident_timestamp"]
        assert (stamp and at(stamp)) == latest.get(service["id"])
        if service["status"] in ("maintenance", "disabled"):
            assert not known & {"triggered", "acknowledged"}
        else:
            expected = "critical" if "triggered" in known else "warning" if "acknowledged" in known else "active"
            assert service["status"] == expected, service["name"]


def test_low_urgency_waits_for_support_hours_and_pages_nobody(account: Incidents) -> None:
    logs, services = logs_of(account), by_id(account, "services")
    waiting = 0
    for incident in account.all("incidents"):
        if incident["status"] == "resolved" or incident["urgency"] == "high":
            continue
        assert "escalate" not in pending(incident)
        if "urgency_change" in pending(incident):
            waiting += 1
            hours = services[incident["service"]["id"]]["support_hours"]
            (action,) = [one for one in incident["pending_actions"] if one["type"] == "urgency_change"]
            assert action["to"] == "high"
            assert hours["days_of_week"] == [1, 2, 3, 4, 5]
        if not any(kind(entry) == "urgency_change" for entry in logs[incident["id"]]):
            ways = {entry["channel"]["notification"]["type"] for entry in logs[incident["id"]] if kind(entry) == "notify"}
            assert ways <= {"email"}
    assert waiting or account.moved
