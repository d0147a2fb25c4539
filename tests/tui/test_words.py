"""Text that is set again is drawn and laid out only when it has to be; a screen is laid out once for a change of size."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.app import App, ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.pilot import Pilot
from textual.screen import Screen
from textual.visual import VisualType

from tui.widgets.words import Words


class Sheet(Screen[None]):
    def __init__(self) -> None:
        super().__init__()
        self.layouts = 0

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Words("one", id="words")
            yield Words("one", id="narrow")
        with VerticalScroll(id="rest"):
            yield Words("below")

    def _refresh_layout(self, size: Size | None = None, scroll: bool = False) -> None:
        self.layouts += 1
        super()._refresh_layout(size, scroll)


class Shown(App[None]):
    CSS = """
    #box { height: auto; }
    #box.-narrow { width: 20; }
    #narrow { width: auto; }
    #rest { height: 1fr; }
    """

    def get_default_screen(self) -> Sheet:
        return Sheet()


class Seen:
    def __init__(self, pilot: Pilot[None], words: Words) -> None:
        self.pilot, self.words = pilot, words

    @property
    def sheet(self) -> Sheet:
        sheet = self.words.screen
        assert isinstance(sheet, Sheet)
        return sheet

    async def layouts(self) -> int:
        """How often the screen was laid out since this was asked last, until nothing moves any more."""
        before = -1
        while before != self.sheet.layouts:
            before = self.sheet.layouts
            for _ in range(5):
                await self.pilot.pause()
        self.sheet.layouts = 0
        return before

    def drawn(self) -> list[str]:
        return [strip.text.rstrip() for strip in self.words.render_lines(self.words.size.region)]


@asynccontextmanager
async def shown(which: str = "#words") -> AsyncIterator[Seen]:
    async with Shown().run_test(size=(60, 20)) as pilot:
        seen = Seen(pilot, pilot.app.screen.query_one(which, Words))
        await seen.layouts()
        yield seen


@pytest.mark.parametrize("same", ["one", Content("one"), Content.styled("one", "$text-error")])
async def test_an_equal_text_is_neither_drawn_nor_laid_out(same: VisualType, monkeypatch: pytest.MonkeyPatch) -> None:
    async with shown() as seen:
        seen.words.update(same)
        await seen.layouts()
        monkeypatch.setattr(seen.words, "refresh", lambda *_, **__: pytest.fail("drawn again"))
        seen.words.update(same if isinstance(same, str) else Content("").join([Content(""), same]))  # type: ignore[list-item]
        assert await seen.layouts() == 0


async def test_a_higher_text_gets_its_lines_and_gives_them_back() -> None:
    async with shown() as seen:
        seen.words.update(Content("one\ntwo"))
        assert await seen.layouts() <= 2
        assert (seen.words.size.height, seen.drawn()) == (2, ["one", "two"])
        seen.words.update(Content("one"))
        assert await seen.layouts() <= 2
        assert seen.words.size.height == 1


async def test_a_hidden_text_is_laid_out_when_it_is_shown() -> None:
    async with shown() as seen:
        seen.words.display = False
        await seen.layouts()
        seen.words.update(Content("one\ntwo"))
        assert await seen.layouts() == 0
        seen.words.display = True
        await seen.layouts()
        assert seen.words.size.height == 2
