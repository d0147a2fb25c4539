"""The contents of a table at different widths, and what has no room in it."""

from __future__ import annotations

from rich.cells import cell_len
from textual.widgets import Static

from tests.tui.app import desk
from tests.tui.test_table import CHARGES, lines, path_line, settled, shown, table, view
from tui.table.columns_dialog import ColumnsDialog


async def test_a_users_role_is_in_sight_by_its_name_at_120_columns() -> None:
    async with desk((120, 40)) as one:
        await one.open("GetAccountRoles")
        await one.run()
        await table(one)
        heading, first, *_ = lines(one)
        assert "role" in heading.split()
        assert "Reports only" in first


async def test_a_line_with_too_little_room_leaves_out_whole_parts() -> None:
    async with desk((80, 24)) as one:
        await table(one)
        charges = [{**charge, "currency": ("usd", "eur", "jpy")[number % 3]} for number, charge in enumerate(CHARGES[:99])]
        await shown(one, charges)  # type: ignore[arg-type]
        await one.press(*["left"] * 9, *["right"] * [column.title for column in view(one).columns].index("amount"), "s")
        await settled(one)
        assert path_line(one) == "row 1 of 99 · sorted by amount, lowest first, by number: 3 currencies"
        assert cell_len(path_line(one)) <= one.screen.result.query_one("#path", Static).content_size.width
        await one.pilot.resize_terminal(60, 24)
        await one.until(lambda: path_line(one) == "row 1 of 99 · sorted by amount, lowest first")
        await one.pilot.resize_terminal(200, 50)
        await one.until(lambda: path_line(one).endswith("3 currencies · column amount"))


async def test_the_whole_of_a_cell_that_is_cut_stands_below() -> None:
    async with desk() as one:
        await table(one)
        await shown(one, CHARGES[:50])  # type: ignore[arg-type]
        whole = one.screen.result.query_one("#whole", Static)
        view(one).go_to(3, ("description",))
        await one.until(lambda: whole.display)
        assert str(whole.render()) == CHARGES[3]["description"]
        view(one).go_to(3, ("status",))
        await one.until(lambda: not whole.display)


async def test_columns_that_are_left_out_are_told() -> None:
    async with desk() as one:
        await table(one)
        await shown(one, [{f"name{number}": number for number in range(412)}])
        path = one.screen.result.query_one("#path", Static)
        await one.until(lambda: "only the first 300 of 412 columns" in str(path.render()))
        await one.press("C")
        await one.until(lambda: isinstance(one.app.screen, ColumnsDialog))
        assert "112 more do not fit into a table" in str(one.app.screen.query_one("#title", Static).render())
