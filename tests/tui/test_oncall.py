"""The dashboard: its text second by second, where rows and cursor stay, and how it opens tools."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.strip import Strip
from textual.widgets import Input, Static

from registry.oncall.board import IncidentRow
from registry.sandbox.clock import Clock
from registry.sandbox.server import application
from registry.text.shown import visible_line
from tests.hostile import LONG, MARKUP
from tests.oncall.watch import MINUTE, NOW
from tests.sampled import further
from tests.tui.app import Desk
from tui.app import CallboardApp
from tui.help.screen import HelpScreen
from tui.oncall.dialogs import CoverageScreen, ReportDialog
from tui.oncall.incident_lines import listed
from tui.oncall.incidents_panel import IncidentList
from tui.oncall.panels import HourList, PolicyList
from tui.oncall.pieces import cell
from tui.oncall.screen import OncallScreen, TeamsDialog
from tui.pages.screen import PageScreen
from tui.session import Session


class Board:
    """The dashboard with a clock that the test moves."""

    def __init__(self, desk: Desk, clock: Clock) -> None:
        self.desk, self.clock = desk, clock
        self.rang: list[str] = []

    @property
    def screen(self) -> OncallScreen:
        screen = self.desk.app.get_screen("oncall")
        assert isinstance(screen, OncallScreen)
        return screen

    @property
    def incidents(self) -> IncidentList:
        return self.screen.query_one(IncidentList)

    @property
    def here(self) -> IncidentRow:
        """The incident at the cursor."""
        assert self.incidents.row is not None
        return self.incidents.row

    def text(self, of: str = "") -> str:
        """The text on screen, or on a part of it."""
        region = self.screen.query_one(of).region if of else self.screen.region
        strips: list[Strip] = self.screen._compositor.render_strips()
        lines = [strip.crop(region.x, region.right).text for strip in strips[region.y : region.bottom]]
        return "\n".join(line.rstrip() for line in lines)

    async def until(self, condition: Callable[[], object], what: str = "") -> None:
        await self.desk.until(condition, what)
        await self.desk.pilot.pause()

    async def after(self, seconds: int) -> None:
        """Move the clock to this many seconds after the start, read what is due, and show it."""
        watching = self.screen.live
        self.clock.advance(NOW + seconds - self.clock.now())
        self.screen.tick()
        await self.until(lambda: watching.refresher.wait() > 0 and not watching.refresher.under_way, "the refresh")
        await self.until(lambda: watching.board.now == self.clock.now() or watching.refresher.ended != self.clock.now())


Size = tuple[int, int]


@asynccontextmanager
async def board(
    size: Size = (120, 40), scenario: str = "busy-night", state: Path | None = None, *, start: bool = True
) -> AsyncIterator[Board]:
    """The program on the sandbox, with its dashboard open and loaded."""
    clock = Clock(NOW)
    environment = {} if state is None else {"XDG_STATE_HOME": str(state)}
    session = Session(environment, sandbox=lambda: application(now=clock, scenario=scenario), clock=clock.now)
    app = CallboardApp(session, oncall=start)
    async with app.run_test(size=size) as pilot:
        one = Board(Desk(app, pilot), clock)
        if start:
            await one.until(lambda: isinstance(app.screen, OncallScreen), "the dashboard")
            await one.until(lambda: one.screen.watching.refresher.ended is not None, "the first refresh")
            await one.until(lambda: one.screen.watching.rows or one.screen.watching.board.facts.panel("incidents").at, "rows")
        yield one


@pytest.mark.parametrize("size", [(80, 24), (200, 50), *further((120, 40))])
async def test_the_first_five_seconds(size: tuple[int, int]) -> None:
    """Is it mine, what burns, how long until it wakes whom, who can help, can this be trusted: at any size, in words."""
    async with board(size) as one:
        text = one.text()
        for words in (
            "unacknowledged",
            f"10 triggered, 8 high · 7 {'ack' if size[0] < 100 else 'acknowledged'} · 5 neglected",
            "on call L1 Payments until 09:00 CET (5h46m), then Mei Tan",
            "03:14:00 CET",
            "complete · live 0s",
            "#4062 P1 checkout-api: 5xx rate" if size[0] < 100 else "#4062 5xx rate",
            "assigned to you (L1), unacknowledged for 4m12s; → L2 Dana Wu in 0:48",
            "notified (CET): you push 03:09, phone 03:11; not acknowledged yet",
            "2 NOBODY" if size[0] < 100 else "2 levels NOBODY",
            "read-only",
            *(["Payments", "L2 Dana Wu (21:14 EST)", "7 critical", "sandbox"] if size[0] >= 120 else []),
            *(["L1 Assigned to"] if size[0] >= 160 else []),
        ):
            assert words in text, words
        verdict = text.splitlines()[0]
        assert all(words in verdict for words in ("▲ 1 ", "yours", "4m12s", "In 0:48", "Dana Wu", "L2", "21:14")), verdict
        head, first = one.text("#incident-list").splitlines()[:2]
        assert head == "  Mine 1"
        assert all(word in first for word in ("◆TRIG", "L1", "4m12s", "0:48 → L2 Dana Wu"))
        assert size[0] < 120 or "5xx rate above 20 % on POST /orders" in first
        assert "Dana" not in one.text("KeyBar")
        for key in ("Open", "Next hour", "Coverage", "Report", *(["Alarm"] if size[0] >= 100 else [])):
            assert key in one.text("KeyBar")


async def test_until_somebody_moves_the_cursor_it_stands_on_the_worst() -> None:
    async with board((80, 24), "storm") as one:
        await one.until(lambda: len(one.screen.watching.rows) > 200, "the whole storm")
        for seconds in (30, 60, 75, 90):
            before = one.here.incident.id
            await one.after(seconds)
            still = one.screen.watching.board.by_id.get(before)
            top = one.incidents.rows[1].key
            assert one.here.incident.id == (before if still is not None and still.mine else top), "as long as it waits for me"
        assert one.incidents.scroll_offset.y == 0
        assert "TRIG" in one.text("#incident-list").splitlines()[1]
        await one.desk.press("down")
        chosen = one.here
        for seconds in (120, 150):
            await one.after(seconds)
        # It was escalated, and is mine no longer: the cursor stands on its group.
        assert one.incidents.on_head
        group = one.incidents.rows[one.incidents.cursor].group
        assert group is not None
        assert chosen.incident.id in {row.incident.id for row in group.rows}
        await one.desk.press("enter")
        await one.desk.do("board_groups", "board_groups")
        await one.until(lambda: one.screen.watching.grouping is None, "lanes")
        await one.desk.press("end")
        await one.until(lambda: " of yours above ▲" in one.text("#incidents Heading"), "mine are scrolled away")
    async with board((80, 24)) as one:
        await one.desk.press("down", "up")
        assert one.here.mine
        await one.after(75)
        await one.until(lambda: one.incidents.cursor > 3, "it was escalated, and the cursor has gone down with it")
        assert one.text("#incident-list").startswith("  Mine 1\n"), "another one is mine, and stays in sight"


async def test_zones_and_clocks_that_go_on_without_a_request() -> None:
    async with board() as one:
        assert "03:14:00 CET" in one.text()
        await one.desk.do("board_zone", "board_zone")
        await one.until(lambda: "your time 03:14 CET" in one.text())
        assert "02:14:00 UTC" in one.text()
        assert "until 08:00 UTC" in one.text()
        assert " 7 policies · 2 levels uncovered " in one.text()
        await one.desk.do("board_zone")
        calls = one.screen.watching.refresher.calls
        for seconds, age, left in ((1, "4m13s", "0:47"), (14, "4m26s", "0:34")):
            one.clock.advance(NOW + seconds - one.clock.now())
            one.screen.tick()
            await one.desk.pilot.pause()
            assert f"unacknowledged for {age}" in one.text()
            assert f"→ L2 Dana Wu in {left}" in one.text("IncidentDetail")
        assert one.screen.watching.refresher.calls == calls
        assert "live 14s" in one.text()


async def test_the_cursor_stays_on_its_incident_and_changes_are_marked_until_the_next_refresh() -> None:
    async with board() as one:
        await one.desk.press("down", "down", "down")
        at, known = one.here.incident.id, {row.incident.id for row in one.screen.watching.rows}
        await one.after(MINUTE)
        await one.until(lambda: len(one.screen.watching.rows) > len(known), "the new incident")
        assert one.here.incident.id == at
        (new,) = {row.incident.id for row in one.screen.watching.rows} - known
        await one.until(lambda: "NEW" in one.text("#incident-list"), "the mark on screen")
        await one.screen.watching.rebuild(finished=False)
        assert one.screen.watching.marks[new] == "NEW", "until the next refresh, however often it is drawn"
        assert one.screen.watching.rows == sorted(one.screen.watching.rows, key=lambda row: row.rank)
        await one.after(MINUTE + 15)
        await one.until(lambda: "NEW" not in one.text("#incident-list"))


async def test_an_outage_on_screen() -> None:
    async with board((80, 24), "outage") as one:
        before = one.text("#incident-list")
        await one.after(MINUTE)
        await one.until(lambda: "STALE 1m00s" in one.text(), "stale")
        assert one.text().startswith(" ▲ STALE. 1 yours, unacknowledged 5m12s.")
        assert one.incidents.dimmed
        assert len(one.text("#incident-list").splitlines()) == len(before.splitlines())
        await one.after(3 * MINUTE)
        await one.until(lambda: "STALE" not in one.text(), "the recovery")
        assert not one.incidents.dimmed


async def test_scope_by_keys(tmp_path: Path) -> None:
    async with board(state=tmp_path) as one:
        await one.desk.do("board_mine")
        await one.until(lambda: len(one.screen.watching.rows) == 1)
        assert "16 hidden by filters (7 high, not acknowledged)" in one.text()
        assert "mine" in one.text("#incidents").splitlines()[0]
        await one.desk.do("board_reset", "board_urgency")
        await one.until(lambda: "high urgency" in one.text("#incidents") and len(one.screen.watching.rows) == 11)
        await one.desk.do("board_reset")
        await one.desk.press("slash")
        await one.desk.type("zzz")
        await one.until(lambda: "No open incidents match the filters; 17 hidden." in one.text())
        await one.desk.press("space", *"number", "colon", "x", "enter")
        assert isinstance(one.desk.app.focused, Input), "what says nothing is told, and the line stays"
        await one.desk.press("escape")
        await one.until(lambda: len(one.screen.watching.rows) == 17)
        await one.desk.do("board_service")
        await one.until(lambda: len(one.screen.watching.rows) == 2)
        await one.desk.do("board_service", "board_teams")
        await one.until(lambda: isinstance(one.desk.app.screen, TeamsDialog))
        await one.desk.press("o", "enter")
        await one.until(lambda: one.desk.app.screen is one.screen and len(one.screen.watching.rows) == 2)
        assert "Payments" in one.text("#incidents").splitlines()[0]
    async with board(state=tmp_path) as one:
        await one.until(lambda: len(one.screen.watching.rows) == 2, "the scope is remembered")
    assert (tmp_path / "callboard" / "oncall.json").stat().st_mode & 0o077 == 0


async def test_coverage_and_report_and_help(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DOWNLOAD_DIR", str(tmp_path / "downloads"))
    async with board() as one:
        app = one.desk.app
        await one.desk.press("C")
        await one.until(lambda: isinstance(app.screen, CoverageScreen))
        said = "Kenji Mori until Fri 5 Dec 19:30 · Priya Nair until Fri 12 Dec 19:30 · Kenji Mori onwards"
        await one.until(lambda: said in str(app.screen.query_one("#strips", Static).render()), "who covers until when")
        assert str(app.screen.query_one("#strips", Static).render()).startswith(" Web  2 problems\n   ! L1 NOBODY: 11 gaps, ")
        await one.desk.press("escape", "H")
        await one.until(lambda: isinstance(app.screen, ReportDialog))
        await one.desk.press("x")
        await one.until(lambda: app.screen is one.screen)
        file = tmp_path / "downloads" / "handoff-2025-12-01-0314.md"
        assert file.stat().st_mode & 0o077 == 0
        before = file.read_text("utf-8")
        assert before.startswith("# Handoff, Mon 1 Dec 2025 03:14:00 CET by Sam Ode")
        await one.desk.press("H")
        await one.until(lambda: isinstance(app.screen, ReportDialog))
        await one.desk.press("x")
        await one.until(lambda: any("already exists" in note.message for note in app._notifications))
        await one.desk.press("y")
        await one.until(lambda: app.screen is one.screen)
        assert app.clipboard == before
        await one.desk.press("y")
        await one.until(lambda: app.clipboard == "https://fernway.incidents.example/incidents/QKB3BFCPHAXLO8")
        await one.desk.press("f1")
        await one.until(lambda: isinstance(app.screen, HelpScreen))
        assert not any("Export" in str(part.render()) for part in app.screen.query("#here Static")), "for the past alone"
        await one.desk.press("escape", "H")
        await one.until(lambda: isinstance(app.screen, ReportDialog))
        await one.desk.press("n")
        await one.desk.type("watch")
        await one.desk.press("escape", "escape")
        await one.until(lambda: app.screen is one.screen)
        await one.desk.press("H")
        await one.until(lambda: isinstance(app.screen, ReportDialog))
        before = str(app.screen.query_one("#title", Static).render())
        await one.desk.press("n")
        await one.desk.type(" the ledger, call Mei")
        await one.desk.press("enter")
        await one.until(lambda: str(app.screen.query_one("#title", Static).render()) != before, "the note counts")
        await one.desk.press("escape")
        await one.until(lambda: app.screen is one.screen)
        await one.desk.press("H")
        await one.until(lambda: isinstance(app.screen, ReportDialog))
        await one.desk.press("y")
        await one.until(lambda: app.screen is one.screen)
        assert "## From me\n\n> watch the ledger, call Mei\n" in app.clipboard, "the note stays with the dashboard"


async def test_narrow_rows_the_cursor_zoom_and_focus() -> None:
    async with board((60, 24)) as one:
        for width in (60, 76, 80):
            await one.desk.pilot.resize_terminal(width, 24)
            assert width < 76 or " 7 critical  " in one.text().splitlines()[1], "no number is cut"
            for end in ("0:48 → L2 Dana Wu\n", "8m00s ack times out\n"):
                await one.until(lambda: end in f"{one.text('#incident-list')}\n", f"{end} in {width} columns")  # noqa: B023
        await one.desk.press("down", "down", "down")
        await one.until(lambda: not one.incidents.row.mine if one.incidents.row else False, "another's incident")
        await one.desk.do("board_mine")
        await one.until(lambda: len(one.screen.watching.rows) == 1, "mine")
        await one.until(lambda: one.screen.query_one(IncidentList).row is not None, "an incident at the cursor")
        await one.desk.press("tab")
        assert isinstance(one.desk.app.focused, PolicyList)
        assert one.screen.query_one("#policies").has_class("-here")
        await one.desk.press("f8")
        assert [part.id for part in one.screen.query(".part") if part.display] == ["policies"]
        assert "triggered" in one.text()
        await one.desk.press("escape")
        assert all(part.display for part in one.screen.query(".part"))
        assert one.desk.app.screen is one.screen


@pytest.mark.parametrize("text", [*LONG, *MARKUP, "", "東", "e\u0301"], ids=lambda text: repr(text[:8]))
def test_columns_keep_their_width(text: str) -> None:
    for width in (0, 1, 2, 7, 30):
        for right in (False, True):
            assert cell_len(cell(visible_line(text), width, right=right).words) == width


async def test_groups_and_the_next_hour_by_keys() -> None:
    async with board((120, 40), "storm") as one:
        await one.until(lambda: "14 groups by service" in one.text("#incident-list"), "groups")
        assert (
            one.text()
            .splitlines()[0]
            .startswith(" ▲ 13 yours, 5 unacknowledged. In 0:18 → L2 Dana Wu. Others: help-desk → L2 Hana Kim in 0:14.")
        )
        assert "Mine 13" in one.text("#incident-list")
        assert "8 acknowledged by you" in one.text("#incident-list")
        for words in ("groups by similar titles", "Pages somebody next"):
            await one.desk.do("board_groups")
            await one.until(lambda words=words: words in one.text("#incident-list"), words)  # type: ignore[misc]
        await one.desk.do("board_groups")
        await one.desk.press("end", "enter")
        await one.until(lambda: "▾" in one.text("#incident-list"), "the group unfolds")
        await one.desk.press("n")
        await one.until(
            lambda: isinstance(one.desk.app.focused, HourList) and "─────" in one.text("#hour-list"), "the next hour"
        )
        assert "13 people paged if nobody acts, first Hana Kim in 0:14 " in one.text("#hour Heading")
        assert any("Dana Wu" in line and "21:14 EST" in line and "■" in line for line in one.text("#hour-list").splitlines())
        await one.desk.press("pagedown", "pagedown", "escape")
        await one.until(lambda: "03:14" in one.text("#hour-list").splitlines()[0], "it starts at now again")
        await one.desk.press("n")
        await one.until(lambda: isinstance(one.desk.app.focused, HourList), "the next hour again")
        one.clock.advance(5)
        await one.until(lambda: "first Hana Kim in 0:09" in one.text("#hour Heading"), "counting down")
        one.clock.advance(9)
        await one.until(lambda: "first Hana Kim now" in one.text("#hour Heading"), "due")
        await one.desk.press("enter")
        await one.until(lambda: isinstance(one.desk.app.screen, PageScreen), "the page of its incident")
        await one.desk.press("escape")
        await one.until(lambda: one.desk.app.screen is one.screen, "back")


async def test_folded_lanes_leave_no_lines_empty_and_what_is_mine_is_in_sight_or_counted() -> None:
    async with board((80, 24)) as one:
        # A lane that is folded for want of room leaves no lines empty.
        watching = one.screen.watching
        whole = len(listed(watching, 1_000, {}))
        for room in range(4, whole):
            lines = listed(watching, room, {})
            assert len(lines) >= room or not any(line.folded for line in lines), room
            heads = [place for place, line in enumerate(lines) if line.is_head]
            for place, behind in zip(heads, [*heads[1:], len(lines)], strict=True):
                assert lines[place].shown == sum(line.row is not None for line in lines[place + 1 : behind]), "as the head says"

        await one.desk.press("end")
        one.screen.query_one(PolicyList).focus()
        await one.until(lambda: one.incidents.size.height < one.incidents.line_count, "a lower list")
        await one.until(lambda: "1 of yours above ▲" in one.text("#incidents Heading"), "what is mine")
        await one.after(15)
        assert "1 of yours above ▲" in one.text("#incidents Heading"), "a refresh leaves it there"
        one.incidents.focus()
        await one.desk.press("escape")  # closed with the cursor at the end
        await one.until(lambda: one.desk.app.screen is not one.screen, "closed")
        await one.desk.press("f11")
        await one.until(lambda: one.desk.app.screen is one.screen and "◆" in one.text("#incident-list"), "mine on opening")
        await one.desk.at_rest()
        above = one.incidents.scroll_offset.y
        assert above <= one.incidents.cursor < above + one.incidents.size.height, "the cursor is in sight again"


async def test_a_quiet_night_uses_its_room() -> None:
    async with board((80, 24), "quiet") as one:
        text = one.text("#incident-list")
        for words in ("Next handoffs", "07:00 CET (3h46m)  Help desk L1: Hana Kim → Grace Bell", "NOBODY on Web L1, Web L3"):
            assert words in text
