"""The handoff report: what changed since the shift began, bounded, and safe to paste."""

import asyncio
import re
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from registry.oncall.board import Board
from registry.oncall.report import MOST_ROWS, report, shift_start
from tests.oncall.watch import HOUR, ME, MINUTE, NOW, Service, Watch, incident, oncall, user

BERLIN = ZoneInfo("Europe/Berlin")


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


@pytest.fixture(scope="module")
def night() -> Board:
    async def read() -> Board:
        async with Watch() as watch:
            await watch.refreshed()
            return await watch.after(12 * MINUTE)

    return asyncio.run(read())


def test_the_handoff_is_the_difference_since_the_shift_began(night: Board) -> None:
    since, own = shift_start(night)
    assert (since, own) == (NOW - 18 * HOUR - 14 * MINUTE, True)
    text = report(night, BERLIN, 15.0)
    parts = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert [part.partition(" ")[0] for part in parts] == ["Summary", "New", "Resolved", "Open", "Notes", "Pages", "On", "Data"]
    new = sum(row.incident.created >= since for row in night.rows)
    assert f"{new} new and open, " in text
    assert f"## Open from before ({len(night.rows) - new})" in text
    assert text.startswith("# Handoff, Mon 1 Dec 2025 03:26:00 CET by Sam Ode\n")
    assert "- **15 triggered, 12 high · 7 acknowledged · 5 neglected · " in text
    assert " yours" not in text
    assert "- **\\#4066 pricing: Tax table for 2 countries has no rate** (TRIG, low, L1, open 4m42s, low urgency: " in text
    assert "- Sam Ode: on call L1 Payments until 09:00 CET" in text
    assert "- incidents: read 03:26 CET\n" in text
    assert " in 0:" not in text.partition("## New")[2], "for the next shift, times of day"
    assert "L1 Sam Ode until 09:00 CET (5h34m), then Mei Tan" in text
    assert "NOBODY on call: L1 Web, L3 Web" in text
    assert "Card declines doubled for one issuer: Issuer confirms trouble on their side." in text
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
    assert "your shift is unknown" in text
