"""The smaller parts of the board: scope, marks, order, alarms and their command, coverage, links, times."""

import asyncio
import json
import os
import sys
from datetime import UTC
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from registry.doors.cli_oncall import alarm_command
from registry.oncall.alarms import MOST_TOLD, Alarm, AlarmCommand, Alarms, Ring, WrongCommand
from registry.oncall.board import marks
from registry.oncall.facts import own_link
from registry.oncall.forecast import coverage, own_weakness
from registry.oncall.model import DUE, CallSource, age, clock, countdown, span, when
from registry.oncall.reading import incident as incident_of
from registry.oncall.scope import Scope, problem
from registry.oncall.words import short_name
from tests.cases import cases_beside
from tests.oncall.watch import HOUR, ME, MINUTE, NOW, Service, Watch, incident, oncall, policy, scripted, titled

CASES = cases_beside(__file__)

BERLIN = ZoneInfo("Europe/Berlin")
DAY = 24 * HOUR


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0, "0s"), (-5, "0s"), (59, "59s"), (60, "1m00s"), (252, "4m12s"), (599, "9m59s"), (600, "10m"), (3599, "59m"),
     (3600, "1h00m"), (20_760, "5h46m"), (86_400, "24h"), (172_800, "2d"), (41 * DAY, "41d")],
)  # fmt: skip
def test_ages(seconds: float, told: str) -> None:
    assert age(seconds) == told
    assert len(told) <= 6


@pytest.mark.parametrize(
    ("left", "told"),
    [(48, "0:48"), (0.2, "0:01"), (0, DUE), (-9, DUE), (480, "8m00s"), (3599, "59m59s"), (3600, "1h00m"), (3 * DAY, "3d")],
)
def test_countdowns(left: float, told: str) -> None:
    assert countdown(NOW + left, NOW) == told


def test_moments_name_their_zone() -> None:
    assert clock(NOW, BERLIN) == "03:14 CET"
    assert clock(NOW, UTC) == "02:14 UTC"
    assert clock(NOW, ZoneInfo("Asia/Dubai")) == "06:14 UTC+04"
    assert when(NOW + 5 * HOUR, BERLIN, NOW) == "08:14 CET"
    assert when(NOW + 30 * HOUR, BERLIN, NOW) == "Tue 2 Dec 09:14 CET"
    assert when(NOW - 400 * DAY, BERLIN, NOW) == "27 Oct 2024 03:14 CET"
    # The night the clocks go forward: an hour of the clock is missing, and the name changes.
    assert clock(1774745999, BERLIN) == "01:59 CET"
    assert clock(1774746000, BERLIN) == "03:00 CEST"
    assert span(5 * HOUR + 46 * MINUTE) == "5h46m"


async def test_scope() -> None:
    async with Watch() as watch:
        everything = await watch.refreshed()
        payments = next(team.id for team in everything.facts.teams if team.name == "Payments")

        def count(**scope: Any) -> tuple[int, int]:
            made = watch.board(Scope(**scope))
            return len(made.rows), made.verdict.outside

        high, low = count(urgency="high"), count(urgency="low")
        assert high[0] + low[0] == 17
        service = titled(everything, "5xx").incident.service.id
        for scope, found in (
            ({}, 17),
            ({"teams": frozenset({payments})}, 2),
            ({"mine": True}, 1),
            ({"service": service}, 2),
            ({"text": "disk"}, 2),
            ({"text": "BATCH kenji"}, 3),
            ({"text": "#4062"}, 1),
            ({"text": '"disk"'}, 2),
            ({"text": "!disk"}, 15),
            ({"text": "number:4062"}, 1),
            ({"text": "number>=4062 number<=4062"}, 1),
            ({"text": "number!=4062"}, 16),
            ({"text": "urgency:high"}, high[0]),
            ({"text": "!urgency:high"}, low[0]),
            ({"text": "urgency=lo"}, 0),
            ({"text": "title~DISK"}, 2),
            ({"text": "disk OR number:4062"}, 3),
            ({"text": "nofield:disk"}, 0),  # what names no field is a text
            *(({"text": half}, 17) for half in ("urgency:", "created>", "created>so", '"', "!", "number:x")),
        ):
            assert count(**scope) == (found, 17 - found), scope  # type: ignore[arg-type]
        newer, older = count(text="created>-30m"), count(text="created<=-30m")
        assert newer[0] + older[0] == 17
        assert 0 < newer[0] < 17
        assert problem("created>soon", NOW) == "created>soon: created must be a time such as -2h or 9:00"
        assert problem("urgency>high", NOW) == "urgency>high: urgency works with : = !=, not with >"
        assert problem("disk kenji created>-2h", NOW) == ""
        nameless = incident_of(incident("N", incident_number=None), CallSource("t"))
        assert nameless is not None
        assert not Scope(text="none").holds(nameless, "", NOW), "a missing number is not the word None"
        made = watch.board(Scope(teams=frozenset({payments})))
        assert [on_call.policy.name for on_call in made.policies] == ["Payments"]
        assert {one.name for one in made.services} == {"checkout-api", "payment-gateway", "pricing"}
        assert {team.id for event in made.events for team in event.teams} == {payments}


async def test_marks_and_order() -> None:
    """What happened to a row is a word; nothing that is on screen changes its place by itself."""
    first = incident("A", created_at="2025-12-01T02:00:00Z")
    second = incident("B", urgency="low", pending_actions=[])
    service = Service(me=ME, incidents=[first, second])
    async with Watch(network=service) as watch:
        before = await watch.refreshed()
        assert marks(None, before) == {}
        assert marks(before, before) == {}
        taken = first | {"status": "acknowledged", "pending_actions": []}
        new = incident("C", priority={"summary": "P1"})
        service.listed["incidents"] = [taken, new]
        service.listed["B"] = lambda _: {"incident": second | {"status": "resolved"}}
        after = await watch.after(15)
        assert marks(before, after) == {"A": "ACK", "B": "DONE", "C": "NEW"}
        assert [row.incident.id for row in after.rows] == ["C", "A"]
        assert marks(after, watch.board(Scope(urgency="low"))) == {"A": "GONE", "C": "GONE"}
        for changes, word in (
            ({"status": "triggered"}, "BACK"),
            ({"assignments": []}, ""),
            ({"urgency": "low"}, "LOW"),
            ({"priority": {"summary": "P1"}}, "P1"),
        ):
            service.listed["incidents"] = [taken | changes, new]
            assert marks(after, await watch.after(30)).get("A", "") == word


@pytest.mark.parametrize(
    ("one", "other", "marks"),
    [
        ({"email": "ann.b@x.example"}, {"email": "a.berg@x.example"}, ("ann.b", "a.berg")),
        ({"email": "ann@x.example", "teams": [{"id": "T1", "summary": "Web"}]},
         {"email": "ann@y.example", "teams": [{"id": "T2", "summary": "Data"}]}, ("Web", "Data")),
        ({}, {}, ("U1", "U2")),
    ],
)  # fmt: skip
async def test_people_with_one_name_are_told_apart(one: dict[str, Any], other: dict[str, Any], marks: tuple[str, str]) -> None:
    users = [{"id": id_, "name": "Ann Berg", **more} for id_, more in (("U1", one), ("U2", other), ("U3", {"name": "Bo"}))]
    duties = [oncall(level, f"U{level}") for level in (1, 2, 3)]
    async with scripted(users=users, oncalls=duties, escalation_policies=[policy(5, 5, 5)], incidents=[incident("A")]) as watch:
        for _ in range(2):
            made = await watch.refreshed()
            names = [duty.user.name for level in made.policies[0].levels for duty in level.duties]
            assert names == [f"Ann Berg ({marks[0]})", f"Ann Berg ({marks[1]})", "Name U3"]
            assert made.rows[0].incident.assigned[0][0].name == names[0]
            assert made.rows[0].next.people[0].name == names[1]
            assert short_name(names[0], 13 + len(marks[0])) in (names[0], f"Ann B. ({marks[0]})")


async def test_alarms_ring_once_each() -> None:
    service = Service(me=ME, incidents=[incident("OLD")], oncalls=[oncall(1, "U1")], escalation_policies=[policy(5)])
    async with Watch(network=service) as watch:
        alarms = Alarms()

        async def after(seconds: int) -> list[str]:
            return [one.words for one in alarms.look(await watch.after(seconds), watch.clock.now())]

        assert await after(0) == []
        low = incident("LOW", urgency="low", pending_actions=[])
        service.listed["incidents"] = [incident("OLD"), incident("NEW", assignments=[]), low]
        assert await after(15) == ["New: api: Title of NEW"]
        assert await after(30) == []
        to_me = [{"at": "2025-12-01T02:14:40Z", "assignee": {"id": "U1", "summary": "Ann"}}]
        service.listed["incidents"] = [incident("OLD"), incident("NEW", assignments=to_me)]
        assert await after(45) == ["Escalated to you: api: Title of NEW"]
        again = incident("OLD", last_status_change_at="2025-12-01T02:14:50Z")
        service.listed["incidents"] = [again, incident("NEW", pending_actions=[])]
        assert await after(60) == [
            "Triggered again: api: Title of OLD",
            "Escalation exhausted, nobody left to page: api: Title of NEW",
        ]
        assert await after(75) == []
        service.listed["incidents"] = 500
        assert await after(240) == []
        assert await after(256) == ["Callboard: incidents not updated for 3 min"]
        assert await after(300) == []
        service.listed["incidents"] = [again]
        assert await after(315) == []
        service.listed["incidents"] = 500
        assert len(await after(500)) == 1


async def test_coverage() -> None:
    """A gap, an end of what is told, one person for everything, and a policy that nobody uses; in words."""
    gap = [
        oncall(1, "U1", "2025-11-30T08:00:00Z", "2025-12-03T08:00:00Z", "S1"),
        oncall(1, "U2", "2025-12-04T08:00:00Z", "2025-12-20T08:00:00Z", "S1"),
    ]
    rules = policy(5, 5)
    rules["escalation_rules"][0]["targets"] = [{"id": "S1", "type": "schedule_reference", "summary": "S1"}]

    def answer(request: Any) -> dict[str, Any]:
        windowed = "since" in request.url.params
        return {"oncalls": [gap[1]] if windowed else [gap[0], oncall(2, "U1")], "more": False}

    async with scripted(oncalls=answer, escalation_policies=[rules]) as watch:
        (cover,) = coverage(await watch.refreshed(), BERLIN) or []
        first, second = cover.levels
        assert [stretch.people for stretch in first.stretches] == [("Name U1",), (), ("Name U2",)]
        assert [stretch.people for stretch in second.stretches] == [("Name U1",)]
        assert [weakness.words for weakness in cover.weaknesses] == [
            "L1 NOBODY from Wed 3 Dec 09:00 CET until Thu 4 Dec 09:00 CET (1d)",
            "Name U1 covers all levels, L1 and L2 from now until Wed 3 Dec 09:00 CET: escalating reaches nobody new",
            "No service uses this policy",
        ]
    gap.pop()
    slow = {"start_delay_in_minutes": 5, "urgency": "high", "contact_method": {"id": "C", "type": "phone_contact_method"}}
    service = Service(me=ME | {"notification_rules": [slow]}, oncalls=lambda request: {"oncalls": gap, "more": False})
    service.listed["escalation_policies"] = [rules]
    async with Watch(network=service) as watch:
        seen = await watch.refreshed()
        (cover,) = coverage(seen, BERLIN) or []
        assert cover.levels[0].stretches[-1].people is None
        assert "L1 no coverage known from Wed 3 Dec 09:00 CET" in [weakness.words for weakness in cover.weaknesses]
        own = own_weakness(seen)
        assert own is not None
        assert "No notification rule pages you immediately" in own.words
    by_turns = [
        oncall(1, "U1", "2025-11-30T08:00:00Z", "2025-12-02T08:00:00Z", "S1"),
        oncall(2, "U2", "2025-11-30T08:00:00Z", "2025-12-02T08:00:00Z", "S2"),
        oncall(1, "U2", "2025-12-02T08:00:00Z", "2025-12-20T08:00:00Z", "S1"),
        oncall(2, "U1", "2025-12-02T08:00:00Z", "2025-12-20T08:00:00Z", "S2"),
    ]
    none = policy() | {"id": "E0", "name": "Without levels", "services": [{"id": "S9", "type": "service_reference"}]}
    async with scripted(
        oncalls=lambda request: {"oncalls": by_turns[2:] if "since" in request.url.params else by_turns[:2], "more": False},
        escalation_policies=[policy(5, 5), none],
    ) as watch:
        made = coverage(await watch.refreshed(), BERLIN) or []
        found = {one.policy.name: [weakness.words for weakness in one.weaknesses] for one in made}
        assert found["Policy"] == ["No service uses this policy"], "never on both levels at the same moment"
        assert found["Without levels"] == ["The policy has no levels: nobody is paged"]
        assert list(found) == ["Without levels", "Policy"], "where nobody is on call now comes first"


@pytest.mark.parametrize(("url", "allowed"), CASES["links"])
async def test_links_lead_to_the_own_account_only(url: str, allowed: bool) -> None:
    async with scripted(incidents=[incident("I1", html_url=url)]) as watch:
        made = await watch.refreshed()
        assert bool(own_link(made.rows[0].incident.url, made.facts)) is allowed
        assert not own_link("https://own.incidents.example/x", replace(made.facts, me=None))


HOSTILE = "New: api: $(touch /tmp/x) `id`; rm -rf ~ && \"' \\ %s {0} \x1b[31m\n\0 end"
_PATH = {"PATH": os.environ["PATH"]}


def ring(*words: str, account: str = "eu") -> Ring:
    return Ring(account, "▲ 1 is yours", NOW, tuple(Alarm(f"new {number}", word) for number, word in enumerate(words)))


def writer(tmp_path: Path, after: str = "") -> tuple[str, Path]:
    """A command that appends what it was given to a file, a line of JSON each run."""
    out, script = tmp_path / "out.jsonl", tmp_path / "it's a script.py"
    script.write_text(
        "import json, os, sys\n"
        "told = {n: v for n, v in os.environ.items() if n.startswith('CALLBOARD') or 'TOKEN' in n}\n"
        "line = json.dumps([sys.argv[1:], told, json.loads(sys.stdin.read())])\n"
        f"open({str(out)!r}, 'a').write(line + '\\n')\n" + after
    )
    return f'{sys.executable} "{script}" "$(id)" \'$HOME\'', out


async def test_what_rings_is_data(tmp_path: Path) -> None:
    words, out = writer(tmp_path)
    command = alarm_command(words, {**_PATH, "INCIDENTS_API_TOKEN": "secret"})
    assert command is not None
    command.ring(ring(HOSTILE))
    await command.done()
    arguments, variables, stdin = json.loads(out.read_text())
    assert arguments == ["$(id)", "$HOME"]
    assert "\0" not in variables["CALLBOARD_ALARM"]
    assert variables["CALLBOARD_ALARM"].startswith("New: api: $(touch /tmp/x) `id`; rm -rf ~ && ")
    assert "\\u001b[31m\\n\\u0000 end" in variables["CALLBOARD_ALARM"]
    assert (variables["CALLBOARD_ALARM_KIND"], variables["CALLBOARD_ALARM_ACCOUNT"]) == ("new", "eu")
    assert not any("TOKEN" in name for name in variables)
    assert stdin["alarms"] == [{"kind": "new", "words": HOSTILE}]
    assert (stdin["at"], stdin["account"], stdin["verdict"], stdin["more"]) == ("2025-12-01T02:14:00Z", "eu", "▲ 1 is yours", 0)


async def test_one_at_a_time_and_what_waits_goes_together(tmp_path: Path) -> None:
    words, out = writer(tmp_path)
    command = AlarmCommand(words, _PATH)
    command.ring(ring("first"))
    await asyncio.sleep(0)  # the first run has begun with what there was
    for number in range(MOST_TOLD + 7):
        command.ring(ring(f"storm {number}"))
    command.ring(ring("other", account="us"))
    command.ring(ring())
    await command.done()
    runs = [json.loads(line)[2] for line in out.read_text().splitlines()]
    assert [(run["account"], len(run["alarms"]), run["more"]) for run in runs] == [
        ("eu", 1, 0),
        ("eu", MOST_TOLD, 7),
        ("us", 1, 0),
    ]


async def test_a_command_that_fails_or_does_not_end_is_told(tmp_path: Path) -> None:
    told: list[str] = []
    failing = AlarmCommand(f"{sys.executable} -c 'import sys; sys.exit(3)'", _PATH, told.append)
    failing.ring(ring("one"))
    await failing.done()
    assert told == ["the alarm command exited with status 3"]
    child = tmp_path / "child.pid"
    endless = f"import os,sys,time\nif not os.fork():\n open({str(child)!r},'w').write(str(os.getpid()))\ntime.sleep(600)"
    script = tmp_path / "endless.py"
    script.write_text(endless)
    command = AlarmCommand(f"{sys.executable} {script}", _PATH, told.append, patience=0.5)
    command.ring(ring("two"))
    await command.done()
    assert told[1:] == ["the alarm command was stopped after 0 s"]
    closing = AlarmCommand(f"{sys.executable} {script}", _PATH, told.append)
    closing.ring(ring("three"))
    await asyncio.sleep(0)
    await closing.aclose()
    assert len(told) == 2


@pytest.mark.parametrize(
    ("command", "why"),
    [("", "needs a command"), ("   ", "needs a command"), ("'open", "cannot be split"), ("no-such-program x", "no program")],
)  # fmt: skip
def test_a_command_that_cannot_be_run_is_refused_at_the_start(command: str, why: str) -> None:
    with pytest.raises(WrongCommand, match=why):
        AlarmCommand(command, _PATH)
