"""The program under Textual's pilot, with helpers that wait for conditions instead of times."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import pytest
from textual import events
from textual.geometry import Region
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Static

from registry.calling.result import Result
from registry.catalog.model import Tool
from tui.app import CallboardApp
from tui.dialogs.questions import YesNo
from tui.explorer.home import Home
from tui.explorer.screen import ExplorerScreen
from tui.explorer.top_bar import PaneHead
from tui.keyboard.commands import COMMANDS, carry_out
from tui.session import Session
from tui.state.json_store import Preferences
from tui.state.settings import Settings

_PATIENCE = 60.0


def status(one: "Desk") -> str:
    """What is said beside the title of the result, or below it."""
    pane = one.screen.result
    words = pane.query_one("#status", Static)
    return str(words.render()) if words.display else str(next(iter(pane.query_one(PaneHead).asides), ""))


class Desk:
    """The running program and its screen."""

    def __init__(self, app: CallboardApp, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def screen(self) -> ExplorerScreen:
        screen = self.app.screen_stack[0]
        assert isinstance(screen, ExplorerScreen)
        return screen

    @property
    def tool(self) -> str:
        """The name of the tool whose form is open; empty without one."""
        return self.screen.tool.name if self.screen.tool is not None else ""

    @property
    def result(self) -> Result:
        """The result on screen."""
        assert self.screen.result.result is not None
        return self.screen.result.result

    async def until(self, condition: Callable[[], object], what: str = "") -> None:
        """Wait for a condition."""
        end = time.monotonic() + _PATIENCE
        while not condition():
            assert time.monotonic() < end, what or "the condition did not come true"
            await asyncio.sleep(0.002)

    async def at_rest(self) -> None:
        """Wait until no widget moves any more: the same places before and after two rounds of all messages."""
        places: list[Region] | None = None
        end = time.monotonic() + _PATIENCE
        while places != (places := [widget.region for widget in self.app.screen.walk_children(Widget)]):
            assert time.monotonic() < end, "the widgets do not come to rest"
            await self.pilot.pause()
            await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        """Press keys, and wait after each until it is handled."""
        for key in keys:
            await self.pilot.press(key)

    async def type(self, text: str) -> None:
        """Type a text, each letter right behind the one before it, and wait until all of it is handled."""
        for letter in text:
            self.app.post_message(events.Key(letter if letter.isalnum() else _character_to_key(letter), letter))
        await self.pilot.pause()

    async def do(self, *ids: str) -> None:
        """Run commands by their ids, as the palette does."""
        for command in (command for id_ in ids for command in COMMANDS if command.id == id_):
            await carry_out(command, self.app.screen)
            await self.pilot.pause()

    async def answer(self, *, yes: bool) -> None:
        """Wait for a question with yes or no, and answer it."""
        await self.until(lambda: isinstance(self.app.screen, YesNo), "the question")
        asked = self.app.screen
        await self.pilot.pause()
        await self.press(*["right"] * yes, "enter")
        await self.until(lambda: self.app.screen is not asked)

    async def open(self, name: str) -> None:
        """Open a tool's form."""
        self.app.open_tool(name)
        await self.until(lambda: self.screen.form.tool is not None and self.screen.form.tool.name == name, name)
        await self.pilot.pause()

    async def run(self) -> None:
        """Run the form and wait for its end."""
        pane = self.screen.result
        before = pane.result
        await self.press("f5")
        await self.until(lambda: pane.result is not before and pane.laid_out and not pane.has_class("-running"), "the call")
        await self.pilot.pause()


class _AsToolsDo(Session):
    """A session that asks for the tools' own number of items, whatever the screen's height."""

    def _sized(self, tool: Tool, raw: Mapping[str, object]) -> Mapping[str, object]:
        return raw


class _HomeLeft(ExplorerScreen):
    """The explorer as it is when home was left."""

    async def mount_home(self) -> None:
        await asyncio.to_thread(self.home.look_back)
        await self.query_one("#panes").mount(Home(self.session, self.home))


class _WithoutHome(CallboardApp):
    def get_default_screen(self) -> ExplorerScreen:
        return _HomeLeft(self.session)


@asynccontextmanager
async def desk(
    size: tuple[int, int] = (120, 40),
    environment: Mapping[str, str] | None = None,
    remembered: Path | None = None,
    settings: Callable[[], Settings] = Settings,
    *,
    lists: Literal["table", "json"] = "json",
    start_page: bool = False,
) -> AsyncIterator[Desk]:
    """The program on the sandbox, ready to be used; it remembers nothing of other desks unless they share a folder.

    With ``json`` it is that of somebody who has chosen JSON for lists, and asks for as many items as tools say; with
    ``table`` it is as it comes: lists are tables, and pages have as many items as there is room for.
    """
    with TemporaryDirectory() as empty:
        async with own_threads():
            preferences = Preferences(remembered or Path(empty))
            kind = Session if start_page or lists == "table" else _AsToolsDo
            preferences.as_table = lists == "table"
            app = (CallboardApp if start_page else _WithoutHome)(kind(environment or {}, preferences=preferences), settings)
            async with app.run_test(size=size) as pilot:
                one = Desk(app, pilot)
                await one.until(lambda: one.screen.panes_mounted, "the panes")
                await one.at_rest()
                yield one


@asynccontextmanager
async def own_threads() -> AsyncIterator[None]:
    """Threads for `asyncio.to_thread`, all of which have ended at the end.

    A program that has shut down may still write its preferences in one; its folder can be removed when that is done.
    """
    loop, threads = asyncio.get_running_loop(), ThreadPoolExecutor()
    loop.set_default_executor(threads)
    try:
        yield
    finally:
        loop.set_default_executor(ThreadPoolExecutor())
        # A thread may be waiting for the event loop, which has to go on meanwhile.
        await asyncio.to_thread(threads.shutdown)


@asynccontextmanager
async def without_panes(
    folder: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int] = (120, 40)
) -> AsyncIterator[tuple[Desk, asyncio.Event]]:
    """The explorer before its form and result are there; they come when the event is set."""
    session, released = Session({}, preferences=Preferences(folder)), asyncio.Event()
    ready = session.ready

    async def late() -> None:
        await released.wait()
        await ready()

    monkeypatch.setattr(session, "ready", late)
    async with own_threads():
        app = CallboardApp(session, Settings)
        async with app.run_test(size=size) as pilot:
            yield Desk(app, pilot), released


def noted(field: Widget, name: str) -> str:
    """What stands below a field's editor: its `reading` or its `error`; empty without one."""
    return "".join(str(one.render()) for one in field.query_children(f".{name}").results(Static))
