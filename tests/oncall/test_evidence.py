"""When it is all clear, and what is said when it is not known; lanes, groups, and the words of the next hour."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest

from registry.doors.oncall_print import exit_code
from registry.oncall.account import AccountView
from registry.oncall.as_json import as_json
from registry.oncall.board import Board
from registry.oncall.forecast import forecast
from registry.oncall.groups import alike, groups, is_storm
from registry.oncall.headline import headline
from registry.oncall.page import page
from registry.oncall.report import report
from tests.oncall.watch import NOW, Watch, incident, oncall, policy, scripted, titled, user

BERLIN = ZoneInfo("Europe/Berlin")
ENTRY = {"id": "R1", "type": "trigger_log_entry", "created_at": "2025-12-01T02:00:00Z", "incident": {"id": "LOST"}}


def service(state: str) -> dict[str, Any]:
    return {"id": "S1", "name": "api", "status": state, "escalation_policy": {"id": "E1"}, "teams": []}


def only_recent(*listed: dict[str, Any], more: object = False, broken: Any = None) -> Any:
    """Incidents of the present window; `broken` is what the list of acknowledged ones answers."""

    def answer(request: httpx.Request) -> Any:
        if broken is not None and request.url.params["statuses[]"] == "acknowledged":
            return httpx.Response(broken) if isinstance(broken, int) else broken
        recent = request.url.params["until"] > "2025-12-01"
        found = [one for one in listed if one["status"] == request.url.params["statuses[]"] and recent]
        return {"incidents": found, "more": more if recent else False}

    return answer


@pytest.mark.parametrize(
    ("listed", "code", "level", "words"),
    [
        ({}, 0, "clear", "✓ All clear. 0 open, read completely 0s ago; no services."),
        ({"services": [service("active")]}, 0, "clear", "✓ All clear. 0 open, read completely 0s ago; 1 of 1 services well."),
        ({"services": 500}, 0, "doubt", "? No open incidents; services not checked."),
        ({"services": 500, "log_entries": 500}, 0, "doubt", "? No open incidents; services and log not checked."),
        ({"services": {"services": {}}}, 0, "doubt", "? No open incidents; services not checked."),
        (
            {"services": [service("critical")]}, 1, "doubt",
            "? DOUBTFUL. No open incidents were returned, but 1 service is critical without a triggered incident (api).",
        ),
        (
            {"log_entries": [ENTRY], "LOST": 500}, 1, "doubt",
            "? DOUBTFUL. No open incidents were returned, "
            "but the log names 1 incident that no list contains and that did not end.",
        ),
        ({"log_entries": [ENTRY], "LOST": {"incident": incident("LOST", status="resolved")}}, 0, "clear", "✓ All clear."),
        ({"log_entries": [ENTRY], "LOST": {"incident": incident("LOST")}}, 10, "mine", "▲ DOUBTFUL. 1+ are yours"),
        ({"incidents": only_recent(more=True)}, 1, "doubt",
         "? NOT COMPLETE. No open incidents so far; triggered: more may exist."),
        ({"incidents": only_recent({"id": "I", "status": "triggered"})}, 1, "doubt",
         "? NOT COMPLETE. No open incidents so far; triggered: 1 unreadable."),
        ({"incidents": only_recent(broken={"incidents": None})}, 1, "doubt",
         "? NOT COMPLETE. No open incidents so far; acknowledged: the response has no list of incidents."),
        ({"incidents": only_recent(broken=401)}, 3, "doubt", "? NOT COMPLETE. No open incidents so far; acknowledged: 401"),
        ({"incidents": only_recent(incident("I"), broken=401)}, 10, "mine", "▲ NOT COMPLETE. 1+ are yours"),
        ({"incidents": 403}, 3, "doubt", "? UNKNOWN. Could not load incidents: triggered: 403"),
        ({"incidents": 500, "log_entries": [ENTRY], "LOST": {"incident": incident("LOST")}}, 10, "mine",
         "▲ NOT COMPLETE. 1+ are yours, unacknowledged for 4m00s."),
        ({"incidents": [incident("I", pending_actions=None)]}, 10, "mine",
         "▲ 1 is yours, unacknowledged for 4m00s. Next escalation unknown."),
        ({"incidents": only_recent(incident("I", urgency="low", pending_actions=[]), more=True)}, 10, "mine",
         "▲ NOT COMPLETE. 1+ are yours, unacknowledged for 4m00s. Next escalation unknown."),
        ({"incidents": [incident("I", urgency="low", pending_actions=[])]}, 10, "mine",
         "▲ 1 is yours, unacknowledged for 4m00s. No escalation due."),
        ({"incidents": 500}, 1, "doubt", "? UNKNOWN. Could not load incidents: triggered: 500"),
        ({"incidents": only_recent(incident("I")), "log_entries": 500, "oncalls": 500, "escalation_policies": 500,
          "services": 500, "users": 500}, 10, "mine", "▲ 1 is yours, unacknowledged for 4m00s."),
    ],
)  # fmt: skip
async def test_the_claim_and_the_code(listed: dict[str, Any], code: int, level: str, words: str) -> None:
    served = {name: (lambda _, found=found: found) if isinstance(found, dict) else found for name, found in listed.items()}
    async with scripted(**served) as watch:
        made = await watch.refreshed()
        said = headline(made, NOW, 15, BERLIN)
        assert said.words.startswith(words), said.words
        assert (exit_code(made), said.level) == (code, level)
        verdict = as_json(made)["verdict"]
        assert verdict["trusted"] is (code in (0, 10) and said.evidence.trusted)
        assert verdict["complete"] is (not said.evidence.causes)
        unknown = [row for row in made.rows if row.next.kind == "unknown"]
        assert as_json(made)["next_escalation_may_be_sooner"] is (bool(unknown) or verdict["may_be_more"])
        assert ("Next unknown." in headline(made, NOW, 15, BERLIN, 40).words) is ("escalation unknown" in words)


async def test_numbers_that_may_be_more_say_so() -> None:
    unknown = incident("B", assignments=None)
    async with scripted(incidents=only_recent(incident("A"), unknown)) as watch:
        made = await watch.refreshed()
        verdict = as_json(made)["verdict"]
        assert (verdict["mine"], verdict["mine_unacknowledged"], verdict["mine_may_be_more"], verdict["may_be_more"]) == (
            1, 1, True, False,
        )  # fmt: skip
        assert "1+ are yours" in watch.verdict()
        assert "assigned to unknown)" in report(made, BERLIN, 15)
        assert "assigned to unknown;" in page([AccountView("a", "live", made, 15)])
    async with scripted(incidents=only_recent(incident("A"), more=True)) as watch:
        await watch.refreshed()
        assert as_json(watch.board())["verdict"]["may_be_more"] is True
        assert watch.counts().startswith("1+ triggered")


LOOPING = policy(5, 5, loops=1) | {"id": "E1"}


async def test_how_often_a_policy_started_over_is_never_guessed() -> None:
    """The incident began before the log: nobody is named."""
    one = incident("A", created_at="2025-11-10T02:10:00Z", assignments=[{"at": "2025-12-01T02:10:00Z", "assignee": user("U2")}])
    duties = [oncall(1, "U1"), oncall(2, "U2")]
    async with scripted(incidents=[one], escalation_policies=[LOOPING], oncalls=duties, A={"incident": one}) as watch:
        (row,) = (await watch.refreshed()).rows
        assert (row.next.kind, row.next.people, row.lane) == ("maybe", (), "unacknowledged")
        assert [page.why for page in forecast(watch.board()).pages] == ["unknown"]
        assert "may repeat from L1" in watch.verdict()


async def test_lanes() -> None:
    async with Watch() as watch:
        made = await watch.refreshed()
        lanes = {
            words: titled(made, words).lane
            for words in ("5xx rate", "Replica lag", "TLS handshake", "Nightly settlement", "Disk 80 %", "Index is 6 h")
        }
        assert lanes == {
            "5xx rate": "mine", "Replica lag": "next", "TLS handshake": "nobody", "Nightly settlement": "nobody",
            "Disk 80 %": "low", "Index is 6 h": "rest",
        }  # fmt: skip
        soon = [row.next.at for row in made.rows if row.lane == "next"]
        assert soon == sorted(soon, key=lambda at: at or 0.0)
    async with scripted(incidents=[incident("A", assignments=[], pending_actions=None)]) as watch:
        (row,) = (await watch.refreshed()).rows
        assert (row.lane, row.next.kind) == ("unacknowledged", "unknown")


@pytest.mark.parametrize(
    ("one", "other"),
    [("Packet loss 60 % between a and b [fra1-07]", "Packet loss 8 % between a and b [sin1-22]"), ("DISK full", "disk full")],
)
def test_alike_titles(one: str, other: str) -> None:
    assert alike(one) == alike(other)
    assert alike("42") == "42"


async def test_a_storm_is_a_few_groups() -> None:
    services = [{"id": f"S{n % 3}", "type": "service_reference", "summary": f"api {n % 3}"} for n in range(45)]
    many = [incident(f"I{n}", service=one, title=f"Disk {n} % full") for n, one in enumerate(services)]
    async with scripted(incidents=only_recent(*many)) as watch:
        made = await watch.refreshed()
        assert is_storm(made)
        assert [(group.name, len(group.rows)) for group in groups(made.rows, "service")] == [(f"api {n}", 15) for n in range(3)]
        (alike_ones,) = groups(made.rows, "title")
        assert alike_ones.titles == (("Disk 0 % full", 45),)
        assert alike_ones.soonest is made.soonest
    async with scripted(incidents=only_recent(*many[:9])) as watch:
        assert not is_storm(await watch.refreshed())


def pages(made: Board) -> list[tuple[int, str, tuple[str, ...]]]:
    return [(int(page.at - NOW), page.why, tuple(ref.id for ref in page.people)) for page in forecast(made).pages]


async def test_the_next_hour_of_one_incident() -> None:
    """Up two levels, over again, and out of levels; an ack that times out pages who has it, and goes on from there."""
    first = [{"at": "2025-12-01T02:10:00Z", "assignee": user("U1")}]
    listed: dict[str, Any] = {
        "escalation_policies": [policy(10, 15, loops=1)],
        "oncalls": [oncall(1, "U1"), oncall(2, "U2")],
    }
    async with scripted(incidents=only_recent(incident("A", assignments=first)), **listed) as watch:
        assert pages(await watch.refreshed()) == [
            (60, "escalation", ("U2",)), (960, "repeat", ("U1",)), (1560, "escalation", ("U2",)), (2460, "nobody", ()),
        ]  # fmt: skip
    held = incident(
        "A", assignments=first, status="acknowledged", pending_actions=[{"type": "unacknowledge", "at": "2025-12-01T02:44:00Z"}]
    )
    async with scripted(incidents=only_recent(held), **listed) as watch:
        made = await watch.refreshed()
        assert pages(made) == [(1800, "ack timeout", ("U1",)), (2400, "escalation", ("U2",)), (3300, "repeat", ("U1",))]
        assert [(one.people[0].id, len(one.pages), one.holds) for one in forecast(made).paged] == [("U1", 2, 1), ("U2", 1, 0)]
