"""The screen is painted as by Textual's own compositor, and only the changed parts are drawn."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import pytest
from rich.segment import Segment
from textual._compositor import Compositor
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from tests.tui.app import Desk, desk
from tui.keyboard.key_bar import KeyBar
from tui.widgets.compositor import ScreenCompositor

_Line = Mapping[int, Strip | None]
_SIZES = [(120, 40), (80, 24)]


def painted(one: Desk) -> ScreenCompositor:
    found = one.app.screen._compositor
    assert isinstance(found, ScreenCompositor)
    return found


def segments(line: _Line) -> dict[int, list[Segment]]:
    return {x: list(strip) for x, strip in line.items() if strip is not None}


def same_as_textuals(one: Desk, changes: int) -> int:
    """Compare the whole screen and so many changes of it. Returns how many parts were compared."""
    ours, random, seen = painted(one), Random(7), 0
    screen = ours.size.region
    whole = [segments(line) for line in Compositor._render_chops(ours, screen, lambda y: True)]
    assert [segments(line) for line in ours._render_chops(screen, lambda y: True)] == whole
    for _ in range(changes):
        ours._dirty_regions = {some_of(screen, random) for _ in range(random.randrange(1, 4))}
        update = ours.render_partial_update()
        assert update is not None
        found = [segments(line) for line in update.chops]
        for y, left, right in update.spans:
            for x, ends in zip(whole[y], update.chop_ends[y], strict=True):
                if x < right and ends > left:
                    assert found[y][x] == whole[y][x]
                    seen += 1
    return seen


def some_of(screen: Region, random: Random) -> Region:
    x, y = random.randrange(screen.width), random.randrange(screen.height)
    return Region(x, y, random.randint(1, screen.width - x), random.randint(1, screen.height - y))


@pytest.mark.parametrize(
    ("size", "changes"), [((120, 40), 4), *(pytest.param(size, 20, marks=pytest.mark.long) for size in _SIZES)]
)
async def test_screens_are_painted_as_textual_paints_them(size: tuple[int, int], changes: int) -> None:
    async with desk(size=size) as one:
        assert same_as_textuals(one, changes) > 100
        await one.open("ListIncidents")
        await one.at_rest()
        same_as_textuals(one, changes)
        await one.run()
        same_as_textuals(one, changes)
        await one.press("f2", "j", "j")
        same_as_textuals(one, changes)
        one.app.notify("A notice in front of everything.")
        await one.at_rest()
        same_as_textuals(one, changes)
        one.app.action_oncall()
        await one.until(lambda: one.app.screen is not one.screen)
        await one.at_rest()
        same_as_textuals(one, changes)


async def test_of_a_change_only_its_widget_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    async with desk(size=(120, 40)) as one:
        ours, drawn = painted(one), list[Widget]()
        draw = Widget.render_lines

        def render_lines(widget: Widget, crop: Region) -> list[Strip]:
            drawn.append(widget)
            return draw(widget, crop)

        monkeypatch.setattr(Widget, "render_lines", render_lines)
        bar = one.screen.query_one(KeyBar)
        ours._dirty_regions = {bar.region}
        assert ours.render_partial_update() is not None
        assert drawn == [bar]
        assert ours.render_partial_update() is None
