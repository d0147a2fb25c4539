"""A list draws its lines as Textual would draw them, and its scroll bar only when its thumb is seen to move."""

from __future__ import annotations

from asyncio import timeout

import pytest
from rich.segment import Segment
from rich.style import Style
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.scrollbar import ScrollBarRender
from textual.widget import Widget

from tui.widgets.line_list import LineList
from tui.widgets.scroll_bar import ListScrollBar


class Lines(LineList):
    def __init__(self, count: int) -> None:
        super().__init__()
        self.count = count

    @property
    def line_count(self) -> int:
        return self.count

    def draw(self, line: int, width: int) -> list[Segment]:
        return [Segment(f"{line} ", Style(bold=True)), Segment("東x" * (line % 40), Style(color="red"))]


class Shown(App[None]):
    def __init__(self, count: int) -> None:
        super().__init__()
        self.lines = Lines(count)

    def compose(self) -> ComposeResult:
        yield self.lines


def thumb(bar: ListScrollBar) -> list[Segment]:
    drawn = bar.render()
    assert isinstance(drawn, ScrollBarRender)
    return [*drawn.render_bar(bar.size.height, drawn.virtual_size, drawn.window_size, drawn.position).segments]


@pytest.mark.parametrize(("count", "step"), [(30, 1), (100, 3), (100_000, 997)])
async def test_a_scroll_bar_is_drawn_again_when_its_thumb_moves(count: int, step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    app, refreshed = Shown(count), list[int]()
    async with app.run_test(size=(40, 20)) as pilot, timeout(60):
        bar = app.lines.vertical_scrollbar
        assert isinstance(bar, ListScrollBar)
        while (bar.window_virtual_size, bar.size.height) != (count, 20):  # until it is laid out
            await pilot.pause()
        monkeypatch.setattr(bar, "refresh", lambda **options: refreshed.append(int(bar.position)))
        before, moved = thumb(bar), 0
        for place in [*range(0, min(count - 20, 100 * step), step), count - 20]:
            refreshed.clear()
            bar.position = place
            after = thumb(bar)
            assert bool(refreshed) == (after != before)
            before, moved = after, moved + bool(refreshed)
        assert moved


async def test_lines_are_drawn_as_textual_draws_them() -> None:
    app = Shown(100)
    async with app.run_test(size=(40, 20)) as pilot:
        lines, crop = app.lines, Region(0, 0, 40, 20)
        for style, value in (("opacity", 1.0), ("padding", (1, 2)), ("padding", 0), ("opacity", 0.5), ("text_opacity", 0.3)):
            setattr(lines.styles, style, value)
            await pilot.pause()
            lines._styles_cache.clear()
            width = lines.scrollable_size.width + lines.styles.gutter.width
            ours = [list(strip.crop(0, width).simplify()) for strip in lines.render_lines(crop)]
            textuals = [list(strip.crop(0, width).simplify()) for strip in Widget.render_lines(lines, crop)]
            assert ours == textuals
