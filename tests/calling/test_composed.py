"""Tools of several requests: what they ask, what they put together, and what they do when a part fails."""

import json
from collections.abc import Mapping
from typing import Any

import httpx
import pytest

from tests.calling.network import Handler, call
from tests.cases import cases_beside

CASES = cases_beside(__file__)

USERS = [
    {"id": "P1", "name": "Sam Ode", "email": "sam.ode@fernway.example"},
    {"id": "P2", "name": "Samantha Oder", "email": "samantha@fernway.example"},
    {"id": "P3", "name": "Mei Tan", "email": "mei.tan@fernway.example"},
]


def answering(pages: Mapping[str, Any]) -> Handler:
    """Each path has its items, in pages as the service gives them; a number is a status to fail with."""

    def handle(request: httpx.Request) -> httpx.Response:
        path, query = request.url.path, request.url.params
        content = pages[path]
        if isinstance(content, int):
            return httpx.Response(content, json={"error": {"message": "no", "code": 2010}})
        if isinstance(content, dict):
            return httpx.Response(200, json=content)
        name, items = path.rsplit("/", 1)[1], content
        offset, limit = int(query.get("offset", 0)), int(query.get("limit", 25))
        page = items[offset : offset + limit]
        more = offset + len(page) < len(items)
        return httpx.Response(200, json={name: page, "limit": limit, "offset": offset, "more": more, "total": None})

    return handle


@pytest.mark.parametrize(
    ("query", "best", "accepted"),
    [("sam ode", "P1", True), ("Sam Odde", "P1", None), ("Sum Oda", "P1", False), ("mei.tan@fernway.example", "P3", None)],
)
async def test_search_finds_by_name_and_email_and_forgives_typing_errors(query: str, best: str, accepted: bool | None) -> None:
    """It accepts what is above nine tenths, where that is asked for."""
    asked: dict[str, Any] = {} if accepted is None else {"auto_accept_matches": True}
    result, _ = await call("SearchUsers", answering({"/users": USERS}), query=query, **asked)
    found = [match["confidence"] for match in result.json["matches"]]
    assert result.json["matches"][0]["user"]["id"] == best
    assert 1 >= found[0] >= found[-1] >= 0
    assert found == sorted(found, reverse=True)
    assert result.json["accepted"] == ([best] if accepted else [])


async def test_search_reads_every_page_and_never_sends_the_query() -> None:
    many = [{"id": f"U{number}", "name": f"User {number}", "email": "u@x.example"} for number in range(230)] + USERS
    result, network = await call("SearchUsers", answering({"/users": many}), query="Mei Tan")
    assert result.json["searched"] == 233
    assert [request.url.params["offset"] for request in network.requests] == ["0", "100", "200"]
    assert all("query" not in request.url.params for request in network.requests)
    assert len(result.exchanges) == 3


async def test_a_search_that_breaks_off_says_so() -> None:
    many = [{"id": f"U{number}", "name": f"User {number}"} for number in range(150)]
    pages = answering({"/users": many})

    def handle(request: httpx.Request) -> Any:
        return pages(request) if request.url.params["offset"] == "0" else httpx.Response(403, json={"error": {"message": "no"}})

    result, _ = await call("SearchUsers", handle, query="User 7")
    assert result.ok
    assert len(result.json["matches"]) == 25
    assert result.notes[0] == "Partial result: only the first 100 users were searched."
    assert result.notes[1:] == ("Only the best 25 of 100 matches are listed.",)


TEAM = {
    "/teams/T%2F1": {"team": {"id": "T/1", "name": "Payments"}},
    "/teams/T/1": {"team": {"id": "T/1", "name": "Payments"}},
    "/teams/T/1/members": [{"user": {"id": "P1"}, "role": "manager"}],
    "/services": [{"id": "S1"}],
    "/escalation_policies": [{"id": "E1"}],
    "/schedules": 403,
}


async def test_a_team_with_everything_and_a_part_that_cannot_be_read() -> None:
    result, network = await call("GetTeam", answering(TEAM), team_id="T/1")
    assert result.ok
    assert set(result.json) == {"team", "members", "services", "escalation_policies", "schedules"}
    assert result.json["schedules"] is None
    assert result.notes == ("Could not load the team's schedules: no",)
    assert network.requests[1].url.raw_path.startswith(b"/teams/T%2F1/members?")
    assert [request.url.params.get_list("team_ids[]") for request in network.requests[2:]] == [["T/1"]] * 3


def entry(policy: str, start: str | None, end: str | None) -> dict[str, Any]:
    return {"escalation_policy": {"id": policy}, "escalation_level": 1, "user": {"id": "P1"}, "start": start, "end": end}


ENTRIES = [
    entry("E1", "2026-03-01T08:00:00Z", "2026-03-01T20:00:00Z"),
    entry("E1", "2026-03-01T20:00:00+01:00", "2026-03-02T08:00:00Z"),
    entry("E2", None, None),
    entry("E2", "2026-03-01T09:00:00Z", None),
]


@pytest.mark.parametrize(("window", "kept"), CASES["windows of on-calls"])
async def test_windows_keep_whole_entries(window: dict[str, Any], kept: list[int]) -> None:
    result, _ = await call("ListOncalls", answering({"/oncalls": ENTRIES}), **window)
    assert result.json["oncalls"] == [ENTRIES[place] for place in kept]
    assert result.json["total"] == len(kept)


async def test_teams_become_their_escalation_policies() -> None:
    policies = [{"id": "E1"}, {"id": "E2"}]
    handler = answering({"/escalation_policies": policies, "/oncalls": ENTRIES})
    result, network = await call("ListOncalls", handler, team_ids=["T1", "T2"], escalation_policy_ids=["E2", "E9"])
    assert network.requests[0].url.params.get_list("team_ids[]") == ["T1", "T2"]
    assert network.requests[1].url.params.get_list("escalation_policy_ids[]") == ["E2"]
    assert "team_ids[]" not in network.requests[1].url.params
    assert result.ok


async def test_teams_without_a_policy_mean_nobody_and_no_call() -> None:
    result, network = await call("ListOncalls", answering({"/escalation_policies": []}), team_ids=["T1"])
    assert result.json == {"oncalls": [], "limit": 10, "offset": 0, "more": False, "total": 0}
    assert [request.url.path for request in network.requests] == ["/escalation_policies"]
    assert result.notes == ("These teams have no escalation policy, so nobody is on call.",)


async def test_many_policies_are_asked_for_in_short_addresses() -> None:
    policies = [{"id": f"P{number:06}"} for number in range(190)]
    handler = answering({"/escalation_policies": policies, "/oncalls": ENTRIES})
    result, network = await call("ListOncalls", handler, team_ids=["T1"], limit=5)
    asked = [request.url.params.get_list("escalation_policy_ids[]") for request in network.requests[-3:]]
    assert [len(some) for some in asked] == [80, 80, 30]
    assert all(len(str(request.url)) < 4_096 for request in network.requests)
    assert json.loads(result.body)["total"] == 12
