"""The busy night on a clock that the test moves; numbers that may be more; lanes, groups, and the next hour."""

from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest

from registry.oncall.account import AccountView
from registry.oncall.board import Board, alike, groups, is_storm
from registry.oncall.escalation import OnCallPolicy
from registry.oncall.forecast import forecast
from registry.oncall.formats import as_json, page
from registry.oncall.model import DUE
from registry.oncall.report import report
from registry.oncall.words import called, following, level_line, next_clock, next_words, plain, state
from tests.oncall.watch import NOW, Watch, incident, oncall, policy, scripted, titled, user

BERLIN = ZoneInfo("Europe/Berlin")


def only_recent(*listed: dict[str, Any], more: object = False) -> Any:
    """Incidents of the present window."""

    def answer(request: httpx.Request) -> Any:
        recent = request.url.params["until"] > "2025-12-01"
        found = [one for one in listed if one["status"] == request.url.params["statuses[]"] and recent]
        return {"incidents": found, "more": more if recent else False}

    return answer


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
    listed: dict[str, Any] = {"escalation_policies": [policy(10, 15, loops=1)], "oncalls": [oncall(1, "U1"), oncall(2, "U2")]}
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


def on_call(made: Board, name: str) -> OnCallPolicy:
    (found,) = [one for one in made.policies if one.policy.name == name]
    return found


async def test_the_escalation_that_is_nearest() -> None:
    """48 seconds to go, "due, checking" at zero, and the next level only once the service says so."""
    async with Watch() as watch:
        row = titled(await watch.refreshed(), "5xx rate")
        me = watch.board().mine.me
        assert me is not None

        def said() -> str:
            return following(row, watch.clock.now(), BERLIN, me.id).words

        assert (row.levels, row.mine, state(row)) == ((1,), True, "TRIG")
        assert said() == "→ L2 Dana Wu in 0:48"
        assert (next_clock(row, NOW), next_words(row, me.id)) == ("0:48", "→ L2 Dana Wu")
        told = plain(called(row, BERLIN, me.id))
        assert told == "notified (CET): you push 03:09, phone 03:11; not acknowledged yet"
        watch.clock.advance(47)
        assert said() == "→ L2 Dana Wu in 0:01"
        watch.clock.advance(1)
        assert said() == f"→ L2 Dana Wu {DUE}"
        assert titled(watch.board(), "5xx rate").levels == (1,)
        row = titled(await watch.after(48), "5xx rate")
        assert (row.levels, row.mine) == ((2,), False)
        assert said() == "→ L3 Dana Wu in 10m00s"
        assert "none yours" in watch.verdict()


async def test_each_kind_of_open_incident() -> None:
    async with Watch() as watch:
        made = await watch.refreshed()

        def told(words: str) -> tuple[str, str, bool, str]:
            row = titled(made, words)
            levels = "/".join(map(str, row.levels))
            return state(row), levels, row.neglected, following(row, NOW, BERLIN, "").words

        assert told("502s from upstream") == ("TRIG", "2", False, "→ L3 Noor Haddad in 8m00s")
        assert told("Stock feed silent") == ("TRIG", "2", True, "nobody left to page")
        assert told("Nightly settlement") == ("TRIG", "2", False, "→ nobody left in 23m00s")
        assert told("Index is 6 h") == ("SNZD", "1", False, "snoozed until 06:34 CET (3h20m)")
        bounced = "→ L2 one of Amara Okafor, Ivo Petrov, Lucía Ferrer in 3m00s"
        assert told("Bounce rate") == ("TRIG", "1", False, bounced)
        assert [row.neglected for row in made.rows].count(True) == 5
        assert (made.verdict.snoozed, made.verdict.mine) == (2, 1)


async def test_the_ladder() -> None:
    async with Watch() as watch:
        made = await watch.refreshed()
        assert [one.policy.name for one in made.policies] == [
            "Data", "Help desk", "Major incident bridge", "Month end", "Payments", "Platform", "Web",
        ]  # fmt: skip
        web = on_call(made, "Web")
        assert web.uncovered == (1, 3)
        assert [plain(level_line(one, NOW, BERLIN, "")) for one in web.levels] == [
            "L1 NOBODY until 09:00 CET",
            "L2 Freya Lind, Tomáš Novák always",
            "L3 NOBODY",
        ]
        assert plain(level_line(on_call(made, "Month end").levels[0], NOW, BERLIN, "")) == "L1 Oskar Berg no end time"
        payments = [
            plain(level_line(one, NOW, BERLIN, made.mine.me.id if made.mine.me else ""))
            for one in on_call(made, "Payments").levels
        ]
        assert payments == [
            "L1 you until 09:00 CET (5h46m), then Mei Tan",
            "L2 Dana Wu until 03:26 CET (12m), then Mei Tan",
            "L3 Dana Wu always",
            "L4 Zoé Martin always",
        ]
