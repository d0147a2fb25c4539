"""The same keys move in every list and in every long text."""

from __future__ import annotations

import pytest
from rich.segment import Segment
from textual.app import App, ComposeResult
from textual.content import Content
from textual.widgets import Static

from tui.lines import LineList
from tui.moving import Rows, Scroll


class Plain(LineList):
    """Lines that do not fold."""

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
        """Which line the cursor is on, or which is the first in sight."""
        if name == "plain":
            return self.query_one(Plain).cursor
        if name == "rows":
            return self.query_one(Rows).highlighted or 0
        return round(self.query_one(Scroll).scroll_target_y)


@pytest.mark.parametrize("name", ["plain", "rows", "scroll"])
async def test_letters_move_as_arrows_do(name: str) -> None:
    app = Lists()
    async with app.run_test(size=(80, 40)) as pilot:
        app.query_one(f"#{name}").focus()
        for one, other in (("j", "down"), ("ctrl+d", "pagedown")):
            await pilot.press("g", one)
            moved = app.place(name)
            assert moved > 0
            await pilot.press("home", other)
            assert app.place(name) == moved
        for one, other in (("k", "up"), ("ctrl+u", "pageup")):
            await pilot.press("G")
            last = app.place(name)
            await pilot.press(one)
            moved = app.place(name)
            assert moved < last
            await pilot.press("end", other)
            assert app.place(name) == moved


async def test_keys_for_folding_are_none_where_nothing_folds() -> None:
    app = Lists()
    async with app.run_test(size=(80, 40)):
        app.query_one(Plain).focus()
        works = {active.binding.action for active in app.screen.active_bindings.values()}
        assert "move(1)" in works
        assert not {"fold", "unfold", "toggle_fold"} & works
