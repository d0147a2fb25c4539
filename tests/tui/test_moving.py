"""The same keys move in every list and in every long text."""

import asyncio
import time
from collections.abc import Callable

import pytest
from rich.segment import Segment
from textual.app import App, ComposeResult
from textual.content import Content
from textual.widgets import Static

from tui.widgets.line_list import LineList, Rows, Scroll


class Plain(LineList):
    """Lines that do not wrap."""

    @property
    def line_count(self) -> int:
        return 100

    def draw(self, line: int, width: int) -> list[Segment]:
        return [Segment(str(line))]


class Lists(App[None]):
    def compose(self) -> ComposeResult:
        yield Plain(id="plain")
        yield Rows(*(Content(str(row)) for row in range(100)), id="rows")
        with Scroll(id="scroll"):
            yield Static("\n".join(str(line) for line in range(100)))

    DEFAULT_CSS = "Screen > * { height: 10; }"

    def place(self, name: str) -> int:
        """The line of the cursor, or the first visible line."""
        if name == "plain":
            return self.query_one(Plain).cursor
        if name == "rows":
            return self.query_one(Rows).highlighted or 0
        return round(self.query_one(Scroll).scroll_target_y)


async def until(app: Lists, name: str, holds: Callable[[int], bool]) -> int:
    """Wait until the place is one of those. Returns it."""
    end = time.monotonic() + 20
    while not holds(place := app.place(name)):
        assert time.monotonic() < end, f"{name} stays at {place}"
        await asyncio.sleep(0.005)
    return place


@pytest.mark.parametrize("name", ["plain", "rows", "scroll"])
async def test_letters_move_as_arrows_do(name: str) -> None:
    app = Lists()
    async with app.run_test(size=(80, 40)) as pilot:
        app.query_one(f"#{name}").focus()
        await pilot.press("G")
        last = await until(app, name, lambda place: place > 80)
        for one, other, end, start, from_here in (
            ("j", "down", "g", "home", 0),
            ("ctrl+d", "pagedown", "g", "home", 0),
            ("k", "up", "G", "end", last),
            ("ctrl+u", "pageup", "G", "end", last),
        ):
            await pilot.press(end)
            await until(app, name, lambda place, there=from_here: place == there)  # type: ignore[misc]
            await pilot.press(one)
            moved = await until(app, name, lambda place, there=from_here: place != there)  # type: ignore[misc]
            await pilot.press(start)
            await until(app, name, lambda place, there=from_here: place == there)  # type: ignore[misc]
            await pilot.press(other)
            await until(app, name, lambda place, there=moved: place == there)  # type: ignore[misc]
