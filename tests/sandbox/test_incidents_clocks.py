"""What incidents say about themselves agrees with their log, their service's timeouts and their policy's levels."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from typing import Any

import httpx
import pytest

from registry.sandbox.server import application

MOMENTS = {
    "a winter night": 1764555240,
    "the night the clocks go forward": 1774747200,
    "a summer noon": 1785405600,
    "a Sunday": 1780817400,
}


class Account:
    """The whole account as a client sees it; what was read is not asked for again until the sandbox is told something."""

    def __init__(self, now: int, scenario: str = "busy-night") -> None:
        self.now = now
        self.moved = False
        self._read: dict[str, list[dict[str, Any]]] = {}
        transport = httpx.ASGITransport(application(seed=1, now=now, scenario=scenario))
        self.sandbox = httpx.AsyncClient(transport=transport, base_url="http://sandbox/sandbox")
        headers = {"Authorization": "Token token=user-token"}
        self.api = httpx.AsyncClient(transport=transport, base_url="http://sandbox/incidents", headers=headers)

    async def every(self, path: str, **params: Any) -> list[dict[str, Any]]:
        asked = f"{path} {params}"
        if asked not in self._read:
            self._read[asked] = await self._pages(path, params)
        return self._read[asked]

    async def _pages(self, path: str, params: dict[str, Any]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        while True:
            response = (await self.api.get(path, params={"limit": 100, "offset": len(found), **params})).json()
            (name,) = set(response) - {"limit", "offset", "more", "total"}
            found += response[name]
            if not response["more"]:
                return found

    async def logs(self) -> dict[str, list[dict[str, Any]]]:
        by_incident = defaultdict(list)
        for entry in await self.every("/log_entries"):
            by_incident[entry["incident"]["id"]].append(entry)
        return {id_: entries[::-1] for id_, entries in by_incident.items()}

    async def incidents(self) -> list[dict[str, Any]]:
        return await self.every("/incidents", date_range="all")

    async def by_id(self, path: str) -> dict[str, dict[str, Any]]:
        return {one["id"]: one for one in await self.every(path)}

    async def go_on(self, seconds: int) -> None:
        """Move the sandbox's clock."""
        self.now = (await self.tell("/clock", advance=seconds))["now"]
        self.moved = True

    async def tell(self, path: str, **words: Any) -> Any:
        """Change the sandbox."""
        response = await self.sandbox.post(path, json=words)
        self._read.clear()
        return response.json()


LATER = {"an hour and a half into the night": 5_400, "a night of ten hours": 36_000}


@pytest.fixture(scope="module")
def accounts() -> dict[str, Account]:
    """By their moments, made when first asked for: every test here only reads."""
    return {}


@pytest.fixture(params=[*MOMENTS, *LATER], ids=str)
async def account(request: pytest.FixtureRequest, accounts: dict[str, Account]) -> Account:
    name = request.param
    if name not in accounts:
        accounts[name] = Account(MOMENTS.get(name, MOMENTS["a winter night"]))
        if name in LATER:
            await accounts[name].go_on(LATER[name])
    return accounts[name]


def at(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp())


def kind(entry: dict[str, Any]) -> str:
    return str(entry["type"]).removesuffix("_log_entry")


def pending(incident: dict[str, Any]) -> dict[str, int]:
    return {action["type"]: at(action["at"]) for action in incident["pending_actions"]}


def last(entries: list[dict[str, Any]], *kinds: str) -> dict[str, Any] | None:
    return next((entry for entry in reversed(entries) if kind(entry) in kinds), None)


def changes_level(entry: dict[str, Any]) -> bool:
    return kind(entry) in ("assign", "delegate", "escalate")


async def test_status_follows_from_the_log(account: Account) -> None:
    after = {
        "trigger": "triggered",
        "acknowledge": "acknowledged",
        "snooze": "acknowledged",
        "unacknowledge": "triggered",
        "delegate": "triggered",
        "resolve": "resolved",
    }
    logs = await account.logs()
    for incident in await account.incidents():
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


async def test_what_is_resolved_waits_for_nothing(account: Account) -> None:
    logs = await account.logs()
    resolved = [one for one in await account.incidents() if one["status"] == "resolved"]
    assert len(resolved) > 40
    for incident in resolved:
        entry = last(logs[incident["id"]], "resolve")
        assert entry is not None
        assert incident["assignments"] == incident["acknowledgements"] == incident["pending_actions"] == []
        assert at(incident["resolved_at"]) == at(incident["last_status_change_at"]) == at(entry["created_at"])
        assert incident["last_status_change_by"]["id"] == entry["agent"]["id"]
        assert incident["alert_counts"]["triggered"] == 0
        assert not incident["is_mergeable"]


async def test_open_incidents_show_their_clocks(account: Account) -> None:
    logs, services = await account.logs(), await account.by_id("/services")
    for incident in await account.incidents():
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


async def test_escalation_keeps_the_times_of_the_policy(account: Account) -> None:
    """Every level was left after its delay, and the next time that one will be is announced."""
    logs, policies = await account.logs(), await account.by_id("/escalation_policies")
    announced = 0
    for incident in await account.incidents():
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
            assert due - start in await delays_of(account, incident, rules, holders, start)
        elif incident["status"] == "triggered" and incident["urgency"] == "high":
            given_up = last(entries, "exhaust_escalation_path", "unacknowledge", "urgency_change")
            assert (
                incident["assigned_via"] == "direct_assignment" or kind(given_up or {"type": ""}) == "exhaust_escalation_path"
            )
    assert announced >= (1 if account.moved else 4)


async def test_what_somebody_assigns_by_hand_does_not_escalate(account: Account) -> None:
    by_hand = 0
    for entries in (await account.logs()).values():
        direct = False
        for entry in entries:
            assert not (direct and kind(entry) == "escalate"), entry["incident"]["summary"]
            if kind(entry) in ("assign", "delegate"):
                direct = kind(entry) == "assign" and entry["agent"]["type"] == "user_reference"
                by_hand += direct
    assert by_hand >= 3


async def test_a_level_that_hands_out_in_turn_reaches_one_person_at_a_time(account: Account) -> None:
    logs, policies = await account.logs(), await account.by_id("/escalation_policies")
    reached: dict[str, set[str]] = defaultdict(set)
    for incident in await account.incidents():
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


async def delays_of(
    account: Account, incident: dict[str, Any], rules: list[dict[str, Any]], holders: set[str], moment: int
) -> set[int]:
    """Delays of the levels that could have given the incident to its holders when they got it."""
    got_it = min(at(one["at"]) for one in incident["assignments"])
    assert got_it <= moment
    when = datetime.fromtimestamp(got_it).astimezone().isoformat()
    params = {"since": when, "until": when, "escalation_policy_ids[]": incident["escalation_policy"]["id"]}
    found: dict[int, set[str]] = defaultdict(set)
    for duty in await account.every("/oncalls", **params):
        found[duty["escalation_level"]].add(duty["user"]["id"])
    levels = [level for level, people in found.items() if holders <= people]
    assert levels, incident["title"]
    return {rules[level - 1]["escalation_delay_in_minutes"] * 60 for level in levels}


async def test_only_people_it_is_assigned_to_are_told_and_only_until_they_answer(account: Account) -> None:
    logs = await account.logs()
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


async def test_assignments_are_those_of_the_log(account: Account) -> None:
    logs = await account.logs()
    for incident in await account.incidents():
        if incident["status"] == "resolved":
            continue
        given = next(entry for entry in reversed(logs[incident["id"]]) if changes_level(entry))
        assert [one["assignee"]["id"] for one in incident["assignments"]] == [one["id"] for one in given["assignees"]]
        assert {at(one["at"]) for one in incident["assignments"]} == {at(given["created_at"])}
        by_hand = kind(given) == "assign" and given["agent"]["type"] == "user_reference"
        assert (incident["assigned_via"] == "direct_assignment") == by_hand


async def test_service_status_follows_from_its_open_incidents(account: Account) -> None:
    statuses, latest = defaultdict(set), dict[str, int]()
    for incident in await account.incidents():
        id_ = incident["service"]["id"]
        statuses[id_].add(incident["status"])
        latest[id_] = max(latest.get(id_, 0), at(incident["created_at"]))
    services = await account.every("/services")
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


async def test_low_urgency_waits_for_support_hours_and_pages_nobody(account: Account) -> None:
    logs, services = await account.logs(), await account.by_id("/services")
    waiting = 0
    for incident in await account.incidents():
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


@pytest.mark.parametrize("account", MOMENTS, indirect=True)
async def test_the_situation_has_one_of_each_kind(account: Account) -> None:
    logs = await account.logs()
    open_ = [one for one in await account.incidents() if one["status"] != "resolved"]
    day = 24 * 3600
    age = {one["id"]: account.now - at(one["created_at"]) for one in open_}
    since = {one["id"]: account.now - at(one["last_status_change_at"]) for one in open_}
    found = {
        "triggered, high": [one for one in open_ if (one["status"], one["urgency"]) == ("triggered", "high")],
        "triggered, low": [one for one in open_ if (one["status"], one["urgency"]) == ("triggered", "low")],
        "acknowledged, low": [one for one in open_ if (one["status"], one["urgency"]) == ("acknowledged", "low")],
        "with priority": [one for one in open_ if one["priority"]],
        "without priority": [one for one in open_ if one["priority"] is None],
        "assigned by hand": [one for one in open_ if one["assigned_via"] == "direct_assignment"],
        "snoozed": [one for one in open_ if kind(last(logs[one["id"]], "acknowledge", "snooze") or {"type": ""}) == "snooze"],
        "acknowledged nine hours ago": [
            one for one in open_ if one["status"] == "acknowledged" and since[one["id"]] == 9 * 3600
        ],
        "forty days old": [one for one in open_ if age[one["id"]] > 40 * day],
        "given up": [one for one in open_ if any(kind(e) == "exhaust_escalation_path" for e in logs[one["id"]])],
        "started over": [one for one in open_ if any(kind(e) == "repeat_escalation_path" for e in logs[one["id"]])],
        "on its second level": [one for one in open_ if any(kind(e) == "escalate" for e in logs[one["id"]])],
        "acknowledgement ran out": [
            one for one in open_ if one["status"] == "triggered" and any(kind(e) == "unacknowledge" for e in logs[one["id"]])
        ],
        "handed on": [one for one in open_ if any(kind(e) == "delegate" for e in logs[one["id"]])],
        "two assignees": [one for one in open_ if len(one["assignments"]) == 2],
        "responders": [one for one in open_ if one["incidents_responders"]],
        "Sam's, unanswered": [
            one for one in open_ if one["assignments"][0]["assignee"]["summary"] == "Sam Ode" and one["status"] == "triggered"
        ],
    }
    assert [name for name, incidents in found.items() if not incidents] == []


async def test_every_type_of_log_entry_occurs(account: Account) -> None:
    types = {kind(entry) for entries in (await account.logs()).values() for entry in entries}
    assert types == {
        "acknowledge",
        "annotate",
        "assign",
        "custom_field_value_change",
        "delegate",
        "escalate",
        "exhaust_escalation_path",
        "field_value_change",
        "notify",
        "reach_ack_limit",
        "reach_trigger_limit",
        "repeat_escalation_path",
        "resolve",
        "snooze",
        "trigger",
        "unacknowledge",
        "urgency_change",
    }
