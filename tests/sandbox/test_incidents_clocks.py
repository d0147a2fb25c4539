"""What incidents say about themselves agrees with their log, their service's timeouts and their policy's levels."""

from collections import defaultdict
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
