"""Who is on call: at a moment and over a window, from schedules whose rotations, overrides and gaps are what they say."""

from datetime import UTC, datetime
from typing import Any

import pytest

from registry.sandbox.incidents.rotations import Rotation
from tests.sampled import chosen
from tests.sandbox.incidents import Incidents

HOUR, DAY = 3600, 86_400
MOMENTS = {
    "a winter night": 1764555240,
    "the night the clocks go forward": 1774743600,
    "a summer noon": 1785405600,
    "the Friday before New York falls back": 1793387700,
}


class Account(Incidents):
    """What a client sees of duties."""

    def duties(self, since: int | None = None, until: int | None = None, **params: Any) -> list[dict[str, Any]]:
        window = {"since": since, "until": until}
        return self.all("oncalls", **params, **{name: utc(moment) for name, moment in window.items() if moment is not None})


@pytest.fixture(params=chosen(MOMENTS, lambda moment: " clocks go " in moment or " falls back" in moment), ids=list(MOMENTS))
def account(request: pytest.FixtureRequest) -> Account:
    return Account(MOMENTS[request.param], scenario="quiet")


def utc(moment: int) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def at(text: str | None) -> int | None:
    return None if text is None else int(datetime.fromisoformat(text).timestamp())


def key(duty: dict[str, Any]) -> tuple[str, int, str | None, str, str | None, str | None]:
    schedule = duty["schedule"] and duty["schedule"]["id"]
    policy, user = duty["escalation_policy"]["id"], duty["user"]["id"]
    return policy, duty["escalation_level"], schedule, user, duty["start"], duty["end"]


def test_handoffs_keep_their_local_time_over_changes_of_the_clock(account: Account) -> None:
    schedules = account.ids("schedules")
    for name, zone, clock in (
        ("Payments secondary", "Europe/Berlin", "09:00"),
        ("Help desk", "America/New_York", "17:00"),
        ("Data weekdays and weekends", "Asia/Kolkata", "00:00"),
    ):
        duties = account.duties(
            account.now + DAY, account.now + 85 * DAY, time_zone=zone, **{"schedule_ids[]": schedules[name]}
        )
        assert len(duties) >= 4
        assert {duty["start"][11:16] for duty in duties[1:]} == {clock}


def test_later_layers_and_overrides_count_first() -> None:
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


def test_nothing_is_told_beyond_ninety_days(account: Account) -> None:
    horizon = account.now + 90 * DAY
    duties = account.duties(account.now, account.now + 300 * DAY)
    assert duties == account.duties(account.now, horizon)
    starts = [at(duty["start"]) or 0 for duty in duties]
    assert horizon - 2 * DAY < max(starts) <= horizon
    assert account.duties(account.now + 91 * DAY, account.now + 92 * DAY) == []
    assert account.duties(account.now + DAY)


def test_schedules_are_written_out_as_they_are_lived(account: Account) -> None:
    since, until = account.now - 2 * DAY, account.now + 12 * DAY
    window = {"since": utc(since), "until": utc(until), "time_zone": "UTC"}
    overridden = 0
    for id_ in (account.ids("schedules")).values():
        schedule = account.get(f"/schedules/{id_}", **window)["schedule"]
        final = [
            (entry["user"]["id"], at(entry["start"]), at(entry["end"]))
            for entry in schedule["final_schedule"]["rendered_schedule_entries"]
        ]
        duties = {key(duty)[3:]: duty for duty in account.duties(since, until, **{"schedule_ids[]": id_})}
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
