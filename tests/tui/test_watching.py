"""Watching in the explorer: versions, what changed, stepping, ringing, and the ends of a watch."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from textual.widgets import Static

from tests.tui.app import Desk, desk
from tui.dialogs.watch import WatchDialog, seconds_of
from tui.explorer import watching
from tui.explorer.watching import WatchLine


class Clockwork:
    """Stands in for waiting: a watch goes on when it is told to."""

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
    monkeypatch.setattr(watching, "sleep", made.sleep)
    return made


def line(one: Desk) -> list[str]:
    return str(one.screen.query_one(WatchLine).render()).split("\n")


async def changed(one: Desk, tool: str, raw: dict[str, Any]) -> None:
    """Change something in the sandbox behind the program's back."""
    from registry.engine import Consent

    session = one.app.session
    result = await session.engine.run(tool, raw, session.connection("PaymentsApi"), consent=Consent.CHANGES)
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
        await one.open("RetrieveCustomerDetails")
        await one.press("R")
        assert not one.screen.query(WatchLine), "there is nothing to watch"
        customers = await one.app.session.engine.run("ListPaymentsCustomers", {"limit": "1"})
        print(customers.body[:200])
