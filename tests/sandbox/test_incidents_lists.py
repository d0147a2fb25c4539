"""Lists of the incident service: pages, filters, windows and zones. What is refused is in `strictness.json`."""

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
