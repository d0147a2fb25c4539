"""The records of the incident service: what they refer to, and what must not leak."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.sampled import further
from tests.sandbox.incidents import LISTS, Incidents
from tests.sandbox.test_answers import PARTS

NOW = 1764555240


@pytest.fixture(scope="module")
def client() -> Incidents:
    """Every test here only reads."""
    return Incidents(NOW)


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


@pytest.mark.parametrize("full", [True, *further(False)])
def test_every_reference_leads_to_an_object(client: Incidents, full: bool) -> None:
    """With `self` it is found there, under the same summary; without, it is one of the kinds that have no path."""
    seen: dict[str, str] = {}
    for name in LISTS:
        parts = {"include[]": PARTS[name].split()} if full and name in PARTS else {}
        for record in client.all(name, **parts):
            for one in objects(record):
                kind = one["type"].removesuffix("_reference")
                if one["self"] is None:
                    assert kind.endswith(("contact_method", "notification_rule", "integration", "priority")), one
                    continue
                assert one["html_url"].startswith("https://fernway.incidents.example/")
                assert seen.setdefault(one["self"], one["summary"]) == one["summary"]
    assert len(seen) > 700
    for url, summary in list(seen.items())[::5]:
        (record,) = client.get(url.removeprefix("http://sandbox/incidents")).values()
        assert (record["self"], record["summary"]) == (url, summary)


def test_only_the_own_profile_carries_secret_addresses(client: Incidents) -> None:
    parts = {"include[]": ["contact_methods", "notification_rules", "teams", "subdomains"]}
    me = client.get("/users/me", **parts)["user"]
    assert (me["email"], me["subdomains"]) == ("sam.ode@fernway.example", ["fernway"])
    assert me["http_cal_url"].startswith("https://")
    assert me["web_cal_url"].startswith("webcal://")
    assert {one["type"] for one in me["contact_methods"]} == {
        "email_contact_method", "phone_contact_method", "sms_contact_method", "push_notification_contact_method",
    }  # fmt: skip
    rule = me["notification_rules"][0]
    assert (rule["type"], rule["start_delay_in_minutes"], rule["urgency"]) == ("assignment_notification_rule", 0, "high")
    assert rule["contact_method"]["id"] in {one["id"] for one in me["contact_methods"]}
    assert client.get(f"/users/{me['id']}", **parts)["user"] == me
    secret = me["http_cal_url"].split("/")[-2]
    for path in ("/users", "/incidents", "/oncalls", "/log_entries"):
        params = {"include[]": "users"} if path in ("/incidents", "/oncalls") else {}
        text = client.send("GET", path, params={"limit": 100, **params}).text
        assert secret not in text
        assert "_cal_url" not in text


def test_ids_depend_on_the_seed_and_not_on_the_moment() -> None:
    def ids(client: Incidents) -> list[tuple[str, Any]]:
        names = [name for name in LISTS if name not in ("log_entries", "oncalls")]
        return [(record["id"], record.get("incident_number")) for name in names for record in client.all(name)]

    here = ids(Incidents(NOW))
    assert here == ids(Incidents(NOW + 98_765_432))
    assert not set(here) & set(ids(Incidents(NOW, seed=2)))
    assert len({id_ for id_, _ in here}) == len(here)
