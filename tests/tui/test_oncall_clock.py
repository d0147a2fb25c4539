"""The dashboard's account and clock: those of the rows on screen, also when either has just changed."""

import asyncio
import dataclasses

from msgspec.structs import replace

from registry.sandbox.clock import Clock
from registry.sandbox.server import application
from tests.oncall.test_refresh import dated
from tests.oncall.watch import NOW
from tests.tui.app import Desk
from tests.tui.test_oncall import Board
from tui.app import CallboardApp
from tui.oncall.screen import OncallScreen
from tui.session import Session
from tui.widgets.words import Words


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
