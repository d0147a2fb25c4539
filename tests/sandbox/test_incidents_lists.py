"""Lists of the incident service: pages, filters, windows and zones, and what is refused."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.sampled import further
from tests.sandbox.incidents import LISTS, Incidents

NOW = 1774743600  # 01:20 in Berlin, forty minutes before the clocks go forward
DAY = timedelta(days=1)


@pytest.fixture(scope="module")
def client() -> Incidents:
    """Every test here only reads."""
    return Incidents(NOW)


def moment(ago: timedelta = timedelta()) -> str:
    return (datetime.fromtimestamp(NOW, UTC) - ago).strftime("%Y-%m-%dT%H:%M:%SZ")


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("size", [3, *further(1, 100)])
def test_pages_of_any_size_give_the_whole_list(client: Incidents, name: str, size: int) -> None:
    extra = {"incidents": {"date_range": "all"}, "log_entries": {"since": moment(DAY / 72)}}.get(name, {})
    whole = client.get(f"/{name}", limit=100, total="true", **extra)
    assert not whole["more"]
    assert whole["total"] == len(whole[name]) > 5
    found: list[Any] = []
    while True:
        page = client.get(f"/{name}", limit=size, offset=len(found), **extra)
        assert (page["limit"], page["offset"], page["total"]) == (size, len(found), None)
        assert set(page) == {name, "limit", "offset", "more", "total"}
        assert page[name]
        found += page[name]
        if not page["more"]:
            break
        assert len(page[name]) == size
    assert found == whole[name]
    behind = client.get(f"/{name}", offset=5000, **extra)
    assert (behind[name], behind["more"]) == ([], False)


def test_page_sizes(client: Incidents) -> None:
    assert len(client.get("/log_entries")["log_entries"]) == 25
    page = client.get("/log_entries", limit=1000)
    assert (page["limit"], len(page["log_entries"]), page["more"]) == (100, 100, True)
    for limit in ("0", "-1", "ten", "1.5", ""):
        assert client.refusal("/users", limit=limit)[:2] == (400, 2001)
    assert client.refusal("/users", offset="-1")[:2] == (400, 2001)
    assert client.get("/users", limit=50, offset=9950)["users"] == []
    status, code, errors = client.refusal("/users", limit=51, offset=9950)
    assert (status, code) == (400, 2002)
    assert errors[0].startswith("Offset+limit exceeds maximum allowed value of 10000. Please try to refine your search")
    assert client.refusal("/oncalls", total="yes")[:2] == (400, 2001)


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
    assert client.refusal("/incidents", **{"statuses[]": "open"})[:2] == (400, 2001)
    assert client.refusal("/incidents", **{"urgencies[]": "medium"})[:2] == (400, 2001)


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


def test_windows_that_are_refused(client: Incidents) -> None:
    wide = {"since": "2025-08-01T00:00:00Z", "until": "2026-02-01T00:00:00Z"}
    client.get("/incidents", **wide)
    wider = {**wide, "until": "2026-02-01T00:00:01Z"}
    assert client.refusal("/incidents", **wider) == (400, 2001, [" is invalid."])
    for path in ("/incidents", "/log_entries", "/oncalls", "/schedules"):
        backwards = {"since": "2026-02-01T00:00:00Z", "until": "2026-01-01T00:00:00Z"}
        assert client.refusal(path, **backwards)[:2] == (400, 2005)
        for text in ("yesterday", "2026-13-01", "2026-02-30T00:00:00Z", "12345", "0001-01-01", "9999-12-31T23:59:59Z"):
            assert client.refusal(path, since=text)[:2] == (400, 2004), text


@pytest.mark.parametrize(
    ("path", "offset"),
    [
        ("/incidents", "Z"),
        ("/log_entries", "+01:00"),
        ("/services", "+02:00"),
    ],
)
def test_times_are_told_in_the_zone_of_the_list_or_another(client: Incidents, path: str, offset: str) -> None:
    name = path[1:]
    plain = client.get(path, limit=5)[name]
    assert any(one["created_at"].endswith(offset) for one in plain)
    there = client.get(path, limit=5, time_zone="Asia/Kolkata")[name]
    for here, other in zip(plain, there, strict=True):
        assert other["created_at"].endswith("+05:30")
        assert datetime.fromisoformat(here["created_at"]) == datetime.fromisoformat(other["created_at"])


def test_log_entries_run_backwards_and_can_be_an_overview(client: Incidents) -> None:
    entries = client.get("/log_entries", limit=100)["log_entries"]
    times = [datetime.fromisoformat(entry["created_at"]) for entry in entries]
    assert times == sorted(times, reverse=True)
    for text in ("true", "1"):
        overview = client.get("/log_entries", limit=100, is_overview=text)["log_entries"]
        types = {entry["type"] for entry in overview}
        assert not types & {"notify_log_entry", "field_value_change_log_entry", "reach_trigger_limit_log_entry"}
        assert {"trigger_log_entry", "acknowledge_log_entry", "escalate_log_entry", "resolve_log_entry"} <= types
    plain = client.get("/log_entries", limit=100, is_overview="false")
    assert "notify_log_entry" in {entry["type"] for entry in plain["log_entries"]}
    assert client.refusal("/log_entries", is_overview="False")[:2] == (400, 2001)


def test_searching_by_name(client: Incidents) -> None:
    assert [one["name"] for one in client.get("/services", query="CHECK")["services"]] == ["checkout-api"]
    assert [one["name"] for one in client.get("/services", name="batch")["services"]] == ["batch"]
    assert client.get("/services", name="bat")["services"] == []
    assert [one["name"] for one in client.get("/users", query="ferrer")["users"]] == ["Lucía Ferrer"]
    assert client.get("/users", query="lucia.ferrer@")["users"] == []
    assert [one["name"] for one in client.get("/teams", query="pay")["teams"]] == ["Payments"]
    assert [one["name"] for one in client.get("/schedules", query="month")["schedules"]] == ["Month end"]
    policies = client.get("/escalation_policies", query="major")
    assert [one["services"] for one in policies["escalation_policies"]] == [[]]


def test_what_a_team_owns(client: Incidents) -> None:
    teams = {one["name"]: one["id"] for one in client.get("/teams")["teams"]}
    for name in ("services", "escalation_policies", "schedules", "users"):
        mine = client.get(f"/{name}", **{"team_ids[]": teams["Platform"]})[name]
        assert mine
        assert all(teams["Platform"] in [team["id"] for team in one["teams"]] for one in mine)
        assert client.get(f"/{name}", **{"team_ids[]": teams["Mobile"]})[name] == []
    zoe = client.get("/users", query="Zoé")["users"][0]["id"]
    policies = client.get("/escalation_policies", **{"user_ids[]": zoe})
    assert [one["name"] for one in policies["escalation_policies"]] == ["Major incident bridge", "Month end", "Payments"]


def test_lists_can_be_sorted(client: Incidents) -> None:
    params = {"date_range": "all", "limit": 100}
    every = client.get("/incidents", **params)["incidents"]
    newest = client.get("/incidents", sort_by="created_at:desc", **params)["incidents"]
    assert newest == sorted(every, key=lambda one: one["created_at"], reverse=True)
    two = client.get("/incidents", sort_by="urgency:desc,incident_number", **params)["incidents"]
    assert two == sorted(every, key=lambda one: (one["urgency"] != "high", one["incident_number"]))
    resolved = client.get("/incidents", sort_by="resolved_at", **params)["incidents"]
    assert resolved == sorted(every, key=lambda one: one["resolved_at"] or "9999")
    services = client.get("/services", limit=100)["services"]
    assert client.get("/services", limit=100, sort_by="name:desc")["services"] == services[::-1]
    for text in ("title", "created_at:down", "created_at,urgency,incident_number"):
        assert client.refusal("/incidents", sort_by=text)[:2] == (400, 2001)


def test_parts_that_a_path_does_not_have_are_refused(client: Incidents) -> None:
    team = client.get("/teams")["teams"][0]["id"]
    client.get(f"/teams/{team}", **{"include[]": "privileges"})
    wrong = {
        f"/teams/{team}": "members",
        "/incidents": "custom_fields",
        "/users": "contact_method",
        "/oncalls": "teams",
        "/log_entries": "users",
        "/services": "incidents",
        "/schedules": "users",
        "/escalation_policies": "schedules",
    }
    for path, part in wrong.items():
        assert client.refusal(path, **{"include[]": part})[:2] == (400, 2001), path


@pytest.mark.parametrize(
    "authorization",
    ["", "Token", "Token token=", "Token user-token", "token=abc", "Bearer", "Bearer ", "Basic YTpi", "Bearer a b"],
)
def test_who_does_not_say_who_they_are_is_turned_away(authorization: str) -> None:
    client = Incidents(NOW, authorization)
    for path in ("/users/me", "/incidents/4001", "/nowhere"):
        assert client.refusal(path)[:2] == (401, 2006)
    assert client.refusal("/incidents", "POST")[0] == 401


def test_what_is_not_there(client: Incidents) -> None:
    user = client.get("/users", limit=1)["users"][0]["id"]
    for path in (
        "/", "/incident", "/incidents/", "/incidents/9999", "/incidents/QNOTHING", "/incidents/٤٠٠١", "/services/PNOTHING",
        f"/services/{user}", "/teams/me", "/teams/PNOTHING/members", "/users/", "/schedules/PNOTHING",
        "/escalation_policies/PNOTHING", "/log_entries/RNOTHING", "/oncalls/1", "/v2/incidents", "/users/me/teams",
    ):  # fmt: skip
        assert client.refusal(path)[:2] == (404, 2100), path


def test_nothing_can_be_changed(client: Incidents) -> None:
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        for path, status in (("/incidents", 403), ("/incidents/4001", 403), ("/oncalls", 403), ("/nowhere", 404)):
            assert client.refusal(path, method)[:2] == (status, {403: 2010, 404: 2100}[status])
    assert client.send("OPTIONS", "/incidents").status_code == 404
    assert client.send("HEAD", "/incidents").status_code == 200


def test_an_address_that_is_too_long_is_turned_away_in_plain_text(client: Incidents) -> None:
    few = client.send("GET", "/incidents", params={"service_ids[]": [f"P{number:06}" for number in range(100)]})
    many = client.send("GET", "/incidents", params={"service_ids[]": [f"P{number:06}" for number in range(250)]})
    assert (few.status_code, many.status_code) == (200, 414)
    assert many.headers["content-type"].startswith("text/plain")
