"""Pasted text is text, whatever it contains and however long it is; a byte that is no text does not end the input."""

import os
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual._xterm_parser import XTermParser
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widgets import Input

from tests.terminal import Terminal
from tests.tui.app import desk
from tui.explorer.fields.json_area import JsonArea
from tui.terminal.drivers import PastedText
from tui.widgets.texts import Line

START, END = "\x1b[200~", "\x1b[201~"
PASTED = "\x1b[A\x1bzz\x10 words that are long enough\x1b"


@given(st.lists(st.integers(0, 60), max_size=6))
def test_a_paste_has_no_escapes_wherever_the_input_is_cut(cuts: list[int]) -> None:
    given_, wanted = f"a\x1b[B{START}{PASTED}{END}b{START}c{END}\x1b", PASTED.replace("\x1b", "␛")
    places = [0, *sorted(min(one, len(given_)) for one in cuts), len(given_)]
    reader = PastedText()
    got = "".join(reader.harmless(given_[one:other]) for one, other in pairwise(places))
    assert got == f"a\x1b[B{START}{wanted}{END}b{START}c{END}\x1b"


def test_keys_are_not_held_back() -> None:
    reader = PastedText()
    assert [reader.harmless(one) for one in ("\x1b", "[2", "x", "\x1b[200", "~", "\x1b[201")] == [
        *("\x1b", "[2", "x", "\x1b[200", "~"),
        "",
    ]


def test_what_a_terminal_may_send_neither_ends_the_input_nor_presses_keys() -> None:
    with Terminal() as terminal:
        for raw in (b"caf\xe9 \xff", START.encode() + b"caf\xe9 \x1bzz\x10 words that are long enough" + END.encode()):
            terminal.wait_for("Ask, or paste")
            os.write(terminal._descriptor, raw)
            terminal.wait_for("caf")
            terminal.type("xyz")
            terminal.wait_for("xyz")
            terminal.press("escape")
        terminal.press("ctrl+q")
        terminal.wait_for_end()


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


async def test_what_is_too_long_for_a_line_is_refused_and_never_cut() -> None:
    async with desk() as one:
        await one.open("RetrieveCustomerDetails")
        line = one.app.focused
        assert isinstance(line, Input)
        fits = "cus 1\n" * 16_000
        line.post_message(events.Paste(fits))
        await one.until(lambda: one.screen.form.raw.get("customer_id") == " ".join(fits.splitlines()))
        before = line.value
        line.post_message(events.Paste("cus 1\n" * 170_000))
        told = "Not pasted: the line would have 1,115,998 characters, and at most 100,000 can be pasted."
        await one.until(lambda: any(note.message == told for note in one.app._notifications))
        assert line.value == before
        line.action_select_all()  # what is replaced does not count
        one.app.copied = "x" * 50_000 + "\n" + "x" * 49_999
        line.action_paste()
        await one.until(lambda: one.screen.form.raw.get("customer_id") == "x" * 50_000 + " " + "x" * 49_999)
        before = line.value
        line.action_paste()
        await one.until(lambda: len(one.app._notifications) == 2)
        assert line.value == before
