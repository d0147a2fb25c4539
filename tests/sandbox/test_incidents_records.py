"""The records of the incident service: their members, what they refer to, and what must not leak."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from registry.sandbox.server import application
from tests.sampled import further

NOW = 1764555240
LISTS = ("escalation_policies", "incidents", "log_entries", "oncalls", "schedules", "services", "teams", "users")
PARTS = {
    "escalation_policies": ("services", "teams", "targets", "escalation_rule_assignment_strategies"),
    "incidents": (
        "acknowledgers", "agents", "assignees", "conference_bridge", "escalation_policies", "first_trigger_log_entries",
        "priorities", "services", "teams", "users",
    ),
    "log_entries": ("incidents", "services", "channels", "teams"),
    "oncalls": ("escalation_policies", "users", "schedules"),
    "schedules": ("schedule_layers", "overrides_subschedule", "final_schedule"),
    "services": ("escalation_policies", "teams", "auto_pause_notifications_parameters", "integrations"),
    "users": ("contact_methods", "notification_rules", "teams", "subdomains"),
}  # fmt: skip
MEMBERS = {
    "incidents": {
        "id", "type", "summary", "self", "html_url", "incident_number", "title", "created_at", "updated_at", "status",
        "incident_key", "service", "assignments", "assigned_via", "last_status_change_at", "last_status_change_by",
        "resolved_at", "first_trigger_log_entry", "alert_counts", "is_mergeable", "incident_type", "escalation_policy",
        "teams", "pending_actions", "acknowledgements", "alert_grouping", "priority", "resolve_reason",
        "incidents_responders", "responder_requests", "urgency",
    },
    "services": {
        "id", "type", "summary", "self", "html_url", "name", "description", "auto_resolve_timeout",
        "acknowledgement_timeout", "created_at", "status", "last_incident_timestamp", "escalation_policy", "teams",
        "integrations", "incident_urgency_rule", "support_hours", "scheduled_actions", "addons", "alert_creation",
        "alert_grouping_parameters", "auto_pause_notifications_parameters", "response_play",
    },
    "escalation_policies": {
        "id", "type", "summary", "self", "html_url", "name", "description", "num_loops", "on_call_handoff_notifications",
        "escalation_rules", "services", "teams",
    },
    "teams": {"id", "type", "summary", "self", "html_url", "name", "description", "default_role"},
    "schedules": {
        "id", "type", "summary", "self", "html_url", "name", "time_zone", "description", "escalation_policies", "users",
        "teams",
    },
    "oncalls": {"escalation_policy", "escalation_level", "schedule", "user", "start", "end"},
    "users": {
        "id", "type", "summary", "self", "html_url", "name", "email", "time_zone", "color", "role", "avatar_url",
        "description", "invitation_sent", "job_title", "created_via_sso", "teams", "contact_methods", "notification_rules",
    },
}  # fmt: skip


def api(token: str = "user-token", now: int = NOW, seed: int = 1, *, rough: bool = False) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(application(seed=seed, now=now, rough=rough))
    headers = {"Authorization": f"Token token={token}"}
    return httpx.AsyncClient(transport=transport, base_url="http://sandbox/incidents", headers=headers)


async def get(client: httpx.AsyncClient, path: str, **params: Any) -> Any:
    response = await client.get(path, params=params or None)
    assert response.status_code == 200, response.text
    return response.json()


async def every(client: httpx.AsyncClient, name: str, **params: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    if name == "incidents":
        params["date_range"] = "all"
    while True:
        response = await get(client, f"/{name}", limit=100, offset=len(found), **params)
        found += response[name]
        if not response["more"]:
            return found


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """Every object with an id and a type, however deep."""
    if isinstance(value, dict):
        if "id" in value and "type" in value:
            yield value
        for inner in value.values():
            yield from objects(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from objects(inner)


@pytest.mark.parametrize("name", sorted(MEMBERS))
async def test_records_have_the_members_of_their_kind(name: str) -> None:
    async with api() as client:
        records = await every(client, name)
    for record in records:
        assert set(record) == MEMBERS[name]


async def test_log_entries_have_the_members_of_their_type() -> None:
    common = {
        "id", "type", "summary", "self", "html_url", "created_at", "agent", "channel", "service", "incident", "teams",
        "contexts", "note", "event_details",
    }  # fmt: skip
    more = {
        "acknowledge_log_entry": {"acknowledgement_timeout"},
        "assign_log_entry": {"assignees"},
        "custom_field_value_change_log_entry": {"changeset"},
        "delegate_log_entry": {"assignees"},
        "escalate_log_entry": {"assignees"},
        "field_value_change_log_entry": {"changeset"},
        "notify_log_entry": {"user"},
        "snooze_log_entry": {"changed_actions"},
    }
    async with api() as client:
        for entry in await every(client, "log_entries"):
            assert set(entry) == common | more.get(entry["type"], set())
            if entry["type"] == "notify_log_entry":
                assert set(entry["channel"]["notification"]) == {"type", "address", "started_at", "status", "user"}
            if entry["type"] == "annotate_log_entry":
                assert entry["note"]
                assert entry["channel"]["type"] == "note"


@pytest.mark.parametrize("full", [False, *further(True)])
async def test_every_reference_leads_to_an_object(full: bool) -> None:
    """With `self` it is found there, under the same summary; without, it is one of the kinds that have no path."""
    seen: dict[str, str] = {}
    async with api() as client:
        for name in LISTS:
            parts = {"include[]": PARTS[name]} if full and name in PARTS else {}
            for record in await every(client, name, **parts):
                for one in objects(record):
                    kind = one["type"].removesuffix("_reference")
                    if one["self"] is None:
                        assert kind.endswith(("contact_method", "notification_rule", "integration", "priority")), one
                        continue
                    assert one["html_url"].startswith("https://fernway.incidents.example/")
                    assert seen.setdefault(one["self"], one["summary"]) == one["summary"]
        assert len(seen) > 700
        for url, summary in seen.items():
            (record,) = (await get(client, url)).values()
            assert (record["self"], record["summary"]) == (url, summary)


async def test_objects_asked_for_are_given_in_full() -> None:
    def kinds(records: list[dict[str, Any]]) -> set[str]:
        return {one["type"] for record in records for inner in record.values() for one in objects(inner)}

    async with api() as client:
        plain = await every(client, "incidents")
        full = await every(client, "incidents", **{"include[]": PARTS["incidents"]})
        assert all(kind.endswith("_reference") for kind in kinds(plain))
        assert {"user", "service", "team", "escalation_policy", "priority", "trigger_log_entry"} <= kinds(full)
        assert any(one["conference_bridge"] for one in full)
        duties = await every(client, "oncalls", **{"include[]": PARTS["oncalls"]})
        assert {duty["user"]["type"] for duty in duties} == {"user"}
        policies = await every(client, "escalation_policies", **{"include[]": ["targets"]})
        targets = [target for one in policies for rule in one["escalation_rules"] for target in rule["targets"]]
        assert {target["type"] for target in targets} == {"user", "schedule"}
        number = next(one["incident_number"] for one in plain if one["incidents_responders"])
        params = {"include[]": ["custom_fields", "body", "users"]}
        incident = (await get(client, f"/incidents/{number}", **params))["incident"]
        assert incident["body"]["type"] == "incident_body"
        assert isinstance(incident["custom_fields"], list)
        assert incident["incidents_responders"][0]["user"]["type"] == "user"


async def test_the_account_holds_what_it_should() -> None:
    async with api() as client:
        policies = await every(client, "escalation_policies")
        assert len(policies) >= 6
        assert {len(one["escalation_rules"]) for one in policies} == {2, 3, 4}
        assert {one["num_loops"] for one in policies} == {0, 1, 2}
        assert any(not one["services"] for one in policies)
        assert all(len(one["teams"]) <= 1 for one in policies)
        rules = [rule for one in policies for rule in one["escalation_rules"]]
        assert {rule["escalation_rule_assignment_strategy"] for rule in rules} == {"round_robin", "assign_to_everyone"}
        teams = await every(client, "teams")
        assert [one["name"] for one in teams if one["default_role"] == "none"] == ["Finance"]
        assert len(await every(client, "services")) >= 8
        assert len(await every(client, "schedules")) >= 5
        users = await every(client, "users")
        assert len({one["role"] for one in users}) >= 7
        assert any(one["time_zone"] is None for one in users)
        assert any("blacklisted" in str(one) for one in await every(client, "users", **{"include[]": ["contact_methods"]}))
        incidents = await every(client, "incidents")
        assert 55 <= len(incidents) <= 70
        assert any(one["resolve_reason"] for one in incidents)
        assert {one["incident_type"]["name"] for one in incidents} == {"incident_default", "major_incident"}
        numbers = [one["incident_number"] for one in incidents]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


async def test_titles_are_told_as_they_are() -> None:
    async with api(rough=True) as client:
        titles = {one["title"]: one for one in await every(client, "incidents")}
    everything = "\n".join(titles)
    for piece in (
        "\x1b[31m",
        "\x1b]0;",
        "\x1b]8;;",
        "\u202e",
        "[@click=app.quit]",
        "[/x]",
        "決済",
        "ارتفاع",
        "👩‍💻",
        '"it\'s down"',
        "\x00",
    ):
        assert piece in everything
    assert max(len(title) for title in titles) == 300
    for title, incident in titles.items():
        assert incident["summary"] == f"[#{incident['incident_number']}] {title}"
    strange = [title for title in titles if not title.isprintable() or not title.isascii() or "[" in title]
    assert len(strange) < len(titles) / 3


async def test_channels_are_of_the_types_that_the_documents_name() -> None:
    """A service acts through other channels than a person."""
    named = {
        "service_reference": {"auto", "email", "api", "nagios", "timeout"},
        "user_reference": {"email", "sms", "website", "web_trigger", "note"},
    }
    async with api() as client:
        entries = await every(client, "log_entries")
    assert all(one["channel"]["type"] in named[one["agent"]["type"]] for one in entries)
    assert len({(one["agent"]["type"], one["channel"]["type"]) for one in entries}) >= 8


async def test_an_incident_goes_by_id_and_by_number() -> None:
    async with api() as client:
        for incident in (await every(client, "incidents"))[::7]:
            by_id = await get(client, f"/incidents/{incident['id']}")
            assert by_id == await get(client, f"/incidents/{incident['incident_number']}") == {"incident": incident}


async def test_only_the_own_profile_carries_secret_addresses() -> None:
    parts = {"include[]": ["contact_methods", "notification_rules", "teams", "subdomains"]}
    async with api() as client:
        me = (await get(client, "/users/me", **parts))["user"]
        assert (me["email"], me["subdomains"]) == ("sam.ode@fernway.example", ["fernway"])
        assert me["http_cal_url"].startswith("https://")
        assert me["web_cal_url"].startswith("webcal://")
        assert {one["type"] for one in me["contact_methods"]} == {
            "email_contact_method", "phone_contact_method", "sms_contact_method", "push_notification_contact_method",
        }  # fmt: skip
        rule = me["notification_rules"][0]
        assert (rule["type"], rule["start_delay_in_minutes"], rule["urgency"]) == ("assignment_notification_rule", 0, "high")
        assert rule["contact_method"]["id"] in {one["id"] for one in me["contact_methods"]}
        assert (await get(client, f"/users/{me['id']}", **parts))["user"] == me
        secret = me["http_cal_url"].split("/")[-2]
        for path in ("/users", "/incidents", "/oncalls", "/log_entries"):
            params = {"include[]": "users"} if path in ("/incidents", "/oncalls") else {}
            text = (await client.get(path, params={"limit": 100, **params})).text
            assert secret not in text
            assert "_cal_url" not in text
    async with api(token="account-1") as client:
        user = (await get(client, f"/users/{me['id']}"))["user"]
        assert set(user) == MEMBERS["users"]


async def test_team_members_have_a_role_in_their_team() -> None:
    async with api() as client:
        users = {one["id"]: one for one in await every(client, "users")}
        roles = set()
        for team in await every(client, "teams"):
            response = await get(client, f"/teams/{team['id']}/members")
            members = {one["user"]["id"]: one["role"] for one in response["members"]}
            roles |= set(members.values())
            assert set(members) == {id_ for id_, one in users.items() if team["id"] in [own["id"] for own in one["teams"]]}
        assert roles == {"manager", "responder", "observer"}
        full = await get(client, f"/teams/{team['id']}/members", **{"include[]": "users"})
        assert all(one["user"]["type"] == "user" for one in full["members"])


async def test_ids_depend_on_the_seed_and_not_on_the_moment() -> None:
    async def ids(client: httpx.AsyncClient) -> list[tuple[str, Any]]:
        async with client:
            names = [name for name in LISTS if name not in ("log_entries", "oncalls")]
            records = [record for name in names for record in await every(client, name)]
        return [(record["id"], record.get("incident_number")) for record in records]

    here = await ids(api())
    assert here == await ids(api()) == await ids(api(now=NOW + 98_765_432))
    assert not set(here) & set(await ids(api(seed=2)))
    assert len({id_ for id_, _ in here}) == len(here)


async def test_no_vendor_is_named() -> None:
    async with api() as client:
        for name in LISTS:
            parts = {"include[]": PARTS[name]} if name in PARTS else {}
            text = str(await every(client, name, **parts)).lower()
            assert "pagerduty" not in text
