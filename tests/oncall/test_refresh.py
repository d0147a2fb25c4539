"""Reading again and again: what is asked how often, what is kept when something fails; what goes wrong in other screens."""

import argparse
import json
import re
import time
from collections.abc import Callable
from datetime import UTC
from email.utils import formatdate
from typing import Any

import httpx
import pytest
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.types import Scope as HttpScope

from registry.doors.oncall_print import board_lines, print_board
from registry.oncall import reading, refresh
from registry.oncall.board import board, marks
from registry.oncall.evidence import evidence
from registry.oncall.facts import PANELS, Facts, skew
from registry.oncall.formats import as_json
from registry.oncall.headline import headline
from registry.oncall.model import LEAST_EVERY, MOST_EVERY
from registry.oncall.reading import moment
from registry.oncall.report import report
from registry.oncall.scope import Scope
from registry.oncall.words import called, following, freshness, nothing, plain
from registry.sandbox.clock import Clock
from registry.sandbox.server import application
from tests.hostile import CONTROLS, MARKUP, forbidden_in_output
from tests.oncall.watch import HOUR, ME, MINUTE, NOW, Service, Watch, incident, oncall, policy, scripted, titled


async def test_an_outage_is_told_within_an_interval_and_ends_by_itself() -> None:
    async with Watch("outage") as watch:
        before = await watch.refreshed()
        shown = [row.incident.id for row in before.rows]
        made = await watch.after(MINUTE)
        assert watch.verdict().startswith("▲ STALE. 1 is yours, unacknowledged for 5m12s. ")
        assert [row.incident.id for row in made.rows] == shown
        assert made.policies
        assert made.events == before.events
        for panel in ("incidents", "on call", "log", "services"):
            read = made.facts.panel(panel)
            told = plain(freshness(read, watch.clock.now(), watch.refresher.interval))
            assert told == "STALE 1m00s: 500: the service failed"
        made = await watch.after(3 * MINUTE)
        assert "STALE" not in watch.verdict()
        assert all(made.facts.panel(name).trouble is None for name in ("incidents", "on call", "log", "services"))
        assert titled(made, "Card declines doubled")
        made = await watch.after(6 * MINUTE)
        told = plain(freshness(made.facts.panel("incidents"), watch.clock.now(), watch.refresher.interval))
        assert told.startswith("STALE 3m00s: 429: too many requests")
        assert not (await watch.after(7 * MINUTE)).facts.panel("incidents").trouble


async def test_the_pace() -> None:
    """Every 15 seconds; every 30 or 60 when the limit runs low; not before the service wants it after a 429."""
    left = {"ratelimit-limit": "960", "ratelimit-remaining": "900"}
    service = Service(me=ME, services=lambda _: httpx.Response(200, headers=left, json={"services": [], "more": False}))
    async with Watch(network=service) as watch:
        await watch.refreshed()
        assert watch.refresher.interval == LEAST_EVERY == 15
        watch.clock.advance(10)
        assert watch.refresher.wait() == 5
        left["ratelimit-remaining"] = "400"
        await watch.refreshed()
        assert watch.refresher.interval == 30
        left["ratelimit-remaining"] = "20"
        await watch.refreshed()
        assert watch.refresher.interval == MOST_EVERY == 60
        left["ratelimit-remaining"] = "900"
        refusal = httpx.Response(429, headers={"ratelimit-reset": "45"}, json={})
        service.listed["teams"] = lambda _: refusal
        watch.clock.advance(HOUR)
        await watch.refreshed()
        assert watch.refresher.wait() == 45


async def test_what_seldom_changes_is_seldom_read() -> None:
    service = Service(me=ME, incidents=[incident("I1")], escalation_policies=[policy(5)], oncalls=[oncall(1, "U1")])
    async with Watch(network=service) as watch:
        await watch.refreshed()
        service.paths.clear()
        await watch.after(15)
        assert sorted(service.paths) == ["incidents", "incidents", "incidents", "log_entries", "oncalls", "services"]
        service.paths.clear()
        made = await watch.after(9 * MINUTE)
        assert [made.facts.panel(name).at for name in PANELS] == [NOW + 9 * MINUTE] * 4
        assert "escalation_policies" in service.paths
        service.paths.clear()
        await watch.after(10 * MINUTE + 15)
        assert service.paths.count("incidents") == 3 + 6
        assert "users" not in service.paths


async def test_the_log_overlaps_and_holds_each_entry_once() -> None:
    def entry(number: int, minute: int) -> dict[str, Any]:
        at = f"2025-12-01T02:{minute:02}:00Z"
        return {"id": f"R{number}", "type": "acknowledge_log_entry", "created_at": at, "incident": {"id": "A"}}

    known = [entry(1, 10)]
    asked: list[tuple[str, str]] = []

    def answer(request: httpx.Request) -> dict[str, Any]:
        asked.append((request.url.params["since"], request.url.params["is_overview"]))
        return {"log_entries": known, "more": False}

    async with Watch(network=Service(me=ME, log_entries=answer)) as watch:
        await watch.refreshed()
        known.insert(0, entry(2, 14))
        # One that was logged late comes in all the same, because windows overlap.
        known.append(entry(3, 13))
        made = await watch.after(15)
        assert [event.id for event in made.events] == ["R2", "R3", "R1"]
        assert asked == [("2025-11-24T02:14:00Z", "true"), ("2025-11-30T02:14:00Z", "false"), ("2025-12-01T02:12:00Z", "false")]


async def test_after_a_long_silence_the_week_is_read_again() -> None:
    """What the recent read does not reach back to is not passed over in silence."""
    full = False

    def answer(request: httpx.Request) -> dict[str, Any]:
        at = int(request.url.params.get("offset", "0"))
        if not full or request.url.params["is_overview"] == "true":
            return {"log_entries": [], "more": False}
        stamp = "2025-12-01T05:00:00Z"
        page = [{"id": f"R{at + n}", "type": "notify_log_entry", "created_at": stamp} for n in range(50)]
        return {"log_entries": page, "more": True}

    async with Watch(network=Service(me=ME, log_entries=answer)) as watch:
        assert (await watch.refreshed()).facts.log_since == NOW - 24 * HOUR
        full = True
        facts = (await watch.after(3 * HOUR)).facts
        assert facts.log_since is not None
        assert facts.log_since > NOW
        assert facts.history_since == NOW + 3 * HOUR - 7 * 24 * HOUR


async def test_many_that_are_gone_at_once_are_looked_up_before_they_are_done() -> None:
    service = Service(me=ME, incidents=[incident(f"I{number:02}") for number in range(99)])
    async with Watch(network=service) as watch:
        await watch.refreshed()
        service.listed["incidents"] = []
        service.listed["anything"] = lambda request: {"incident": incident(request.url.path[-3:], status="resolved")}
        for name in ("oncalls", "services", "escalation_policies", "log_entries", "users", "teams"):
            service.listed[name] = []
        after = await watch.after(15)
        assert len(after.rows) == 39
        assert len(after.facts.unconfirmed) == 39
        assert "39 incidents disappeared and could not be checked" in evidence(after, after.now, 15).contradictions
        assert (await watch.after(30)).rows == ()


def dated(app: ASGIApp, clock: Callable[[], float]) -> ASGIApp:
    """A service that says when each answer was made, by a clock."""

    async def service(scope: HttpScope, receive: Receive, send: Send) -> None:
        async def add(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], (b"date", formatdate(int(clock()), usegmt=True).encode())]
            await send(message)

        await app(scope, receive, add)

    return service


@pytest.mark.parametrize(
    ("date", "age", "sent", "received", "told"),
    [
        (100, 0, 100.2, 100.9, 0.0), (100, 0, 100.9, 101.2, 0.0), (100, 0, 99.0, 130.0, 0.0), (142, 0, 100.0, 100.4, 41.6),
        (60, 0, 101.0, 130.0, -40.0), (60, 41, 101.0, 130.0, 0.0),
        *((date, 0, 0, 0, None) for date in ("", "soon", "Mon, 99 Dec 2025 99:99:99 GMT", "\x1b[31m")),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 0, 0, 0, None),
    ],
)  # fmt: skip
def test_only_what_the_way_cannot_explain_is_a_gap(
    date: int | str, age: int, sent: float, received: float, told: float | None
) -> None:
    found = skew(date if isinstance(date, str) else formatdate(date, usegmt=True), age, sent, received)
    assert found == pytest.approx(told)


@pytest.mark.parametrize(("ahead", "told"), [(600, "slow"), (-600, "fast")])
def test_the_command_line_tells_times_by_the_service(ahead: int, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Ten minutes: the tests' own slowness must not matter. The incidents agree with the service's clock."""
    there = Clock(time.time() + ahead)
    service = dated(application(now=there, scenario="busy-night"), lambda: time.time() + ahead)
    known = argparse.Namespace(every=15.0, watch=False, json=True, deadline=60.0)
    assert print_board(["sandbox"], lambda: service, known) == 10
    out, err = capsys.readouterr()
    assert re.search(rf"this computer's clock is (59\d|60\d) s {told} \(clock skew\); times follow the service's clock", err)
    assert abs((moment(json.loads(out)["now"]) or 0) - time.time() - ahead) < 120


async def test_zero_has_several_texts() -> None:
    assert nothing(board(Facts(), NOW), "incidents", 0, "open incidents").words == "Not loaded yet."
    async with scripted() as watch:
        assert nothing(await watch.refreshed(), "incidents", 0, "open incidents").words == "No open incidents."
    for one, told in ((incident("I1"), "▲ 1 OF YOURS HIDDEN. "), (incident("I1", assignments=[]), "• ")):
        async with scripted(incidents=[one]) as watch:
            made = await watch.refreshed(Scope(urgency="low"))
            words = nothing(made, "incidents", made.verdict.outside, "open incidents").words
            assert words == "No open incidents match the filters; 1 hidden."
            hidden = f"{told}NONE MATCH THE FILTERS. 1 hidden, 1 high and not acknowledged."
            assert headline(made, NOW, 15, UTC).words == hidden


async def test_old_open_incidents_are_there() -> None:
    """Open for 40 days, and for a year and a half: a list without a window would not tell of either."""
    old = incident("OLD", created_at="2024-07-01T00:00:00Z", last_status_change_at="2024-07-01T00:00:00Z")

    def answer(request: httpx.Request) -> dict[str, Any]:
        since, until = (reading.moment(request.url.params[name]) or 0 for name in ("since", "until"))
        assert 0 < until - since < 182 * 24 * HOUR
        there = [old] if since <= 1719792000 < until and request.url.params["statuses[]"] == "triggered" else []
        return {"incidents": there, "limit": 50, "offset": 0, "more": False}

    async with scripted(incidents=answer) as watch:
        made = await watch.refreshed()
        assert [row.incident.id for row in made.rows] == ["OLD"]
        assert made.rows[0].neglected
        since = made.facts.panel("incidents").since
        assert since is not None
        assert since < NOW - 365 * 24 * HOUR
    async with Watch() as watch:
        assert titled(await watch.refreshed(), "Disk 80 %").incident.created < NOW - 40 * 24 * HOUR


async def test_hostile_names_are_only_words() -> None:
    harm = " ".join(MARKUP + CONTROLS)
    named = {"id": "S1", "type": "service_reference", "summary": harm}
    loud = [incident("I1", title=harm, service=named, assignments=[{"at": None, "assignee": {"id": "U9", "summary": harm}}])]
    entry: dict[str, Any] = {"id": "R1", "type": "notify_log_entry", "created_at": "2025-12-01T02:10:30Z", "summary": harm}
    entry |= {"incident": {"id": "I1", "summary": harm}, "user": {"id": "U9", "summary": harm}}
    entry |= {"channel": {"type": harm, "notification": {"type": harm, "status": harm}}}
    duty = oncall(1, "U1") | {"user": {"id": "U9", "summary": harm}}
    watch = scripted(incidents=loud, log_entries=[entry], oncalls=[duty], escalation_policies=[policy(5)])
    async with watch:
        made = await watch.refreshed()
        (row,) = made.rows
        texts = [*board_lines(made, 15), report(made, UTC, 15), plain(called(row, UTC, "")), following(row, NOW, UTC, "").words]
        for text in texts:
            assert not forbidden_in_output(text.encode("utf-8", "surrogatepass"))
            assert "\x1b" not in text
        assert "\x1b" not in json.dumps(as_json(made))


async def test_an_incident_between_two_lists_is_not_lost() -> None:
    """Taken back between the read of one list and the read of the other, it is in neither: it is looked up before it goes."""
    service = Service(me=ME, incidents=[incident("I1"), incident("I2")])
    async with Watch(network=service) as watch:
        await watch.refreshed()
        service.listed |= {"incidents": [], "I1": lambda _: {"incident": incident("I1")}}
        service.listed["I2"] = lambda _: {"incident": incident("I2", status="resolved")}
        made = await watch.after(15)
        assert [row.incident.id for row in made.rows] == ["I1"]
        service.listed["I1"] = 500
        made = await watch.after(30)
        assert [row.incident.id for row in made.rows] == ["I1"]
        service.listed["I1"] = 404
        # A "not found" may be a mistake; three in a row, each beside complete lists without it, are not.
        for seconds in (45, 60):
            assert [row.incident.id for row in (await watch.after(seconds)).rows] == ["I1"]
        before = watch.board()
        after = await watch.after(75)
        assert after.rows == ()
        assert marks(before, after) == {"I1": "GONE"}


async def test_a_name_on_two_levels_is_told_as_ambiguous() -> None:
    """The same person on two levels whose delays are the same, and no log: both are told, and neither is claimed."""
    entries = [oncall(1, "U1"), oncall(2, "U1")]
    async with scripted(incidents=[incident("I1")], oncalls=entries, escalation_policies=[policy(5, 5)]) as watch:
        (row,) = (await watch.refreshed()).rows
        assert row.levels == (1, 2)
        assert row.level == "L1/2"
        assert (row.next.levels, row.next.people) == ((), ())
        assert following(row, NOW, UTC, "").words == "→ level unknown in 1m00s"
    async with scripted(incidents=[incident("I1")], oncalls=[oncall(1, "U7")], escalation_policies=[policy(5)]) as watch:
        (row,) = (await watch.refreshed()).rows
        assert (row.levels, row.level) == ((), "?")


async def test_private_addresses_are_never_read() -> None:
    secret = {"http_cal_url": "https://x.example/private/SECRET", "web_cal_url": "webcal://x.example/private/SECRET"}
    async with Watch(network=Service(me=ME | secret)) as watch:
        made = await watch.refreshed()
        assert "SECRET" not in repr(made) + json.dumps(as_json(made))


async def test_new_items_on_each_page_for_ever_come_to_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refresh, "_MOST_PAGES", 12)

    def answer(request: httpx.Request) -> dict[str, Any]:
        return {"incidents": [incident(f"{request.url.params.get('offset')}-{n}") for n in range(50)], "more": True}

    async with scripted(incidents=answer) as watch:
        made = await watch.refreshed()
        assert made.facts.panel("incidents").complete is False
        assert watch.counts().startswith(f"{len(made.rows)}+ triggered")
        assert watch.refresher.calls < 200
