"""Watching in the explorer: versions, changes, stepping, the bell, and the ends of a watch."""

from __future__ import annotations

import asyncio

import pytest
from textual.widgets import Static

from registry.engine import Consent
from registry.journal.search_query import parse_search
from tests.tui.app import Desk, desk
from tui.dialogs.watch import WatchDialog
from tui.explorer.watching import WatchLine
from tui.keyboard.key_bar import KeyBar
from tui.widgets import watch_strip


class Clockwork:
    """Stands in for waiting: a watch continues when the test says so."""

    def __init__(self) -> None:
        self._go = asyncio.Event()
        self.waited: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.waited.append(seconds)
        await self._go.wait()
        self._go.clear()

    async def go_on(self, one: Desk) -> None:
        count = len(self.waited)
        self._go.set()
        await one.until(lambda: len(self.waited) > count or not one.screen.query(WatchLine), "another round")
        await one.pilot.pause()


@pytest.fixture
def clockwork(monkeypatch: pytest.MonkeyPatch) -> Clockwork:
    made = Clockwork()
    monkeypatch.setattr(watch_strip, "sleep", made.sleep)
    return made


def line(one: Desk) -> list[str]:
    return str(one.screen.query_one(WatchLine).render()).split("\n")


async def renamed(one: Desk, user: str, name: str) -> None:
    """Change something in the sandbox without the program."""
    raw = {"user_identifier": user, "first_name": name}
    result = await one.app.session.engine.run("UpdateCrmUserInfo", raw, consent=Consent.CONFIRMED)
    assert result.ok, result.failure


async def watched(one: Desk, condition: str = "") -> None:
    await one.press("R")
    await one.until(lambda: isinstance(one.app.screen, WatchDialog), "the dialog")
    await one.pilot.pause()
    if condition:
        one.app.screen.query_one("#condition").value = condition  # type: ignore[attr-defined]
    await one.press("enter")
    await one.until(lambda: one.screen.query(WatchLine) and "version 1" in line(one)[0], "the first version")


async def test_versions_are_told_stepped_through_and_ring(clockwork: Clockwork, monkeypatch: pytest.MonkeyPatch) -> None:
    async with desk((80, 24)) as one:
        rings: list[str] = []
        monkeypatch.setattr(one.app, "bell", lambda: rings.append("ring"))
        await one.open("FetchCrmUsersList")
        await one.run()
        pane, session = one.screen.result, one.app.session
        user = pane.result.json["results"][1]["id"]  # type: ignore[union-attr]
        calls = len(session.results.of("FetchCrmUsersList"))
        history, asked = session.history, parse_search("tool:FetchCrmUsersList", 0)
        assert history is not None
        history.flush()
        before = len(history.search(asked))  # other tests of this process keep theirs in the same home
        await watched(one, "results[?firstName=='Zoe']")
        assert line(one)[0].startswith("watching every 15 s · version 1 of 1 · R stops · next in ")
        await clockwork.go_on(one)
        assert line(one)[0].startswith("watching every 15 s · version 1 of 1"), "nothing has changed"
        assert clockwork.waited == [15.0, 15.0]

        pane.view.go_to(5)
        await renamed(one, user, "Yan")
        await clockwork.go_on(one)
        await one.until(lambda: pane.laid_out, "version 2")
        assert "version 2 of 2 · 1 change · R stops · < > step" in line(one)[0]
        assert line(one)[1].startswith("~ changed results[1].firstName  ")
        assert line(one)[1].endswith(' → "Yan"')
        assert pane.view.row == 5, "the cursor stays"
        assert rings == []
        await renamed(one, user, "Zoe")
        await clockwork.go_on(one)
        await one.until(lambda: pane.laid_out, "version 3")
        assert "version 3 of 3 · 1 change · ! rings" in line(one)[0]
        assert rings == ["ring"]
        assert pane.result.json["results"][1]["firstName"] == "Zoe"  # type: ignore[union-attr]

        await one.press("less_than_sign")
        await one.until(lambda: pane.laid_out, "version 2 again")
        assert "version 2 of 3" in line(one)[0]
        assert pane.result.json["results"][1]["firstName"] == "Yan"  # type: ignore[union-attr]
        await renamed(one, user, "Ann")
        await clockwork.go_on(one)
        assert "version 2 of 4" in line(one)[0], "whoever looks at an earlier one stays there"
        await one.press("greater_than_sign", "greater_than_sign", "greater_than_sign")
        await one.until(lambda: pane.laid_out, "version 4")
        assert "version 4 of 4" in line(one)[0]
        assert len(session.results.of("FetchCrmUsersList")) <= calls + 6
        history.flush()
        assert len(history.search(asked)) == before, "what is asked again and again is not history"

        await one.press("R")
        await one.until(lambda: not one.screen.query(WatchLine), "the end")


async def test_a_watch_ends_with_another_run_and_with_another_visit(clockwork: Clockwork) -> None:
    async with desk() as one:
        await one.open("GetAccountRoles")
        await one.press("f4", "R")
        assert not isinstance(one.app.screen, WatchDialog), "there is nothing to watch"
        await one.run()
        await watched(one)
        await one.run()
        await one.until(lambda: not one.screen.query(WatchLine), "another run")
        await one.press("f4")
        await watched(one)
        await one.open("ViewAccountTeams")
        await one.until(lambda: not one.screen.query(WatchLine), "another visit")


async def test_the_dialog_says_what_cannot_be(clockwork: Clockwork) -> None:
    async with desk() as one:
        await one.open("GetAccountRoles")
        await one.run()
        await one.press("R")
        await one.until(lambda: isinstance(one.app.screen, WatchDialog), "the dialog")
        await one.pilot.pause()
        told = one.app.screen.query_one("#wrong", Static)
        await one.press("1", "enter")
        assert "from 2s to 1h" in str(told.render())
        await one.press("5", "tab", "left_square_bracket", "enter")
        assert "The condition is not valid JMESPath" in str(told.render())
        await one.press("backspace", "enter")
        await one.until(lambda: one.screen.query(WatchLine), "the watch")
        assert line(one)[0].startswith("watching every 15 s")


async def test_a_result_of_another_visit_is_not_watched(clockwork: Clockwork) -> None:
    async with desk() as one:
        await one.open("SearchPaymentsCustomers")
        one.screen.form.fill({"search_query_string": "created>0"})
        await one.run()
        here = one.screen.trail.here
        assert here is not None
        here.asked = {}  # as while its form is being opened anew: it was not run there
        await one.press("f4", "R")
        await one.pilot.pause()
        assert not isinstance(one.app.screen, WatchDialog)
        assert "Run the tool first" in str(one.screen.query_one(KeyBar).render())
