"""The incident service: the official client reads it over a real socket; filters and windows, ids, and what must not leak."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
import pagerduty
import pytest

from registry.sandbox.server import application
from tests.sandbox.incidents import LISTS, Incidents
from tests.sandbox.serving import served

NOW = 1764555240
PARTS = ["acknowledgers", "assignees", "services", "teams", "users"]


class EndOfTls(httpx2.HTTPTransport):
    """Sends https requests on as http."""

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        request.url = request.url.copy_with(scheme="http")
        request.headers["X-Forwarded-Proto"] = "https"
        return super().handle_request(request)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served(application(seed=1, now=NOW, strict_keys=True)) as found:
        yield f"{found.replace('http://', 'https://')}/incidents"


def connected(address: str, token: str = "sandbox", **options: Any) -> pagerduty.RestApiV2Client:
    return pagerduty.RestApiV2Client(token, base_url=address, transport=EndOfTls(), **options)


@pytest.fixture
def vendor(address: str) -> Iterator[pagerduty.RestApiV2Client]:
    with connected(address) as client:
        yield client


@pytest.mark.parametrize("name", ["users", "teams", "services", "schedules", "escalation_policies", "oncalls", "log_entries"])
def test_lists_page_by_themselves(vendor: pagerduty.RestApiV2Client, name: str) -> None:
    small = list(vendor.iter_all(name, page_size=7 if name != "log_entries" else 50))
    assert small == vendor.list_all(name) == list(vendor.iter_all(name, total=True))
    assert len(small) == vendor.get_total(name) > 5


def test_incidents(vendor: pagerduty.RestApiV2Client) -> None:
    every = vendor.list_all("incidents", params={"date_range": "all", "include": PARTS})
    assert len(every) == vendor.get_total("incidents", params={"date_range": "all"}) > 55
    open_ = vendor.list_all("incidents", params={"date_range": "all", "statuses": ["triggered", "acknowledged"]})
    assert [one["id"] for one in open_] == [one["id"] for one in every if one["status"] != "resolved"]
    until = datetime.fromtimestamp(NOW, UTC)
    history = list(vendor.iter_history("/incidents", until - timedelta(days=150), until))
    assert {one["id"] for one in history} < {one["id"] for one in every}
    assert vendor.rget(open_[0]) == vendor.rget(open_[0]["self"]) == vendor.rget(f"/incidents/{open_[0]['incident_number']}")


def test_who_am_i(vendor: pagerduty.RestApiV2Client, address: str) -> None:
    assert vendor.rget("/users/me")["email"] == "sam.ode@fernway.example"
    assert vendor.api_key_access == "user"
    with connected(address, "account-sandbox") as account:
        assert account.api_key_access == "account"
    with connected(address, "pdus+_sandbox", auth_type="bearer") as bearer:
        assert bearer.rget("/users/me")["name"] == "Sam Ode"
    for token in ("user-token", "sandbox-1", "expired-sandbox"):  # the sandbox is strict
        with connected(address, token) as wrong, pytest.raises(pagerduty.HttpError, match="401"):
            wrong.rget("/users/me")


def test_plain_http_on_loopback(address: str) -> None:
    headers = {"Authorization": "Token token=sandbox"}
    plain = address.replace("https:", "http:")
    answer = httpx2.get(f"{plain}/users/me", headers=headers).json()
    assert answer["user"]["self"] == f"{plain}/users/{answer['user']['id']}"
    with pytest.raises(pagerduty.UrlError):
        pagerduty.RestApiV2Client("abc", base_url=plain)


NIGHT = 1774743600  # 01:20 in Berlin, forty minutes before the clocks go forward


@pytest.fixture(scope="module")
def client() -> Incidents:
    """Every test here only reads."""
    return Incidents(NIGHT)


def test_unknown_filters_are_ignored_without_a_word(client: Incidents) -> None:
    team = client.get("/teams")["teams"][0]["id"]
    assert client.get("/oncalls", **{"team_ids[]": team}) == client.get("/oncalls")
    assert client.get("/incidents", status="triggered", nonsense="1") == client.get("/incidents")


def test_incidents_are_filtered_by_sets(client: Incidents) -> None:
    every = client.get("/incidents", date_range="all", limit=100)["incidents"]
    service, other = every[0]["service"]["id"], every[-1]["service"]["id"]
    team = every[3]["teams"][0]["id"]
    sam = client.get("/users/me")["user"]["id"]

    def found(**params: Any) -> list[str]:
        response = client.get("/incidents", date_range="all", limit=100, **params)
        return [one["id"] for one in response["incidents"]]

    def expected(fits: Any) -> list[str]:
        return [one["id"] for one in every if fits(one)]

    open_ = ("triggered", "acknowledged")
    assert found(**{"statuses[]": open_}) == expected(lambda one: one["status"] in open_)
    assert found(**{"urgencies[]": "low"}) == expected(lambda one: one["urgency"] == "low")
    assert found(**{"service_ids[]": [service, other]}) == expected(lambda one: one["service"]["id"] in (service, other))
    assert found(**{"team_ids[]": team}) == expected(lambda one: team in [own["id"] for own in one["teams"]])
    assert found(**{"user_ids[]": sam}) == expected(
        lambda one: sam in [given["assignee"]["id"] for given in one["assignments"]]
    )
    assert found(incident_key=every[5]["incident_key"]) == [every[5]["id"]]
    both = {"statuses[]": "resolved", "urgencies[]": "high", "team_ids[]": team}
    assert found(**both) == expected(
        lambda one: (one["status"], one["urgency"]) == ("resolved", "high") and team in [own["id"] for own in one["teams"]]
    )
    assert found(**{"service_ids[]": "PNOTHING"}) == []


def test_incidents_are_listed_for_one_month_unless_another_window_is_named(client: Incidents) -> None:
    every = client.get("/incidents", date_range="all", limit=100)["incidents"]

    def found(**params: Any) -> list[str]:
        return [one["id"] for one in client.get("/incidents", limit=100, **params)["incidents"]]

    def between(first: str, last: str) -> list[str]:
        return [one["id"] for one in every if first <= one["created_at"] <= last]

    by_default = found()
    assert by_default == between("2026-02-28T00:20:00Z", "2026-03-29T00:20:00Z")
    assert 0 < len(by_default) < len(every)
    forty_days_old = next(one["id"] for one in every if one["status"] == "triggered")
    assert forty_days_old not in by_default
    assert forty_days_old in found(since="2026-02-10T00:00:00Z", until="2026-03-29T00:00:00Z")
    assert found(since="2026-01-05T10:00:00Z") == between("2026-01-05T10:00:00Z", "2026-02-05T10:00:00Z")
    assert found(until="2025-12-31T10:00:00Z") == between("2025-11-30T10:00:00Z", "2025-12-31T10:00:00Z")
    walked: set[str] = set()
    for months in range(0, 14, 2):
        year, month = divmod(2026 * 12 + 2 - months, 12)
        until = f"{year}-{month + 1:02}-29T01:20:00Z" if month != 1 else f"{year}-03-01T01:20:00Z"
        walked |= set(found(since=f"{year - (month < 5)}-{(month - 5) % 12 + 1:02}-01T00:00:00Z", until=until))
    assert walked == {one["id"] for one in every}


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

    here = ids(Incidents(NIGHT))
    assert here == ids(Incidents(NIGHT + 98_765_432))
    assert not set(here) & set(ids(Incidents(NIGHT, seed=2)))
    assert len({id_ for id_, _ in here}) == len(here)
