"""Who is on call: at a moment and over a window, from schedules whose rotations, overrides and gaps are what they say."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import httpx
import pytest

from registry.sandbox.server import application
from tests.sampled import chosen

HOUR, DAY = 3600, 86_400
MOMENTS = {
    "a winter night": 1764555240,
    "the night the clocks go forward": 1774743600,
    "a summer noon": 1785405600,
    "the Friday before New York falls back": 1793387700,
}


class Account:
    """What a client sees of duties."""

    def __init__(self, now: int) -> None:
        self.now = now
        headers = {"Authorization": "Token token=user-token"}
        transport = httpx.ASGITransport(application(seed=1, now=now, scenario="quiet"))
        self.api = httpx.AsyncClient(transport=transport, base_url="http://sandbox/incidents", headers=headers)

    async def answer(self, **params: Any) -> httpx.Response:
        return await self.api.get("/oncalls", params={"limit": 100, **params})

    async def duties(self, since: int | None = None, until: int | None = None, **params: Any) -> list[dict[str, Any]]:
        window = {"since": since, "until": until}
        params |= {name: utc(moment) for name, moment in window.items() if moment is not None}
        found: list[dict[str, Any]] = []
        while True:
            response = await self.answer(offset=len(found), **params)
            assert response.status_code == 200, response.text
            page = response.json()
            found += page["oncalls"]
            if not page["more"]:
                return found

    async def ids(self, path: str) -> dict[str, str]:
        response = (await self.api.get(path, params={"limit": 100})).json()
        return {one["name"]: one["id"] for one in response[path[1:]]}


@pytest.fixture(params=chosen(MOMENTS, lambda moment: " clocks go " in moment or " falls back" in moment), ids=list(MOMENTS))
async def account(request: pytest.FixtureRequest) -> Account:
    return Account(MOMENTS[request.param])


def utc(moment: int) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def at(text: str | None) -> int | None:
    return None if text is None else int(datetime.fromisoformat(text).timestamp())


def key(duty: dict[str, Any]) -> tuple[str, int, str | None, str, str | None, str | None]:
    schedule = duty["schedule"] and duty["schedule"]["id"]
    policy, user = duty["escalation_policy"]["id"], duty["user"]["id"]
    return policy, duty["escalation_level"], schedule, user, duty["start"], duty["end"]


def covers(duty: dict[str, Any], first: int, last: int) -> bool:
    """Whether a duty overlaps the time between two moments, or covers the one moment."""
    start, end = at(duty["start"]), at(duty["end"])
    return (start is None or start < max(last, first + 1)) and (end is None or end > first)


async def test_now_is_the_moment_when_nothing_else_is_said(account: Account) -> None:
    now = await account.duties()
    assert now == await account.duties(account.now, account.now)
    assert all(covers(duty, account.now, account.now) for duty in now)
    schedules = [duty["schedule"]["id"] for duty in now if duty["schedule"]]
    people = {(duty["schedule"]["id"], duty["user"]["id"]) for duty in now if duty["schedule"]}
    assert len(people) == len(set(schedules))
    me = (await account.api.get("/users/me")).json()["user"]["id"]
    payments = (await account.ids("/schedules"))["Payments primary"]
    assert (payments, me) in people


async def test_a_window_shows_what_overlaps_it_and_shows_it_whole(account: Account) -> None:
    """Whatever a wide window shows, a narrow one inside it shows the same, as far as it reaches."""
    wide = await account.duties(account.now - 10 * DAY, account.now + 60 * DAY)
    assert all(covers(duty, account.now - 10 * DAY, account.now + 60 * DAY) for duty in wide)
    for first, length in (
        (-9 * DAY, 3 * DAY),
        (-HOUR, 0),
        (0, 30 * HOUR),
        (5 * DAY, 4 * DAY),
        (40 * DAY, 19 * DAY),
        (13 * DAY, 1),
    ):
        since = account.now + first
        narrow = await account.duties(since, since + length)
        assert [key(duty) for duty in narrow] == [key(duty) for duty in wide if covers(duty, since, since + length)]


async def test_everybody_hands_over_without_overlap(account: Account) -> None:
    shifts = defaultdict(set)
    for duty in await account.duties(account.now - 5 * DAY, account.now + 80 * DAY):
        if duty["schedule"]:
            shifts[duty["schedule"]["id"]].add((at(duty["start"]), at(duty["end"]), duty["user"]["id"]))
    endless = 0
    for spans in shifts.values():
        ordered = sorted(spans, key=lambda span: span[0] or 0)
        for (_, end, person), (start, _, other) in pairwise(ordered):
            assert end is not None
            assert start is not None
            assert end <= start
            assert end < start or person != other
        endless += ordered[-1][1] is None
    assert endless == 1


async def test_handoffs_keep_their_local_time_over_changes_of_the_clock(account: Account) -> None:
    schedules = await account.ids("/schedules")
    for name, zone, clock in (
        ("Payments secondary", "Europe/Berlin", "09:00"),
        ("Help desk", "America/New_York", "17:00"),
        ("Data weekdays and weekends", "Asia/Kolkata", "00:00"),
    ):
        duties = await account.duties(
            account.now + DAY, account.now + 85 * DAY, time_zone=zone, **{"schedule_ids[]": schedules[name]}
        )
        assert len(duties) >= 4
        assert {duty["start"][11:16] for duty in duties[1:]} == {clock}


async def test_permanent_duties_have_no_schedule_and_no_time(account: Account) -> None:
    duties = await account.duties()
    permanent = [duty for duty in duties if duty["schedule"] is None]
    assert len(permanent) > 8
    assert all(duty["start"] is duty["end"] is None for duty in permanent)
    assert all(duty["start"] is not None for duty in duties if duty["schedule"])
    far = await account.duties(account.now + 50 * DAY, account.now + 51 * DAY)
    assert [key(duty) for duty in far if duty["schedule"] is None] == [key(duty) for duty in permanent]


def test_later_layers_and_overrides_count_first() -> None:
    from registry.sandbox.incidents.rotations import Rotation

    def layer(name: str, start: str, days: int, people: list[str], *openings: Any) -> dict[str, Any]:
        return {
            "id": name,
            "name": name,
            "start": start,
            "end": None,
            "days": days,
            "people": people,
            "openings": list(openings),
        }

    rotation = Rotation.read(
        {
            "time_zone": "Europe/Berlin",
            "layers": [
                layer("always", "2026-03-23T08:00:00", 7, ["a", "b"]),
                layer("nights", "2026-03-23T22:00:00", 1, ["c", "d"], (list(range(7)), "22:00:00", 8)),
            ],
            "overrides": [("e", 1774735200, 1774749600)],  # 23:00 to 04:00, in the night the clocks go forward
        }
    )
    told = [
        (shift.person, *(datetime.fromtimestamp(at, rotation.zone).strftime("%a %H:%M") for at in shift[1:] if at))
        for shift in rotation.between(1774681200, 1774879200)
    ]
    assert told == [
        ("a", "Sat 08:00", "Sat 22:00"),
        ("d", "Sat 22:00", "Sat 23:00"),
        ("e", "Sat 23:00", "Sun 04:00"),
        ("d", "Sun 04:00", "Sun 06:00"),
        ("a", "Sun 06:00", "Sun 22:00"),
        ("c", "Sun 22:00", "Mon 06:00"),
        ("a", "Mon 06:00", "Mon 08:00"),
        ("b", "Mon 08:00", "Mon 16:00"),
    ]


async def test_filters(account: Account) -> None:
    everything = await account.duties(account.now, account.now + 7 * DAY)
    schedules, policies, users = [await account.ids(path) for path in ("/schedules", "/escalation_policies", "/users")]
    primary, desk = schedules["Payments primary"], schedules["Help desk"]

    async def found(**params: Any) -> list[Any]:
        return [key(duty) for duty in await account.duties(account.now, account.now + 7 * DAY, **params)]

    def expected(fits: Any) -> list[Any]:
        return [key(duty) for duty in everything if fits(duty)]

    def schedule(duty: dict[str, Any]) -> str | None:
        return duty["schedule"] and str(duty["schedule"]["id"])

    assert await found(**{"schedule_ids[]": [primary, desk]}) == expected(lambda duty: schedule(duty) in (primary, desk))
    assert await found(**{"schedule_ids[]": [primary, "null"]}) == expected(lambda duty: schedule(duty) in (primary, None))
    assert await found(**{"schedule_ids[]": "null"}) == expected(lambda duty: schedule(duty) is None)
    data = policies["Data"]
    assert await found(**{"escalation_policy_ids[]": data}) == expected(lambda duty: duty["escalation_policy"]["id"] == data)
    dana = users["Dana Wu"]
    assert await found(**{"user_ids[]": dana}) == expected(lambda duty: duty["user"]["id"] == dana)
    both = {"user_ids[]": dana, "schedule_ids[]": "null"}
    assert await found(**both) == expected(lambda duty: duty["user"]["id"] == dana and schedule(duty) is None)
    assert await found(**{"escalation_policy_ids[]": "PNOTHING"}) == []
    first = await account.duties(account.now, account.now + 7 * DAY, earliest="true")
    seen: dict[Any, Any] = {}
    for duty in everything:
        place = key(duty)[:2] + key(duty)[3:4]
        if place not in seen or (at(duty["start"]) or 0) < (at(seen[place]["start"]) or 0):
            seen[place] = duty
    assert sorted(map(str, map(key, first))) == sorted(str(key(duty)) for duty in seen.values())
    assert len(first) < len(everything)


async def test_nothing_is_told_beyond_ninety_days(account: Account) -> None:
    horizon = account.now + 90 * DAY
    duties = await account.duties(account.now, account.now + 300 * DAY)
    assert duties == await account.duties(account.now, horizon)
    starts = [at(duty["start"]) or 0 for duty in duties]
    assert horizon - 2 * DAY < max(starts) <= horizon
    assert await account.duties(account.now + 91 * DAY, account.now + 92 * DAY) == []
    assert (await account.answer(since=utc(account.now + DAY))).status_code == 200
    assert (await account.answer(until=utc(account.now - 1))).json()["error"]["code"] == 2005


async def test_every_level_of_every_policy_but_the_uncovered_ones(account: Account) -> None:
    response = (await account.api.get("/escalation_policies", params={"limit": 100})).json()
    levels = {
        (policy["name"], number)
        for policy in response["escalation_policies"]
        for number, _ in enumerate(policy["escalation_rules"], start=1)
    }
    fortnight = await account.duties(account.now, account.now + 14 * DAY)
    covered = {(duty["escalation_policy"]["summary"], duty["escalation_level"]) for duty in fortnight}
    assert levels - covered == {("Web", 3)}


async def test_the_situation_that_a_responder_finds(account: Account) -> None:
    now = await account.duties()
    places = defaultdict(set)
    for duty in now:
        places[duty["escalation_policy"]["summary"], duty["user"]["id"]].add(duty["escalation_level"])
    assert any(len(levels) > 1 for levels in places.values())

    ends = sorted(end for duty in now if (end := at(duty["end"])) is not None)
    assert account.now < ends[0] <= account.now + 5 * HOUR
    soon = [duty for duty in now if (at(duty["end"]) or account.now + DAY) < account.now + DAY]
    assert any(duty["start"][:10] != duty["end"][:10] for duty in soon)

    platform = (await account.ids("/schedules"))["Platform follow the sun"]
    duties = await account.duties(account.now, account.now + 14 * DAY, **{"schedule_ids[]": platform})
    ordered = sorted((at(duty["start"]) or 0, at(duty["end"]) or 0) for duty in duties)
    gaps = [(end, start) for (_, end), (start, _) in pairwise(ordered) if end < start]
    assert [start - end for end, start in gaps] == [8 * HOUR] * 3
    assert all(account.now + 4 * DAY < end < account.now + 9 * DAY for end, _ in gaps)
    uncovered = gaps[0][0] + HOUR
    assert await account.duties(uncovered, uncovered, **{"schedule_ids[]": platform}) == []


async def test_schedules_are_written_out_as_they_are_lived(account: Account) -> None:
    since, until = account.now - 2 * DAY, account.now + 12 * DAY
    window = {"since": utc(since), "until": utc(until), "time_zone": "UTC"}
    overridden = 0
    for id_ in (await account.ids("/schedules")).values():
        schedule = (await account.api.get(f"/schedules/{id_}", params=window)).json()["schedule"]
        final = [
            (entry["user"]["id"], at(entry["start"]), at(entry["end"]))
            for entry in schedule["final_schedule"]["rendered_schedule_entries"]
        ]
        duties = {key(duty)[3:]: duty for duty in await account.duties(since, until, **{"schedule_ids[]": id_})}
        clipped = sorted((user, max(at(start) or 0, since), min(at(end) or until, until)) for user, start, end in duties)
        assert sorted(final) == clipped
        covered = sum((end or 0) - (start or 0) for _, start, end in final)
        assert schedule["final_schedule"]["rendered_coverage_percentage"] == round(100 * covered / (until - since), 1)
        overrides = schedule["overrides_subschedule"]["rendered_schedule_entries"]
        overridden += len(overrides)
        for entry in overrides:
            start, end = at(entry["start"]) or 0, at(entry["end"]) or 0
            assert any(user == entry["user"]["id"] and first <= start and end <= last for user, first, last in clipped)
        for layer in schedule["schedule_layers"]:
            assert layer["rotation_turn_length_seconds"] in (DAY, 7 * DAY)
            people = {one["user"]["id"] for one in layer["users"]}
            assert {entry["user"]["id"] for entry in layer["rendered_schedule_entries"]} <= people
    assert overridden == 2


async def test_a_layer_begins_with_its_first_turn(account: Account) -> None:
    begun = 0
    for id_ in (await account.ids("/schedules")).values():
        layers = (await account.api.get(f"/schedules/{id_}")).json()["schedule"]["schedule_layers"]
        for place, layer in enumerate(layers):
            start = at(layer["start"]) or 0
            window = {"since": utc(start - DAY), "until": utc(start + DAY)}
            again = (await account.api.get(f"/schedules/{id_}", params=window)).json()["schedule"]["schedule_layers"][place]
            entry = again["rendered_schedule_entries"][0]
            assert at(entry["start"]) == start
            assert entry["user"]["id"] == layer["users"][0]["user"]["id"]
            begun += 1
    assert begun == 12


async def test_schedules_are_written_out_for_a_fortnight_when_one_end_is_missing(account: Account) -> None:
    (id_, *_) = (await account.ids("/schedules")).values()

    async def entries(**params: str) -> list[Any]:
        schedule = (await account.api.get(f"/schedules/{id_}", params=params)).json()["schedule"]
        return list(schedule["final_schedule"]["rendered_schedule_entries"])

    since, until = utc(account.now), utc(account.now + 14 * DAY)
    assert await entries() == []
    assert await entries(since=since) == await entries(until=until) == await entries(since=since, until=until) != []
    wide = await account.api.get(f"/schedules/{id_}", params={"since": since, "until": utc(account.now + 200 * DAY)})
    assert wide.status_code == 400
