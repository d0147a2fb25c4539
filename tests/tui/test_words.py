"""Text that is set again is drawn only when it changes, and gets the lines that it needs."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.content import Content

from tui.widgets.words import Words


class Shown(App[None]):
    CSS = "#box { height: auto; }"

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Words("one")


async def test_an_equal_text_is_not_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Shown().run_test(size=(60, 20)) as pilot:
        words = pilot.app.query_one(Words)
        for same in ("one", Content("one"), Content.styled("one", "$text-error")):
            words.update(same)
            await pilot.pause()
            with monkeypatch.context() as patch:
                patch.setattr(words, "refresh", lambda *_, **__: pytest.fail("drawn again"))
                words.update(same if isinstance(same, str) else Content("").join([Content(""), same]))
                await pilot.pause()


async def test_a_text_gets_its_lines_and_gives_them_back_also_while_it_is_hidden() -> None:
    async with Shown().run_test(size=(60, 20)) as pilot:
        words = pilot.app.query_one(Words)
        for text, shown in (("one\ntwo", True), ("one", True), ("one\ntwo", False)):
            words.display = shown
            await pilot.pause()
            words.update(Content(text))
            words.display = True
            await pilot.pause()
            await pilot.pause()
            assert words.size.height == len(text.split("\n"))
