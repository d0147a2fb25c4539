"""The busy night on a clock that the test moves: every statement of verdict, clocks and levels, to the second."""

from __future__ import annotations

from datetime import UTC
from zoneinfo import ZoneInfo

import pytest

from registry.oncall.board import Board
from registry.oncall.clocks import DUE
from registry.oncall.duties import OnCallPolicy
from registry.oncall.facts import PANELS
from registry.oncall.model import CallSource
from registry.oncall.words import called, following, level_line, my_duty, next_clock, next_words, plain, state
from registry.sandbox.incidents.course import Course
from tests.oncall.watch import HOUR, MINUTE, NOW, Watch, titled
from tests.sampled import further

BERLIN = ZoneInfo("Europe/Berlin")


def names(row_or_people: object) -> list[str]:
    return [ref.name for ref in row_or_people]  # type: ignore[attr-defined]


def on_call(made: Board, name: str) -> OnCallPolicy:
    (found,) = [one for one in made.policies if one.policy.name == name]
    return found


async def test_the_verdict_second_by_second() -> None:
    async with Watch() as watch:
        assert watch.verdict() == "? LOADING… Nothing is known yet."
        await watch.refreshed()
        assert watch.verdict() == ("▲ 1 is yours, unacknowledged for 4m12s. In 0:48 it pages Dana Wu (L2, 21:14 EST).")
        counts = "10 triggered, 8 high · 7 acknowledged · 5 neglected · 7 of 16 services critical"
        assert watch.counts() == counts
        watch.clock.advance(1)
        assert watch.verdict().startswith("▲ 1 is yours, unacknowledged for 4m13s. In 0:47 it pages")
        watch.clock.advance(9)
        assert "unacknowledged for 4m22s" in watch.verdict()
        watch.clock.advance(15)
        assert watch.verdict().startswith("▲ STALE. 1 is yours")


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
        assert said() == "→ L3 Dana Wu in 10:00"
        assert "none yours" in watch.verdict()


async def test_a_handoff() -> None:
    """The second level is handed to Mei Tan at 12 minutes, to the second, and back two hours later."""
    async with Watch() as watch:
        before = on_call(await watch.after(12 * MINUTE - 1), "Payments").levels[1]
        assert names(duty.user for duty in before.duties) == ["Dana Wu"]
        assert plain(level_line(before, watch.clock.now(), BERLIN, "")) == "L2 Dana Wu until 03:26 CET (1s), then Mei Tan"
        after = on_call(await watch.after(12 * MINUTE), "Payments").levels[1]
        assert names(duty.user for duty in after.duties) == ["Mei Tan"]
        assert plain(level_line(after, watch.clock.now(), BERLIN, "")) == "L2 Mei Tan until 05:26 CET (2h00m), then Dana Wu"


async def test_between_two_reads_a_handoff_is_due_and_not_denied() -> None:
    async with Watch() as watch:
        made = await watch.refreshed()
        one = on_call(made, "Payments").levels[1]
        assert plain(level_line(one, NOW + 12 * MINUTE, BERLIN, "")) == f"L2 Dana Wu until 03:26 CET ({DUE})"


async def test_an_alert_from_its_beginning_to_its_end() -> None:
    """What the sandbox's own test proves of the service, seen on the board: triggered, escalated, taken, run out, over."""
    async with Watch() as watch:
        title = "Card declines doubled"
        assert not [row for row in (await watch.after(MINUTE - 1)).rows if title in row.incident.title]
        start = MINUTE
        row = titled(await watch.after(start), title)
        assert (state(row), row.levels, row.mine) == ("TRIG", (1,), True)
        assert (row.next.kind, row.next.at, row.next.levels) == ("level", NOW + start + 5 * MINUTE, (2,))
        assert titled(await watch.after(start + 5 * MINUTE - 1), title).levels == (1,)
        row = titled(await watch.after(start + 5 * MINUTE), title)
        assert (row.levels, row.mine, names(ref for ref, _ in row.incident.assigned)) == ((2,), False, ["Dana Wu"])
        assert (row.next.at, row.next.levels) == (NOW + start + 15 * MINUTE, (3,))
        row = titled(await watch.after(start + 8 * MINUTE), title)
        assert (state(row), row.next.kind, row.next.at) == ("ACK", "runs out", NOW + start + 38 * MINUTE)
        assert following(row, watch.clock.now(), BERLIN, "").words == "ack times out in 30:00"
        assert titled(await watch.after(start + 38 * MINUTE - 1), title).incident.status == "acknowledged"
        row = titled(await watch.after(start + 38 * MINUTE), title)
        assert (state(row), row.levels) == ("TRIG", (2,))
        assert row.next.kind == "level"
        assert row.incident.since == NOW + start + 38 * MINUTE
        assert state(titled(await watch.after(start + 44 * MINUTE), title)) == "ACK"
        assert titled(await watch.after(start + 52 * MINUTE - 1), title)
        assert not [row for row in (await watch.after(start + 52 * MINUTE)).rows if title in row.incident.title]


async def test_each_kind_of_open_incident() -> None:
    async with Watch() as watch:
        made = await watch.refreshed()

        def told(words: str) -> tuple[str, str, bool, str]:
            row = titled(made, words)
            levels = "/".join(map(str, row.levels))
            return state(row), levels, row.neglected, following(row, NOW, BERLIN, "").words

        assert told("p99 latency") == ("TRIG", "2", False, "→ L3 Dana Wu in 2:00")
        assert told("Replica lag") == ("ACK", "1", False, "ack times out in 8:00")
        assert told("502s from upstream") == ("TRIG", "2", False, "→ L3 Noor Haddad in 8:00")
        assert told("TLS handshake") == ("TRIG", "3", True, "nobody left to page")
        assert told("Stock feed silent") == ("TRIG", "2", True, "nobody left to page")
        assert told("Disk 80 %") == ("TRIG", "", True, "assigned directly: does not escalate")
        assert told("Nightly settlement") == ("TRIG", "2", False, "→ nobody left in 23:00")
        assert told("Index is 6 h") == ("SNZD", "1", False, "snoozed until 06:34 CET (3h20m)")
        assert told("Checkout button") == ("ACK", "2", True, "no ack timeout")
        assert told("Category images") == ("TRIG", "2", False, "high urgency from 09:00 CET (in 5h46m)")
        bounced = "→ L2 one of Amara Okafor, Ivo Petrov, Lucía Ferrer in 3:00"
        assert told("Bounce rate") == ("TRIG", "1", False, bounced)
        assert [row.neglected for row in made.rows].count(True) == 5
        assert (made.verdict.snoozed, made.verdict.mine) == (2, 1)


@pytest.mark.parametrize("scenario", ["busy-night", *further("storm")])
async def test_levels_are_those_that_the_service_keeps_to_itself(scenario: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sandbox knows each incident's level and does not tell it. What is inferred is that, or ambiguous with it inside."""
    kept: dict[int, Course] = {}
    original = Course.__init__

    def noting(self: Course, *arguments: object, **named: object) -> None:
        original(self, *arguments, **named)  # type: ignore[arg-type]
        # A sandbox of another test may still be answering in a thread; its night is another one.
        if abs(self.start - NOW) < 100 * 24 * HOUR:
            kept[self._number] = self

    monkeypatch.setattr(Course, "__init__", noting)
    told = sure = 0
    async with Watch(scenario) as watch:
        for seconds in (0, 5 * MINUTE, 13 * MINUTE, 40 * MINUTE):
            for row in (await watch.after(seconds)).rows:
                assert row.incident.number is not None
                course = kept[row.incident.number]
                if course._via == "direct_assignment":
                    assert row.levels == ()
                    continue
                told += 1
                sure += len(row.levels) == 1
                assert not row.levels or course._level + 1 in row.levels, row
    assert sure >= 0.9 * told > 0


async def test_my_duty() -> None:
    async with Watch() as watch:
        made = await watch.refreshed()
        line = plain(my_duty(made.mine, made.facts, NOW, BERLIN))
        assert line == "YOU (Sam Ode): on call L1 Payments until 09:00 CET (5h46m), then Mei Tan"
        utc = plain(my_duty(made.mine, made.facts, NOW, UTC))
        assert "until 08:00 UTC (5h46m)" in utc
        made = await watch.after(6 * HOUR)
        line = plain(my_duty(made.mine, made.facts, watch.clock.now(), BERLIN))
        assert line == "YOU (Sam Ode): not on call; next L1 Payments Wed 3 Dec 09:00 CET (in 1d 23h)"


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


async def test_every_value_knows_the_call_that_it_came_with() -> None:
    async with Watch() as watch:
        made = await watch.refreshed()
        tools = {
            "ListIncidents": [row.incident.source for row in made.rows],
            "ListOncalls": [duty.source for one in made.policies for level in one.levels for duty in level.duties],
            "ListEscalationPolicies": [one.details.source for one in made.policies if one.details],
            "ListServices": [one.source for one in made.services],
            "ListLogEntries": [event.source for event in made.events],
            "Whoami": [made.mine.me.source if made.mine.me else CallSource("")],
        }
        for tool, sources in tools.items():
            assert sources
            assert {source.tool for source in sources} == {tool}
        # The call, made again, brings the value again.
        source = made.rows[0].incident.source

        again = await watch.engine.run(source.tool, source.arguments)
        assert made.rows[0].incident.id in {one["id"] for one in again.json["incidents"]}
        assert all(watch.refresher.facts.panel(name).calls for name in PANELS)


async def test_services_and_a_maintenance_window() -> None:
    async with Watch() as watch:
        states = {one.name: one.state for one in (await watch.refreshed()).services}
        assert states["checkout-api"] == "critical"
        assert states["pricing"] == "active"
        made = await watch.after(20 * MINUTE)
        assert {one.name: one.state for one in made.services}["pricing"] == "maintenance"
        assert [one.state for one in made.services] == sorted(
            (one.state for one in made.services),
            key=["critical", "warning", "maintenance", "disabled", "active"].index,
        )
