"""Escape clears a filter first, wherever the focus is; it leaves only what has no filter."""

from __future__ import annotations

from tests.tui.app import desk
from tests.tui.test_oncall import board
from tests.tui.test_table import CHARGES, settled, shown, table, view


async def test_in_a_table() -> None:
    async with desk() as one:
        await table(one)
        await shown(one, CHARGES[:500])  # type: ignore[arg-type]
        await one.press("slash")
        await one.type("status:failed")
        await one.press("enter")
        await settled(one)
        assert view(one).line_count < 500
        await one.press("escape")
        await settled(one)
        assert view(one).line_count == 500
        assert one.app.focused is view(one)
        await one.press("escape")
        await one.until(lambda: one.screen.here == "tools")


async def test_in_the_dashboard() -> None:
    async with board() as one:
        await one.desk.press("slash")
        await one.desk.type("mailer")
        await one.desk.press("enter")
        await one.until(lambda: one.desk.app.focused is one.incidents and len(one.screen.watching.rows) < 17)
        await one.desk.press("escape")
        await one.until(lambda: len(one.screen.watching.rows) == 17)
        assert one.desk.app.screen is one.screen
        await one.desk.press("escape")
        await one.until(lambda: one.desk.app.screen is one.desk.screen)
