"""Lists of the incident service: pages, filters, windows and zones, and what is refused."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest

from registry.sandbox.server import application
from tests.sampled import further

NOW = 1774743600  # 01:20 in Berlin, forty minutes before the clocks go forward
LISTS = ("escalation_policies", "incidents", "log_entries", "oncalls", "schedules", "services", "teams", "users")
DAY = timedelta(days=1)


def api(**headers: str) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(application(seed=1, now=NOW))
    return httpx.AsyncClient(
        transport=transport,
        base_url="http://sandbox/incidents",
        headers={"Authorization": "Token token=user-token", **headers},
    )


async def get(client: httpx.AsyncClient, path: str, **params: Any) -> Any:
    response = await client.get(path, params=params or None)
    assert response.status_code == 200, response.text
    return response.json()


async def refusal(client: httpx.AsyncClient, path: str, **params: Any) -> tuple[int, int, list[str]]:
    response = await client.get(path, params=params or None)
    error = response.json()["error"]
    assert set(error) <= {"message", "code", "errors"}
    assert error["message"]
    return response.status_code, error["code"], error.get("errors", [])


def moment(ago: timedelta = timedelta()) -> str:
    return (datetime.fromtimestamp(NOW, UTC) - ago).strftime("%Y-%m-%dT%H:%M:%SZ")


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("size", [3, *further(1, 100)])
async def test_pages_of_any_size_give_the_whole_list(name: str, size: int) -> None:
    async with api() as client:
        extra = {"incidents": {"date_range": "all"}, "log_entries": {"since": moment(DAY / 72)}}.get(name, {})
        whole = await get(client, f"/{name}", limit=100, total="true", **extra)
        assert not whole["more"]
        assert whole["total"] == len(whole[name]) > 5
        found: list[Any] = []
        while True:
            page = await get(client, f"/{name}", limit=size, offset=len(found), **extra)
            assert (page["limit"], page["offset"], page["total"]) == (size, len(found), None)
            assert set(page) == {name, "limit", "offset", "more", "total"}
            assert page[name]
            found += page[name]
            if not page["more"]:
                break
            assert len(page[name]) == size
        assert found == whole[name]
        behind = await get(client, f"/{name}", offset=5000, **extra)
        assert (behind[name], behind["more"]) == ([], False)


async def test_members_of_a_team_are_paged() -> None:
    async with api() as client:
        team = next(one for one in (await get(client, "/teams"))["teams"] if one["name"] == "Platform")
        whole = await get(client, f"/teams/{team['id']}/members", total="true")
        assert whole["total"] == len(whole["members"]) > 4
        first = await get(client, f"/teams/{team['id']}/members", limit=2)
        assert (first["members"], first["more"]) == (whole["members"][:2], True)


async def test_page_sizes() -> None:
    async with api() as client:
        assert len((await get(client, "/log_entries"))["log_entries"]) == 25
        page = await get(client, "/log_entries", limit=1000)
        assert (page["limit"], len(page["log_entries"]), page["more"]) == (100, 100, True)
        for limit in ("0", "-1", "ten", "1.5", ""):
            assert (await refusal(client, "/users", limit=limit))[:2] == (400, 2001)
        assert (await refusal(client, "/users", offset="-1"))[:2] == (400, 2001)
        assert (await get(client, "/users", limit=50, offset=9950))["users"] == []
        status, code, errors = await refusal(client, "/users", limit=51, offset=9950)
        assert (status, code) == (400, 2002)
        assert errors[0].startswith("Offset+limit exceeds maximum allowed value of 10000. Please try to refine your search")
        assert (await refusal(client, "/oncalls", total="yes"))[:2] == (400, 2001)


async def test_unknown_filters_are_ignored_without_a_word() -> None:
    async with api() as client:
        team = (await get(client, "/teams"))["teams"][0]["id"]
        assert await get(client, "/oncalls", **{"team_ids[]": team}) == await get(client, "/oncalls")
        assert await get(client, "/incidents", status="triggered", nonsense="1") == await get(client, "/incidents")


async def test_incidents_are_filtered_by_sets() -> None:
    async with api() as client:
        every = (await get(client, "/incidents", date_range="all", limit=100))["incidents"]
        service, other = every[0]["service"]["id"], every[-1]["service"]["id"]
        team = every[3]["teams"][0]["id"]
        sam = (await get(client, "/users/me"))["user"]["id"]

        async def found(**params: Any) -> list[str]:
            response = await get(client, "/incidents", date_range="all", limit=100, **params)
            return [one["id"] for one in response["incidents"]]

        def expected(fits: Any) -> list[str]:
            return [one["id"] for one in every if fits(one)]

        open_ = ("triggered", "acknowledged")
        assert await found(**{"statuses[]": open_}) == expected(lambda one: one["status"] in open_)
        assert await found(**{"urgencies[]": "low"}) == expected(lambda one: one["urgency"] == "low")
        assert await found(**{"service_ids[]": [service, other]}) == expected(
            lambda one: one["service"]["id"] in (service, other)
        )
        assert await found(**{"team_ids[]": team}) == expected(lambda one: team in [own["id"] for own in one["teams"]])
        assert await found(**{"user_ids[]": sam}) == expected(
            lambda one: sam in [given["assignee"]["id"] for given in one["assignments"]]
        )
        assert await found(incident_key=every[5]["incident_key"]) == [every[5]["id"]]
        both = {"statuses[]": "resolved", "urgencies[]": "high", "team_ids[]": team}
        assert await found(**both) == expected(
            lambda one: (one["status"], one["urgency"]) == ("resolved", "high") and team in [own["id"] for own in one["teams"]]
        )
        assert await found(**{"service_ids[]": "PNOTHING"}) == []
        assert (await refusal(client, "/incidents", **{"statuses[]": "open"}))[:2] == (400, 2001)
        assert (await refusal(client, "/incidents", **{"urgencies[]": "medium"}))[:2] == (400, 2001)


async def test_incidents_are_listed_for_one_month_unless_another_window_is_named() -> None:
    async with api() as client:
        every = (await get(client, "/incidents", date_range="all", limit=100))["incidents"]

        async def found(**params: Any) -> list[str]:
            return [one["id"] for one in (await get(client, "/incidents", limit=100, **params))["incidents"]]

        def between(first: str, last: str) -> list[str]:
            return [one["id"] for one in every if first <= one["created_at"] <= last]

        by_default = await found()
        assert by_default == between("2026-02-28T00:20:00Z", "2026-03-29T00:20:00Z")
        assert 0 < len(by_default) < len(every)
        forty_days_old = next(one["id"] for one in every if one["status"] == "triggered")
        assert forty_days_old not in by_default
        assert forty_days_old in await found(since="2026-02-10T00:00:00Z", until="2026-03-29T00:00:00Z")
        assert await found(since="2026-01-05T10:00:00Z") == between("2026-01-05T10:00:00Z", "2026-02-05T10:00:00Z")
        assert await found(until="2025-12-31T10:00:00Z") == between("2025-11-30T10:00:00Z", "2025-12-31T10:00:00Z")
        walked: set[str] = set()
        for months in range(0, 14, 2):
            year, month = divmod(2026 * 12 + 2 - months, 12)
            until = f"{year}-{month + 1:02}-29T01:20:00Z" if month != 1 else f"{year}-03-01T01:20:00Z"
            walked |= set(await found(since=f"{year - (month < 5)}-{(month - 5) % 12 + 1:02}-01T00:00:00Z", until=until))
        assert walked == {one["id"] for one in every}


async def test_windows_that_are_refused() -> None:
    async with api() as client:
        wide = {"since": "2025-08-01T00:00:00Z", "until": "2026-02-01T00:00:00Z"}
        await get(client, "/incidents", **wide)
        wider = {**wide, "until": "2026-02-01T00:00:01Z"}
        assert await refusal(client, "/incidents", **wider) == (400, 2001, [" is invalid."])
        for path in ("/incidents", "/log_entries", "/oncalls", "/schedules"):
            backwards = {"since": "2026-02-01T00:00:00Z", "until": "2026-01-01T00:00:00Z"}
            assert (await refusal(client, path, **backwards))[:2] == (400, 2005)
            for text in ("yesterday", "2026-13-01", "2026-02-30T00:00:00Z", "12345", "0001-01-01", "9999-12-31T23:59:59Z"):
                assert (await refusal(client, path, since=text))[:2] == (400, 2004), text


async def test_moments_without_a_zone_are_in_the_accounts() -> None:
    async with api() as client:
        newest = (await get(client, "/log_entries", limit=1))["log_entries"][0]["created_at"]
        when = datetime.fromisoformat(newest)
        assert when.utcoffset() == timedelta(hours=1)
        local = when.strftime("%Y-%m-%dT%H:%M:%S")
        before = when - timedelta(minutes=30)
        for path in ("/log_entries", "/incidents"):
            naive = await get(client, path, limit=100, since=before.strftime("%Y-%m-%dT%H:%M:%S"), until=local)
            aware = await get(client, path, limit=100, since=before.isoformat(), until=when.isoformat())
            assert naive == aware
            assert naive[path[1:]]
            assert path == "/incidents" or naive["log_entries"][0]["created_at"] == newest
            for one in naive[path[1:]]:
                assert before <= datetime.fromisoformat(one["created_at"]) <= when
        day = await get(client, "/log_entries", limit=100, since="2026-03-28", until="2026-03-28T23:59:59")
        assert day["log_entries"]
        assert {entry["created_at"][:10] for entry in day["log_entries"]} == {"2026-03-28"}


@pytest.mark.parametrize(
    ("path", "offset"),
    [
        ("/incidents", "Z"),
        ("/log_entries", "+01:00"),
        ("/services", "+02:00"),
    ],
)
async def test_times_are_told_in_the_zone_of_the_list_or_another(path: str, offset: str) -> None:
    async with api() as client:
        name = path[1:]
        plain = (await get(client, path, limit=5))[name]
        assert any(one["created_at"].endswith(offset) for one in plain)
        there = (await get(client, path, limit=5, time_zone="Asia/Kolkata"))[name]
        for here, other in zip(plain, there, strict=True):
            assert other["created_at"].endswith("+05:30")
            assert datetime.fromisoformat(here["created_at"]) == datetime.fromisoformat(other["created_at"])


async def test_zones_of_schedules_and_duties() -> None:
    window = {"since": "2026-03-28T00:00:00Z", "until": "2026-03-30T00:00:00Z"}
    async with api() as client:
        listed = (await get(client, "/schedules", **{"include[]": "final_schedule"}, **window))["schedules"]
        for schedule in listed:
            (full,) = (await get(client, f"/schedules/{schedule['id']}", **window)).values()
            ours = schedule["final_schedule"]["rendered_schedule_entries"]
            own = full["final_schedule"]["rendered_schedule_entries"]
            assert len(ours) == len(own)
            for one, other in zip(ours, own, strict=True):
                start, local = datetime.fromisoformat(one["start"]), datetime.fromisoformat(other["start"])
                assert start == local
                assert start.utcoffset() == ZoneInfo("Europe/Berlin").utcoffset(start.replace(tzinfo=None))
                assert local.utcoffset() == ZoneInfo(full["time_zone"]).utcoffset(local.replace(tzinfo=None))
        duty = next(one for one in (await get(client, "/oncalls", limit=100))["oncalls"] if one["end"])
        assert duty["end"].endswith(("+01:00", "+02:00"))
        for path in ("/incidents", "/log_entries", "/oncalls", "/schedules", "/services"):
            for zone in ("Mars/Olympus", "../etc/passwd", "", "Europe", "CET+", "\x00"):
                assert (await refusal(client, path, time_zone=zone))[:2] == (400, 2001), zone


async def test_log_entries_run_backwards_and_can_be_an_overview() -> None:
    async with api() as client:
        entries = (await get(client, "/log_entries", limit=100))["log_entries"]
        times = [datetime.fromisoformat(entry["created_at"]) for entry in entries]
        assert times == sorted(times, reverse=True)
        for text in ("true", "1"):
            overview = (await get(client, "/log_entries", limit=100, is_overview=text))["log_entries"]
            types = {entry["type"] for entry in overview}
            assert not types & {"notify_log_entry", "field_value_change_log_entry", "reach_trigger_limit_log_entry"}
            assert {"trigger_log_entry", "acknowledge_log_entry", "escalate_log_entry", "resolve_log_entry"} <= types
        plain = await get(client, "/log_entries", limit=100, is_overview="false")
        assert "notify_log_entry" in {entry["type"] for entry in plain["log_entries"]}
        assert (await refusal(client, "/log_entries", is_overview="False"))[:2] == (400, 2001)


async def test_log_entries_of_a_team_and_a_time() -> None:
    async with api() as client:
        teams = {one["name"]: one["id"] for one in (await get(client, "/teams"))["teams"]}
        wanted = {teams["Data"], teams["Web"]}
        found = await get(client, "/log_entries", limit=100, total="true", **{"team_ids[]": sorted(wanted)})
        assert {team["id"] for entry in found["log_entries"] for team in entry["teams"]} == wanted
        parts = [(await get(client, "/log_entries", total="true", **{"team_ids[]": one}))["total"] for one in wanted]
        assert found["total"] == sum(parts)
        nobody = await get(client, "/log_entries", **{"team_ids[]": teams["Mobile"]})
        assert nobody["log_entries"] == []
        hour = await get(client, "/log_entries", limit=100, since=moment(timedelta(hours=1)))
        assert 0 < len(hour["log_entries"]) < 100
        earliest = min(datetime.fromisoformat(entry["created_at"]) for entry in hour["log_entries"])
        assert earliest >= datetime.fromtimestamp(NOW, UTC) - timedelta(hours=1)


async def test_searching_by_name() -> None:
    async with api() as client:
        assert [one["name"] for one in (await get(client, "/services", query="CHECK"))["services"]] == ["checkout-api"]
        assert [one["name"] for one in (await get(client, "/services", name="batch"))["services"]] == ["batch"]
        assert (await get(client, "/services", name="bat"))["services"] == []
        assert [one["name"] for one in (await get(client, "/users", query="ferrer"))["users"]] == ["Lucía Ferrer"]
        assert (await get(client, "/users", query="lucia.ferrer@"))["users"] == []
        assert [one["name"] for one in (await get(client, "/teams", query="pay"))["teams"]] == ["Payments"]
        assert [one["name"] for one in (await get(client, "/schedules", query="month"))["schedules"]] == ["Month end"]
        policies = await get(client, "/escalation_policies", query="major")
        assert [one["services"] for one in policies["escalation_policies"]] == [[]]


async def test_what_a_team_owns() -> None:
    async with api() as client:
        teams = {one["name"]: one["id"] for one in (await get(client, "/teams"))["teams"]}
        for name in ("services", "escalation_policies", "schedules", "users"):
            mine = (await get(client, f"/{name}", **{"team_ids[]": teams["Platform"]}))[name]
            assert mine
            assert all(teams["Platform"] in [team["id"] for team in one["teams"]] for one in mine)
            assert (await get(client, f"/{name}", **{"team_ids[]": teams["Mobile"]}))[name] == []
        zoe = (await get(client, "/users", query="Zoé"))["users"][0]["id"]
        policies = await get(client, "/escalation_policies", **{"user_ids[]": zoe})
        assert [one["name"] for one in policies["escalation_policies"]] == ["Major incident bridge", "Month end", "Payments"]


async def test_lists_can_be_sorted() -> None:
    async with api() as client:
        params = {"date_range": "all", "limit": 100}
        every = (await get(client, "/incidents", **params))["incidents"]
        newest = (await get(client, "/incidents", sort_by="created_at:desc", **params))["incidents"]
        assert newest == sorted(every, key=lambda one: one["created_at"], reverse=True)
        two = (await get(client, "/incidents", sort_by="urgency:desc,incident_number", **params))["incidents"]
        assert two == sorted(every, key=lambda one: (one["urgency"] != "high", one["incident_number"]))
        resolved = (await get(client, "/incidents", sort_by="resolved_at", **params))["incidents"]
        assert resolved == sorted(every, key=lambda one: one["resolved_at"] or "9999")
        services = (await get(client, "/services", limit=100))["services"]
        assert (await get(client, "/services", limit=100, sort_by="name:desc"))["services"] == services[::-1]
        for text in ("title", "created_at:down", "created_at,urgency,incident_number"):
            assert (await refusal(client, "/incidents", sort_by=text))[:2] == (400, 2001)


async def test_parts_that_a_path_does_not_have_are_refused() -> None:
    async with api() as client:
        team = (await get(client, "/teams"))["teams"][0]["id"]
        await get(client, f"/teams/{team}", **{"include[]": "privileges"})
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
            assert (await refusal(client, path, **{"include[]": part}))[:2] == (400, 2001), path


@pytest.mark.parametrize(
    "authorization",
    ["", "Token", "Token token=", "Token user-token", "token=abc", "Bearer", "Bearer ", "Basic YTpi", "Bearer a b"],
)
async def test_who_does_not_say_who_they_are_is_turned_away(authorization: str) -> None:
    async with api(Authorization=authorization) as client:
        for path in ("/users/me", "/incidents/4001", "/nowhere"):
            assert (await refusal(client, path))[:2] == (401, 2006)
        assert (await client.post("/incidents", json={})).status_code == 401


async def test_both_ways_of_writing_a_token() -> None:
    async with api(Authorization="Bearer pdus+_0XBPWQQ_abc", Accept="application/vnd.pagerduty+json;version=2") as client:
        assert (await get(client, "/users/me"))["user"]["name"] == "Sam Ode"
    async with api(Authorization="Token token=account-abc") as client:
        response = await client.get("/users/me")
        assert response.status_code == 400
        assert "account-level access token" in response.json()["error"]
        assert (await get(client, "/users"))["users"]


async def test_what_is_not_there() -> None:
    async with api() as client:
        user = (await get(client, "/users", limit=1))["users"][0]["id"]
        for path in (
            "/", "/incident", "/incidents/", "/incidents/9999", "/incidents/QNOTHING", "/incidents/٤٠٠١", "/services/PNOTHING",
            f"/services/{user}", "/teams/me", "/teams/PNOTHING/members", "/users/", "/schedules/PNOTHING",
            "/escalation_policies/PNOTHING", "/log_entries/RNOTHING", "/oncalls/1", "/v2/incidents", "/users/me/teams",
        ):  # fmt: skip
            assert (await refusal(client, path))[:2] == (404, 2100), path


async def test_nothing_can_be_changed() -> None:
    async with api() as client:
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            for path, status in (("/incidents", 403), ("/incidents/4001", 403), ("/oncalls", 403), ("/nowhere", 404)):
                response = await client.request(method, path, json={"incident": {}})
                assert response.status_code == status
                assert response.json()["error"]["code"] == {403: 2010, 404: 2100}[status]
        assert (await client.options("/incidents")).status_code == 404
        assert (await client.head("/incidents")).status_code == 200


async def test_an_address_that_is_too_long_is_turned_away_in_plain_text() -> None:
    async with api() as client:
        few = await client.get("/incidents", params={"service_ids[]": [f"P{number:06}" for number in range(100)]})
        many = await client.get("/incidents", params={"service_ids[]": [f"P{number:06}" for number in range(250)]})
    assert (few.status_code, many.status_code) == (200, 414)
    assert many.headers["content-type"].startswith("text/plain")
