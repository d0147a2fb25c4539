"""Keys pressed before the form and the result exist, or before another tool's form does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.screen import Screen

from registry.catalog.model import Tool
from tests.sampled import further
from tests.tui.app import Desk, desk, own_threads
from tui.app import CallboardApp
from tui.dialogs.help import HelpScreen
from tui.dialogs.reader import ShowAs
from tui.dialogs.saved_calls import SavedCallsDialog
from tui.explorer.tool_pane import AskLine
from tui.explorer.toolkit_tree import ToolkitTree
from tui.keyboard import key_order
from tui.keyboard.key_bar import KeyBar
from tui.session import Session
from tui.state.preferences import Preferences
from tui.state.settings import Settings


@asynccontextmanager
async def without_panes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Desk, asyncio.Event]]:
    """The explorer before its form and result are there; they come when the event is set."""
    session, released = Session({}, preferences=Preferences(folder)), asyncio.Event()
    ready = session.ready

    async def late() -> None:
        await released.wait()
        await ready()

    monkeypatch.setattr(session, "ready", late)
    async with own_threads():
        app = CallboardApp(session, Settings)
        async with app.run_test(size=(120, 40)) as pilot:
            yield Desk(app, pilot), released


@pytest.mark.parametrize("keys", [("f3", "f1"), ("down", "f3", "f1")], ids=" ".join)
async def test_they_wait_for_the_panes_and_act_in_their_order(
    keys: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_order, "_LONGEST_WAIT", 0.0)  # a start may take longer than any key waits for another one
    async with without_panes(tmp_path, monkeypatch) as (one, released):
        for key in keys:
            one.app.post_message(events.Key(key, None))
        # Once F3 waits for the panes, and what is behind it waits for F3.
        await one.until(lambda: [worker for worker in one.app.workers if worker.group == "panes mounted"])
        assert not one.screen.panes_mounted
        released.set()
        # Help is about the pane that F3 went to before.
        await one.until(lambda: one.screen.panes_mounted and isinstance(one.app.screen, HelpScreen))
        assert one.screen.here == "form"


@pytest.mark.parametrize("size", [(80, 24), *further((120, 40))])
async def test_letters_typed_among_the_tools_are_asked_after_a_call_as_at_the_start(size: tuple[int, int]) -> None:
    async with desk(size) as one:
        await one.open("ListTeams")
        await one.run()
        await one.press("f2")
        tree, line = one.screen.query_one(ToolkitTree), one.screen.query_one(AskLine)
        tree.focus()
        await one.pilot.pause()
        unfolded = set(tree._open)
        await one.type("cust cards")
        assert one.app.focused is line
        assert line.value == "cust cards"
        assert tree._open == unfolded, "a space is a letter of what is asked"
        await one.press("enter")
        await one.until(lambda: one.screen.form.tool is not None and one.screen.form.tool.name == "GetCustomerCards")
        await one.press("f2")
        tree.focus()
        await one.pilot.pause()
        await one.type("subs")
        assert line.value == "subs", "what was asked before is over"


@asynccontextmanager
async def opening_late(one: Desk, name: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[asyncio.Event]:
    """A tool was chosen in the tree, and takes longer to open than any key waits; it is opened when the event is set."""
    monkeypatch.setattr(key_order, "_LONGEST_WAIT", 0.0)
    find, begun, released = one.screen._tool, asyncio.Event(), asyncio.Event()

    async def late(name: str) -> Tool | None:
        begun.set()
        await released.wait()
        return await find(name)

    monkeypatch.setattr(one.screen, "_tool", late)
    await one.press("f2")
    one.screen.query_one(ToolkitTree).go_to(name)
    one.app.post_message(events.Key("enter", None))
    await one.until(begun.is_set, "the tool is being opened")
    yield released
    released.set()


@pytest.mark.parametrize("before", ["", "ListUsers"], ids=["first", "another tool's form"])
async def test_the_run_key_runs_the_tool_chosen_before_it_however_late_that_opens(
    before: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with desk() as one:
        if before:
            await one.open(before)
        ran = list[str]()
        launch = one.screen.launch

        def launched(tool: Tool, *rest: Any, **more: Any) -> None:
            ran.append(tool.name)
            launch(tool, *rest, **more)

        monkeypatch.setattr(one.screen, "launch", launched)
        async with opening_late(one, "ListTeams", monkeypatch) as released:
            for _ in range(3):  # a key that repeats
                one.app.post_message(events.Key("f5", None))
                await one.pilot.pause()
            assert not ran
            released.set()
            await one.until(lambda: one.screen.result.result is not None, "the call")
        assert ran == ["ListTeams"]
        assert one.screen.result.result is not None
        assert one.screen.result.result.tool == "ListTeams"


async def test_the_run_key_without_a_tool_says_so() -> None:
    async with desk() as one:
        await one.press("f5")
        await one.until(lambda: "Open a tool first." in str(one.screen.query_one(KeyBar).render()))


@pytest.mark.parametrize(("action", "dialog"), [("app.saved", SavedCallsDialog), ("out('show_as')", ShowAs)])
async def test_what_acts_on_the_form_waits_for_the_one_chosen_before_it(
    action: str, dialog: type[Screen[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with desk() as one:
        await one.open("ListUsers")
        async with opening_late(one, "ListTeams", monkeypatch) as released:
            await one.screen.run_action(action)
            await one.pilot.pause()
            assert one.app.screen is one.screen
            released.set()
            await one.until(lambda: isinstance(one.app.screen, dialog), "the dialog")
        assert one.screen.tool is not None
        assert one.screen.tool.name == "ListTeams"
