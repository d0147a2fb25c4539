"""The memory: an incident's timeline, earlier ones like it, pages per person and night, the handoff as a difference."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from registry.accounts.connection import sandbox
from registry.oncall.board import Board
from registry.oncall.fetch import Call
from registry.oncall.memory_words import earlier_lines, earlier_summary, pages_lines, timeline_lines
from registry.oncall.model import NOTHING, Event, Ref
from registry.oncall.pages import night_of, pages_of, read_pages
from registry.oncall.report import MOST_ROWS, report
from registry.oncall.shift import shift
from registry.oncall.timeline import IncidentHistory, logged
from registry.oncall.words import plain
from tests.oncall.watch import HOUR, ME, MINUTE, NOW, Service, Watch, incident, oncall, titled, user

BERLIN, TOKYO, NEW_YORK = ZoneInfo("Europe/Berlin"), ZoneInfo("Asia/Tokyo"), ZoneInfo("America/New_York")
DAY = 24 * HOUR


def call_of(watch: Watch) -> Call:
    return watch.refresher._asking._call


def iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def entry(id_: str, at: float, kind: str = "notify", **changes: Any) -> dict[str, Any]:
    """A log entry of a scripted service."""
    return {
        "id": id_,
        "type": f"{kind}_log_entry",
        "created_at": iso(at),
        "summary": f"{kind} of {id_}",
        "incident": {"id": "I1", "summary": "Title of I1"},
        "service": {"id": "S1", "summary": "api"},
        "agent": user("U2"),
        "user": user("U2"),
        "channel": {"type": "auto", "notification": {"type": "phone_notification", "status": "success"}},
        "teams": [],
        **changes,
    }


async def log_of(watch: Watch, since: float) -> list[dict[str, Any]]:
    """The whole log since a moment, read apart from the board."""
    entries: list[dict[str, Any]] = []
    more = True
    while more:
        arguments = {"since": iso(since), "is_overview": "no", "limit": "50", "offset": str(len(entries))}
        listed = await watch.engine.run("ListLogEntries", arguments, sandbox())
        entries += listed.json["log_entries"]
        more = listed.json["more"]
    return entries


# Timeline and earlier ones


async def test_the_timeline_is_the_log_of_that_incident() -> None:
    """Compared with the service's own list of log entries, read apart from the board."""
    async with Watch() as watch:
        made = await watch.after(12 * MINUTE)
        row = titled(made, "5xx rate above 20 %")
        entries = await log_of(watch, row.incident.created - 60)
        own = [one for one in entries if one["incident"]["id"] == row.incident.id]
        told = await IncidentHistory(call_of(watch), watch.clock.now).timeline(row.incident, made.facts)
        in_order = sorted(own, key=lambda one: (one["created_at"], one["id"]))
        assert [event.id for event in told.events] == [one["id"] for one in in_order]
        assert told.whole
        words = [plain(line) for line in timeline_lines(told, BERLIN, made.now, made.mine.me.id if made.mine.me else "")]
        assert words[0] == " Mon 1 Dec CET"
        assert words[1] == "   03:09:48      +0s  triggered      Triggered through the API"
        assert "   03:09:48      +0s  paged          you by push" in words
        assert "   03:14:48      +5m  escalated      Dana Wu" in words


async def test_what_the_boards_log_does_not_have_is_asked_for_or_said_to_be_missing() -> None:
    old = incident("I1", created_at=iso(NOW - 3 * DAY), last_status_change_at=iso(NOW - 3 * DAY))
    begin = entry("L0", NOW - 3 * DAY, "trigger")
    responses: list[Any] = [[entry("L9", NOW - HOUR), begin]]

    def log(request: Any) -> Any:
        params = request.url.params
        found = responses[0]
        if isinstance(found, list):
            return {"log_entries": [one for one in found if params["since"] <= one["created_at"]], "more": False}
        return found

    async with Watch(network=Service(me=ME, incidents=[old], log_entries=log)) as watch:
        made = await watch.refreshed()
        here = logged(made.rows[0].incident, made.facts)
        assert not here.whole
        assert "may be missing" in plain(timeline_lines(here, BERLIN, NOW, "")[0])
        history = IncidentHistory(call_of(watch), watch.clock.now)
        told = await history.timeline(made.rows[0].incident, made.facts)
        assert [event.id for event in told.events] == ["L0", "L9"]
        assert told.whole
        responses[0] = 500
        failed = await history.timeline(made.rows[0].incident, made.facts)
        assert not failed.whole
        assert "could not load older entries: 500" in plain(timeline_lines(failed, BERLIN, NOW, "")[0])
        assert (await history.earlier(made.rows[0].incident, 7)).trouble is None


def resolved(id_: str, title: str, took: float, who: Mapping[str, str] | None, **changes: Any) -> dict[str, Any]:
    began = NOW - 2 * DAY
    changed = {"last_status_change_at": iso(began + took), "resolved_at": iso(began + took), "last_status_change_by": who}
    return incident(id_, title=title, status="resolved", created_at=iso(began), **changed, **changes)


async def test_earlier_ones_like_it_with_who_and_how_fast() -> None:
    other = {"id": "S2", "summary": "other"}
    found = [
        resolved("A", "Replica lag 12 s on db-7", 600, user("U2")),
        resolved("B", "Replica lag 99 s on db-1", 720, user("U2")),
        resolved("C", "replica LAG 1 s on db-2", 7200, {"id": "S1", "type": "service_reference", "summary": "api"}),
        resolved("D", "Disk full", 60, user("U3")),
        resolved("E", "Replica lag 3 s on db-9", 60, user("U3"), service=other),
        resolved("G", "Replica lag 5 s on db-9", 60, None),
        incident("I1", title="Replica lag 340 s on db-2"),
    ]
    asked: list[Mapping[str, str]] = []

    def incidents(request: Any) -> Any:
        asked.append(dict(request.url.params))
        return {"incidents": [one for one in found if one["status"] == request.url.params["statuses[]"]], "more": False}

    async with Watch(network=Service(me=ME, incidents=incidents)) as watch:
        made = await watch.refreshed()
        asked.clear()
        told = await IncidentHistory(call_of(watch), watch.clock.now).earlier(made.row("I1").incident, 7)  # type: ignore[union-attr]
    (params,) = asked
    assert (params["statuses[]"], params["service_ids[]"]) == ("resolved", "S1")
    assert params["since"] == iso(NOW - 7 * DAY)
    assert {one.incident.id for one in told.alike} == {"A", "B", "C", "G"}
    assert told.same_service == 5
    assert next((ref.name, count, took) for ref, count, took in told.by_person) == ("Name U2", 2, 660.0)
    assert plain(earlier_summary(told, "")).startswith("Last 7 days: 4 similar; Name U2 resolved 2 in 11m")
    assert any("unknown who in 1m" in plain(line) for line in earlier_lines(told, BERLIN, NOW, ""))
    assert any("api in 2h00m" in plain(line) for line in earlier_lines(told, BERLIN, NOW, ""))


# Pages


def page(id_: str, at: float, who: str = "U1", of: str = "I1") -> Event:
    ref = Ref(who, f"Name {who}")
    return Event(id_, at, "notify", "", Ref(of, ""), NOTHING, NOTHING, "auto", (ref,), (), "phone")


@pytest.mark.parametrize(
    ("at", "zone", "night"),
    [
        (NOW, BERLIN, date(2025, 11, 30)),  # 03:14
        (NOW, TOKYO, None),  # 11:14
        (NOW, NEW_YORK, None),  # 21:14
        (NOW + 46 * MINUTE, NEW_YORK, date(2025, 11, 30)),  # 22:00
        (NOW + 3 * HOUR + 45 * MINUTE, BERLIN, date(2025, 11, 30)),  # 06:59
        (NOW + 3 * HOUR + 46 * MINUTE, BERLIN, None),  # 07:00
    ],
)
def test_whose_night_it_is(at: float, zone: ZoneInfo, night: date | None) -> None:
    assert night_of(at, zone) == night


def test_pages_are_counted_once_by_person_and_night() -> None:
    night = [page(f"P{number}", NOW + number * 10 * MINUTE, of=f"I{number % 2}") for number in range(8)]
    day = page("P9", NOW + 12 * HOUR)
    made = pages_of(
        [*night, *night, day, page("X", NOW, "U2"), replace(page("Y", NOW), kind="escalate")], {"U1": "Europe/Berlin"}
    )
    (one, other) = sorted(made, key=lambda person: person.person.id)
    assert (one.total, one.at_night, one.incidents, one.worst) == (9, 8, 2, 6)
    assert dict(one.nights) == {date(2025, 11, 30): 8}
    assert (other.total, other.zone_known) == (1, False)


async def test_everybodys_pages_are_those_of_the_log() -> None:
    async with Watch() as watch:
        made = await watch.after(12 * MINUTE)
        told = await read_pages(call_of(watch), watch.clock.now, made.zones)
        entries = await log_of(watch, made.now - 7 * DAY)
        pages = [one["user"]["id"] for one in entries if one["type"] == "notify_log_entry"]
        assert told.whole
        assert {one.person.id: one.total for one in told.people} == {id_: pages.count(id_) for id_ in pages}
        words = "\n".join(
            plain(line) for line in pages_lines(told, made.now, BERLIN, 7, made.mine.me.id if made.mine.me else "")
        )
        assert "you" in words
        assert max(map(len, words.splitlines())) <= 80
    async with Watch(network=Service(me=ME, log_entries=500)) as failing:
        failed = await read_pages(call_of(failing), failing.clock.now, {})
        assert plain(pages_lines(failed, NOW, BERLIN, 7, "")[0]) == " Could not load: 500: the service failed"


# Handoff


@pytest.fixture(scope="module")
def night() -> Board:
    async def read() -> Board:
        async with Watch() as watch:
            await watch.refreshed()
            return await watch.after(12 * MINUTE)

    return asyncio.run(read())


def test_the_handoff_is_the_difference_since_the_shift_began(night: Board) -> None:
    told = shift(night)
    assert (told.since, told.own, told.whole) == (NOW - 18 * HOUR - 14 * MINUTE, True, True)
    assert {row.incident.id for row in told.new} == {
        row.incident.id for row in night.rows if row.incident.created >= told.since
    }
    assert len(told.new) + len(told.before) == len(night.rows)
    assert not {one.incident.id for one in told.resolved} & {row.incident.id for row in night.rows}
    text = report(night, BERLIN, 15.0)
    parts = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert [part.partition(" ")[0] for part in parts] == ["Summary", "New", "Resolved", "Open", "Notes", "Pages", "On", "Data"]
    summary = text[text.index("## Summary") : text.index("## New")]
    assert f"{len(told.new)} new and open, {len(told.resolved)} resolved" in summary
    assert "NOBODY on call: L1 Web, L3 Web" in summary
    assert "Dana Wu on \\[\\#4063\\] Card declines doubled for one issuer: Issuer confirms trouble on their side." in text
    assert "Sign-in probe fails from one region (resolved by identity 03:23 CET" in text


def test_a_note_of_ones_own_goes_along(night: Board) -> None:
    text = report(night, BERLIN, 15.0, "Watch the ledger.\n<b>not</b> [a](http://evil.example)\x1b[31m")
    assert "## From me\n\n> Watch the ledger.\n> \\<b\\>not\\</b\\> \\[a\\](http\\://evil.example)\\\\u001b\\[31m\n" in text


async def test_a_handoff_is_bounded_and_links_only_to_the_accounts_own_host() -> None:
    foreign = [
        incident(f"I{n}", title=f"<http://evil.example/{n}> [x](https://evil.example) www.evil.example " + "A" * 10_000,
                 html_url="https://evil.example/x" if n % 2 else f"https://own.incidents.example/incidents/I{n}")
        for n in range(3 * MOST_ROWS)
    ]  # fmt: skip
    log = [
        entry(
            f"N{n}", NOW - n, "annotate", channel={"type": "note", "summary": "![x](https://evil.example/p.png) " + "B" * 9_000}
        )
        for n in range(3 * MOST_ROWS)
    ]
    log += [entry(f"R{n}", NOW - n, "resolve", incident={"id": f"Z{n}", "summary": "C" * 9_000}) for n in range(3 * MOST_ROWS)]
    duty = [oncall(1, "U1", "2025-12-01T00:00:00Z", "2025-12-01T08:00:00Z", "SC1")]
    async with Watch(network=Service(me=ME, incidents=foreign, log_entries=log, oncalls=duty)) as watch:
        text = report(await watch.refreshed(), BERLIN, 15.0)
    assert len(text) < 150_000
    assert max(map(len, text.splitlines())) < 1_500
    links = re.findall(r"<(https?:[^>]*)>", text)
    assert links
    assert all(link.startswith("https://own.incidents.example/incidents/") for link in links)
    assert not re.search(r"(?<!<)\bhttps?://|\bwww\.|(?<!\\)\]\(", text)
    assert text.count(f"- … and {2 * MOST_ROWS} more") == 3


async def test_what_the_log_does_not_reach_is_said() -> None:
    async with Watch(network=Service(me=ME, incidents=[incident("I1")], log_entries=500)) as watch:
        text = report(await watch.refreshed(), BERLIN, 15.0)
    assert "NOT SURE: the log could not be loaded; earlier events are not in this report" in text
    assert "at least 0 pages" in text
    assert "your shift is unknown" in text
