"""Text that is set again is drawn only when it changes, and gets the lines that it needs."""

from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.content import Content

from tui.widgets.words import Words


class Shown(App[None]):
    CSS = "#box { height: auto; }"

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Words("one")


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
