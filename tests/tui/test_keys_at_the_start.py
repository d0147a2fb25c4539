"""Keys pressed before what they act on is there: a form and its result, search words, values that are looked up."""

import asyncio
import math
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from textual import events

from registry.catalog.model import Tool
from tests.sampled import further
from tests.tui.app import Desk, desk, without_panes
from tests.tui.test_history import id_field
from tests.tui.test_query_field import entry, keys
from tui.explorer.tool_pane import AskLine
from tui.explorer.toolkit_tree import ToolkitTree
from tui.help.screen import HelpScreen
from tui.keyboard import key_order


async def test_they_wait_for_the_panes_and_act_in_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_order, "_LONGEST_WAIT", 0.0)  # a start may take longer than any key waits for another one
    async with without_panes(tmp_path, monkeypatch) as (one, released):
        for key in ("down", "f3", "f1"):
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
        await one.until(lambda: one.tool == "GetCustomerCards")
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


@pytest.mark.parametrize("before", ["ListUsers", *further("")])
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
        assert one.result.tool == "ListTeams"


@pytest.fixture(autouse=True)
def own_history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A history of its own; and a key waits for what earlier ones have started however long that takes."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(key_order, "_LONGEST_WAIT", math.inf)


class Late:
    """A lookup that has begun, and ends when it is told to."""

    def __init__(self, lookup: Callable[..., Any]) -> None:
        self._lookup = lookup
        self._begun, self._released = threading.Event(), threading.Event()
        self.has_begun, self.release = self._begun.is_set, self._released.set

    def __call__(self, *asked: object) -> Any:
        self._begun.set()
        self._released.wait()
        return self._lookup(*asked)


@contextmanager
def late(lookup: Callable[..., Any]) -> Iterator[Late]:
    """A late lookup, which at the end holds up no thread."""
    one = Late(lookup)
    try:
        yield one
    finally:
        one.release()


async def press_and_then_look_up(one: Desk, lookup: Late, *names: str) -> None:
    """Press keys while values are looked up, which come when the keys are waiting."""
    await one.until(lookup.has_begun, "the lookup")
    for name in names:
        one.app.post_message(events.Key(name, name if len(name) == 1 else None))
    await one.until(lambda: one.app._letting_through is not None, "a key waits")
    lookup.release()


async def test_enter_right_after_down_takes_the_value(monkeypatch: pytest.MonkeyPatch) -> None:
    async with desk() as one:
        field = await id_field(one)
        session = one.app.session
        with late(session.offers) as lookup:
            monkeypatch.setattr(session, "offers", lookup)
            one.app.post_message(events.Key("h", "h"))
            await press_and_then_look_up(one, lookup, "down", "enter")
            await one.until(lambda: field.raw == "cus_N2abcdef", "the value that fits what was typed")
        assert one.screen.result.result is None


async def test_in_a_query(monkeypatch: pytest.MonkeyPatch) -> None:
    async with desk() as one:
        await one.open("PaymentsSearchCharges")
        with late(lambda toolkit, kinds, typed: [("cus_seen", "Ada Lovelace")]) as lookup:
            monkeypatch.setattr(one.app.session, "seen_ids", lookup)
            await keys(one, "customer:c")
            await press_and_then_look_up(one, lookup, "down", "enter")
            await one.until(lambda: entry(one).line.value == 'customer:"cus_seen"', "the id is taken")
        assert one.screen.result.result is None
