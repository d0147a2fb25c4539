"""Requests of agents in a running explorer: the line, the list, the dialog, and protection from accidents."""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from textual.widgets import Button, OptionList, Static

from registry.engine import AgentAnswer
from registry.journal.agent_requests import AgentRequests, RequestedChange
from registry.journal.store import AGENT_REQUESTS, state_file
from tests.journal.test_agent_requests import CHANGE
from tests.tui.app import Desk
from tests.tui.test_deleting import clock
from tui.app import CallboardApp
from tui.dialogs.choose import ChooseDialog
from tui.dialogs.confirm import AgentRequestDialog
from tui.dialogs.deliberate import DeliberateButton, TypedLine
from tui.dialogs.questions import Prompt
from tui.explorer.elicitation import AgentLine
from tui.session import Session
from tui.theme import READABLE, contrast

__all__ = ("clock",)  # a fixture
LIVE = replace(CHANGE, mode="live", account="Payments")
PLAIN = replace(CHANGE, names=())


class Door:
    """Uses the file as the agents' server does."""

    def __init__(self) -> None:
        self.requests = AgentRequests(state_file(AGENT_REQUESTS))
        self._calls = 0

    def asks(self, change: RequestedChange = PLAIN) -> int:
        self._calls += 1
        number = self.requests.post(replace(change, at=time.time()), str(self._calls), "", 240.0, bytes)
        assert number is not None
        return number


@asynccontextmanager
async def home(size: tuple[int, int] = (120, 40), **options: Any) -> AsyncIterator[tuple[Desk, Door]]:
    """An explorer and an agents' server on one home."""
    door, app = Door(), CallboardApp(Session({}, **options))
    try:
        async with app.run_test(size=size) as pilot:
            one = Desk(app, pilot)
            await one.until(lambda: one.screen.panes_mounted, "the panes")
            await one.at_rest()
            yield one, door
    finally:
        door.requests.close()


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr("tui.explorer.elicitation.EVERY", 0.02)


def line(one: Desk) -> str:
    return one.screen.query_one(AgentLine).render().plain


async def look(one: Desk, *, shows: str = "An agent") -> AgentRequestDialog:
    await one.until(lambda: shows in line(one))
    await one.press("alt+a")
    await one.until(lambda: isinstance(one.app.screen, AgentRequestDialog))
    await one.pilot.pause()
    dialog = one.app.screen
    assert isinstance(dialog, AgentRequestDialog)
    return dialog


def words(dialog: AgentRequestDialog) -> str:
    return "\n".join(str(widget.render()) for widget in dialog.query(Static))


def state(dialog: AgentRequestDialog) -> str:
    return str(dialog.query_one("#said", Static).render())


def allow(dialog: AgentRequestDialog) -> DeliberateButton:
    return dialog.query_one(DeliberateButton)


async def answered(one: Desk, door: Door, number: int) -> AgentAnswer | None:
    await one.until(lambda: door.requests.peek(number), "an answer")
    return door.requests.end(number)


async def test_a_line_tells_and_moves_nothing_and_a_person_allows(clock: Callable[[], None]) -> None:
    async with home() as (one, door):
        await one.until(lambda: door.requests.attended(), "who may answer says so")
        focused, places = one.app.focused, [pane.region for pane in one.screen.query(".pane")]
        assert "─" in line(one)
        number = door.asks()
        await one.until(lambda: "Delete a coupon: PARTNER15. 4 min left." in line(one))
        assert line(one).startswith("▌ An agent (support-desk 1) asks")
        assert line(one).rstrip().endswith("Alt+A Look")
        await one.until(lambda: [pane.region for pane in one.screen.query(".pane")] == places, "the panes where they were")
        assert one.app.focused is focused
        dialog = await look(one)
        for part in (
            "An agent asks: Delete a coupon?",
            "Cannot be undone.",
            "support-desk 1, by callboard mcp",
            "4 min left",
            "Its reason, in its words (not checked)\n“The\\u001b[31m partner left.”",
            "What Callboard found\nname  Partner\\u202e discount",
            "DELETE",
            "one\ntwo\\u0007",
        ):
            assert part in words(dialog), part
        assert one.app.focused is dialog.query_one("#refuse", Button)
        styles = allow(dialog).styles
        assert contrast(styles.color.hex, styles.background.hex) >= READABLE, "before it has the keyboard as well"
        clock()
        allow(dialog).focus()
        await one.press(*["enter"] * 9)
        dialog._tick()
        assert "too fast" in state(dialog), "it stays to be read"
        clock()
        await one.press("enter")
        assert await answered(one, door, number) == AgentAnswer(allowed=True)
        await one.until(lambda: "─" in line(one))
        await one.press("alt+a")
        await one.until(lambda: any("No agent asks" in one.message for one in one.app._notifications))


async def test_a_reflex_refuses_a_note_goes_along_and_live_data_needs_the_typed_id(clock: Callable[[], None]) -> None:
    async with home(size=(80, 24)) as (one, door):
        number = door.asks()
        await one.until(
            lambda: "An agent asks: Delete a coupon: PARTNER15. 4 min left." in line(one), "whole, without the client"
        )
        dialog = await look(one)
        assert dialog.query_one("#buttons").region.bottom <= 24
        await one.press("escape")
        await one.until(lambda: one.app.screen is one.screen)
        assert not door.requests.peek(number), "later is no answer"
        await look(one)
        await one.press("enter")
        assert await answered(one, door, number) == AgentAnswer(allowed=False)
        number = door.asks()
        dialog = await look(one)
        await one.press("right", "enter")
        await one.until(lambda: isinstance(one.app.screen, Prompt))
        await one.type("use another")
        await one.press("enter")
        assert await answered(one, door, number) == AgentAnswer(allowed=False, note="use another")

        number = door.asks(LIVE)
        dialog = await look(one)
        assert dialog.has_class("-live")
        assert "LIVE data" in words(dialog)
        assert allow(dialog).disabled
        dialog.query_one(TypedLine).focus()
        await one.pilot.pause()
        await one.press(*"PARTNER15", "enter")
        assert one.app.screen is dialog, "Enter in the line does nothing"
        assert not allow(dialog).disabled
        assert dialog.query_one("#buttons").region.bottom <= 24
        allow(dialog).focus()
        await one.pilot.pause()
        clock()
        await one.press("enter")
        assert await answered(one, door, number) == AgentAnswer(allowed=True, typed="PARTNER15")


async def test_what_is_over_says_so_and_sends_nothing(clock: Callable[[], None]) -> None:
    async with home() as (one, door):
        number = door.asks()
        dialog = await look(one)
        clock()
        allow(dialog).focus()
        door.requests.end(number)  # the client was faster
        dialog._tick()
        await one.until(lambda: one.screen.query_one(AgentLine).waiting == ())
        dialog._tick()
        assert "Request closed" in state(dialog)
        assert not allow(dialog).display
        assert one.app.focused is dialog.query_one("#refuse", Button)
        clock()
        await one.press("enter")
        await one.until(lambda: one.app.screen is one.screen)
        number = door.asks()
        dialog = await look(one)
        door.requests.end(number)
        dialog.dismiss(AgentAnswer(allowed=True))  # in the second before the explorer looks again
        await one.until(lambda: any("Too late" in one.message for one in one.app._notifications))


async def test_several_are_listed_and_other_screens_tell(clock: Callable[[], None]) -> None:
    async with home(size=(80, 24)) as (one, door):
        first, second = door.asks(), door.asks(replace(PLAIN, subject="LAUNCH25\x1b[31m" + "x" * 200))
        await one.until(lambda: "(+1)" in line(one))
        assert len(line(one)) <= 80
        assert line(one).rstrip().endswith("Alt+A Look")
        await one.press("alt+a")
        await one.until(lambda: isinstance(one.app.screen, ChooseDialog))
        assert one.app.screen.query_one(OptionList).option_count == 2
        await one.press("down", "enter")
        await one.until(lambda: isinstance(one.app.screen, AgentRequestDialog))
        dialog = one.app.screen
        assert isinstance(dialog, AgentRequestDialog)
        assert "LAUNCH25\\u001b[31m" in words(dialog)
        await one.press("enter")
        assert await answered(one, door, second) == AgentAnswer(allowed=False)
        await one.press("f11")
        await one.until(lambda: one.app.screen is not one.screen)
        door.requests.end(first)
        third = door.asks(replace(PLAIN, subject="SUMMER"))
        await one.until(lambda: any("SUMMER. Alt+A" in one.message for one in one.app._notifications))
        await one.press("alt+a")
        await one.until(lambda: isinstance(one.app.screen, AgentRequestDialog))
        await one.press("enter")
        assert await answered(one, door, third) == AgentAnswer(allowed=False)


async def test_a_read_only_run_allows_nothing() -> None:
    async with home(read_only=True) as (one, door):
        number = door.asks()
        dialog = await look(one)
        assert "read-only" in state(dialog)
        assert not allow(dialog).display
        assert not door.requests.attended(), "who may not allow is not asked in place of a client"
        await one.press("enter")
        assert await answered(one, door, number) == AgentAnswer(allowed=False)
