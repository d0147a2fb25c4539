"""Finding in a result, reading a whole value, and copying other things than the value."""

import json

import pytest
from textual.widgets import OptionList, Static

from tests.tui.app import Desk, desk
from tui.dialogs.choose import CopyDialog
from tui.dialogs.questions import Reader
from tui.json_view import find_line
from tui.json_view.document import Document
from tui.json_view.find_line import FindLine
from tui.json_view.view import JsonView
from tui.keyboard.key_bar import KeyBar

ANSWER = {
    "data": [{"id": f"in_{number}", "note": "x" * 500, "currency": "usd", "amount": 100 * number} for number in range(40)]
}


async def answered(one: Desk) -> JsonView:
    """A view with `ANSWER`, which has the focus."""
    if one.tool != "ListTeams":
        await one.open("ListTeams")
        await one.run()
    view = one.screen.result.query_one(JsonView)
    view.show(Document(json.dumps(ANSWER).encode()))
    view.focus()
    await one.pilot.pause()
    return view


def path(one: Desk) -> str:
    return str(one.screen.result.query_one("#path", Static).render())


def told(one: Desk) -> str:
    return str(one.screen.result.query_one("#message", Static).render())


async def find(one: Desk, text: str) -> None:
    await one.press("slash")
    await one.type(text)
    await one.press("enter")
    await one.until(lambda: told(one) not in ("", "searching…"))


async def test_moving_reading_and_copying_a_value_and_finding_what_is_folded() -> None:
    async with desk() as one:
        view = await answered(one)
        await one.press("minus")
        assert view.line_count == 44
        await one.press("plus", "home", "down", "down", "down", "down", "down", "down", "down")
        assert path(one) == "data[1]"

        await answered(one)
        await one.press("down", "down", "down", "down")
        await one.do("read")
        await one.until(lambda: isinstance(one.app.screen, Reader))
        await one.pilot.pause()
        assert str(one.app.screen.query_one("#text", Static).render()) == "x" * 500
        await one.press("escape")
        await one.until(lambda: one.app.screen is one.screen)

        await answered(one)
        await one.press("down", "down", "down", "Y")
        await one.until(lambda: isinstance(one.app.screen, CopyDialog))
        await one.pilot.pause()
        assert one.app.screen.query_one(OptionList).option_count == 8
        await one.press("down", "down", "enter")
        await one.until(lambda: one.app.clipboard == "data[0].id")
        assert "Copied data[0].id" in str(one.screen.query_one(KeyBar).render())

        view = await answered(one)
        line = next(line for line in range(20) if "amount: " in "".join(part.text for part in view.draw(line, 200)))
        assert "".join(part.text for part in view.draw(line + 6, 200)).endswith("amount: 100  ‹ 1.00 USD")
        view.cursor = line + 6
        await one.press("y")
        assert one.app.clipboard == "100"

        view = await answered(one)
        await one.press("minus")
        assert view.line_count == 44
        await find(one, "in_3")
        assert told(one) == "1 of 11 · n next · N previous"
        assert path(one) == "data[3].id"
        assert one.app.focused is view
        await one.press("n")
        assert (told(one)[:7], path(one)) == ("2 of 11", "data[30].id")
        await one.press("N", "N")
        assert (told(one)[:8], path(one)) == ("11 of 11", "data[39].id")


async def test_regular_expressions_what_is_wrong_and_one_that_takes_hours_stops_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(find_line, "LONGEST", 0.5)
    async with desk() as one:
        view = await answered(one)
        await one.press("slash", "ctrl+t")
        await one.type("in_(x|y)")
        await one.press("enter")
        await one.until(lambda: told(one) == "no matches")
        await one.press("slash")
        await one.type("in_(1|2)")
        await one.press("enter")
        await one.until(lambda: told(one).startswith("1 of "))
        await one.press("slash")
        await one.type("(")
        await one.press("enter")
        await one.until(lambda: told(one).startswith("invalid regular expression"))
        await one.press("escape")
        assert not one.screen.result.query_one(FindLine).has_class("-open")
        assert view.hits == []
        assert one.app.focused is view

        await one.press("slash")
        await one.type("(x|xx)+y")
        await one.press("enter")
        await one.until(lambda: "stopped after 0.5 s: use a simpler expression" in told(one))
        await one.press("escape")
        assert not one.screen.result.query_one(FindLine).has_class("-open")
        await find(one, "in_3")
        assert told(one)[:7] == "1 of 11"
