"""Typed text arrives, also letters without width that join others."""

from __future__ import annotations

from textual._xterm_parser import XTermParser
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from tui.explorer.fields.json_area import JsonArea
from tui.widgets.text_line import Line

FAMILY, PERSIAN = "👩\u200d👧", "می\u200cخواهم"


class _Typing(App[None]):
    def compose(self) -> ComposeResult:
        yield Line()
        yield JsonArea("")


async def _type(pilot: Pilot[None], text: str) -> None:
    """Type like a terminal, because the pilot has no key for a joiner."""
    driver = pilot.app._driver
    assert driver is not None
    for message in XTermParser().feed(text):
        message.set_sender(pilot.app)
        driver.send_message(message)
    await pilot.pause()


async def test_joiners_that_are_typed_stay_in_a_line_and_in_json() -> None:
    async with _Typing().run_test() as pilot:
        for kind in (Line, JsonArea):
            pilot.app.query_one(kind).focus()
            await _type(pilot, FAMILY + PERSIAN)
        assert pilot.app.query_one(Line).value == FAMILY + PERSIAN
        assert pilot.app.query_one(JsonArea).text == FAMILY + PERSIAN
