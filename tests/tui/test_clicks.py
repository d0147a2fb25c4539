"""A click on a row that was replaced before the click is handled."""

from rich.style import Style
from textual.events import Click
from textual.widgets import OptionList

from tests.tui.app import Desk, desk
from tui.dialogs.choose import Palette


def click_on(rows: OptionList, row: int) -> Click:
    """A click on a row, as the mouse makes it."""
    x, y = rows.region.offset
    return Click(rows, 0, 0, 0, 0, 1, False, False, False, x, y, Style.from_meta({"option": row}))


async def left_alone(one: Desk, rows: OptionList) -> None:
    screen, highlighted = one.app.screen, rows.highlighted
    rows.post_message(click_on(rows, rows.option_count + 1_000))
    await one.pilot.pause()
    assert (one.app.screen, rows.highlighted) == (screen, highlighted)


async def test_in_the_palette() -> None:
    async with desk() as one:
        await one.press("f11", "ctrl+p")
        await one.until(lambda: isinstance(one.app.screen, Palette) and one.app.screen.query_one(OptionList).option_count)
        rows = one.app.screen.query_one(OptionList)
        await left_alone(one, rows)
        rows.post_message(click_on(rows, 0))
        await one.until(lambda: not isinstance(one.app.screen, Palette), "a click on a row that is there takes it")
