"""Filters change what is listed, not what a responder must know; the account and the clock are those of the rows on screen."""

import asyncio
import dataclasses
from datetime import UTC

import pytest
from msgspec.structs import replace

from registry.oncall.alarms import Alarms
from registry.oncall.headline import headline
from registry.oncall.model import MINUTE
from registry.oncall.scope import Scope
from registry.sandbox.clock import Clock
from registry.sandbox.server import application
from tests.oncall.test_refresh import dated
from tests.oncall.watch import NOW, incident, scripted
from tests.tui.app import Desk
from tests.tui.test_oncall import Board, board
from tui.app import CallboardApp
from tui.oncall.screen import OncallScreen
from tui.session import Session
from tui.widgets.texts import Words

OTHERS = [{"at": "2025-12-01T02:10:00Z", "assignee": {"id": "U2", "summary": "Bo"}}]
DATABASE = {"service": {"id": "S2", "type": "service_reference", "summary": "db"}, "assignments": OTHERS}


@pytest.mark.parametrize("room", [1_000, 76, 58])
async def test_the_first_line_tells_of_mine_that_a_filter_hides(room: int) -> None:
    async with scripted(incidents=[incident("A"), incident("B", **DATABASE)]) as watch:
        made = headline(await watch.refreshed(Scope(text="db")), NOW, 15, UTC, room)
        assert made.level == "mine"
        assert made.words.startswith("▲ 1 OF YOURS HIDDEN. ")
        assert "none yours" not in made.words.lower()
        shown = headline(watch.board(Scope(text="api")), NOW, 15, UTC, room)
        assert shown.words.startswith("▲ 1 ")
        assert "HIDDEN" not in shown.words


async def test_the_alarm_rings_for_what_a_filter_hides(monkeypatch: pytest.MonkeyPatch) -> None:
    bells: list[str] = []
    async with board() as one:
        monkeypatch.setattr(one.desk.app, "bell", lambda: bells.append("bell"))
        await one.after(15)
        assert bells == [], "off until it is switched on"
        await one.desk.press("A", "slash", *"mailer", "enter")
        await one.until(lambda: len(one.screen.watching.rows) == 1, "the filter")
        await one.after(MINUTE)
        await one.until(lambda: bells, "the alarm")
        assert any("New: payment-gateway: Card declines doubled" in note.message for note in one.desk.app._notifications)
        assert not any("payment-gateway" in row.incident.service.name for row in one.screen.watching.board.rows)
        count = len(bells)
        await one.desk.do("board_reset")
        await one.until(lambda: len(one.screen.watching.rows) > 16, "everything")
        assert len(bells) == count, "what rang does not ring again"


async def test_other_teams_ring_only_for_mine() -> None:
    team = {"teams": [{"id": "T2", "type": "team_reference", "summary": "Other"}]}
    async with scripted(incidents=[incident("OLD", **team)]) as watch:
        alarms, scope = Alarms(), Scope(teams=frozenset({"T1"}))
        assert alarms.look(await watch.refreshed(), NOW, scope) == []
        later = "2025-12-01T02:12:00Z"
        mine = [{"at": later, "assignee": {"id": "U1", "summary": "Ann"}}]
        rows = [
            incident("OLD", **team),
            incident("THEIRS", **team, assignments=OTHERS),
            incident("MINE", **team, assignments=mine),
        ]
        async with scripted(incidents=rows) as second:
            keys = {one.key.partition(" ")[0] for one in alarms.look(await second.refreshed(), NOW, scope)}
        assert keys == {"new", "mine"}
        assert alarms.look(second.board(), NOW + 1, Scope()) == [], "another choice of teams makes nothing new"


async def test_a_clock_set_back_by_an_hour_does_not_stop_the_reading() -> None:
    """The board said "live 0s" and read nothing for an hour."""
    here, there = Clock(NOW), Clock(NOW)
    service = dated(application(now=there), there.now)
    app = CallboardApp(Session({}, sandbox=lambda: service, clock=here.now), oncall=True)
    async with app.run_test(size=(120, 40)) as pilot:
        one = Board(Desk(app, pilot), here)
        await one.until(lambda: isinstance(app.screen, OncallScreen) and one.screen.live.refresher.ended, "the dashboard")
        await one.until(lambda: "yours" in one.text("#verdict"), "its data")
        calls = one.screen.live.refresher.calls
        here._ahead -= 3600
        one.screen.tick()
        await one.until(lambda: one.screen.live.refresher.calls > calls, "what is due is read")
        await one.until(lambda: "this computer's clock is 3600 s slow" in one.text(), "the clock")
        await one.until(lambda: "yours" in one.text("#verdict"), "everything read again by the right clock")
        assert "03:14:0" in one.text("#verdict")


async def test_the_account_at_the_top_is_that_of_the_rows_below() -> None:
    """None before it is known; and not one that was just chosen, whose data is not read yet."""
    known, clock = asyncio.Event(), Clock(NOW)
    session = Session({}, sandbox=lambda: application(now=clock, scenario="quiet"), clock=clock.now)
    ready = session.ready

    async def late() -> None:
        await known.wait()
        await ready()

    session.ready = late  # type: ignore[method-assign]
    app = CallboardApp(session, oncall=True)
    async with app.run_test(size=(120, 40)) as pilot:
        one = Board(Desk(app, pilot), clock)
        await one.until(lambda: isinstance(app.screen, OncallScreen) and app.screen.is_mounted, "the dashboard")
        await one.until(lambda: one.text("#verdict").strip(), "its first line")
        assert "sandbox" not in one.text("#verdict")
        known.set()
        await one.until(lambda: "sandbox" in one.text("#verdict"), "the account")
        there = session.connections["sandbox"]
        endpoints = {name: dataclasses.replace(endpoint, mode="live") for name, endpoint in there.endpoints.items()}
        other = replace(there, name="other", endpoints=endpoints)
        session.engine._found = {**session.connections, "other": other}, ""
        session.chosen["Incidents"] = "other"
        one.screen.show()
        assert "other" not in str(one.screen.query_one("#verdict", Words).render())
        one.screen.tick()
        await one.until(lambda: "LIVE · other" in one.text("#verdict"), "the other account")
