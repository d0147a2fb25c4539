"""Lists as tables, in the running program."""

import csv
import json
from pathlib import Path

import pytest
from textual.widgets import OptionList, Static

from registry.calling.listing import listing_in
from tests.hostile import CONTROLS, MARKUP, forbidden_in_output
from tests.sampled import further
from tests.tui.app import Desk, desk
from tui.dialogs.choose import CopyDialog
from tui.dialogs.questions import Reader
from tui.json_view.view import JsonView
from tui.keyboard.key_bar import KeyBar
from tui.state.json_store import Appearance
from tui.table.bars import BarsView
from tui.table.pane import FilterLine
from tui.table.rows import ColumnsDialog, find
from tui.table.view import TableView
from tui.widgets.texts import Line

CHARGES = [
    {
        "id": f"ch_{number:05}",
        "status": ("succeeded", "failed")[number % 2],
        "amount": number * 7_919 % 10_000 * 100,
        "currency": "usd",
        "created": 1_755_000_000 + number,
        "description": f"Charge number {number}, " + "told at length " * 6,
        "client_secret": f"ch_secret_{number}",
        "customer": {"id": f"cus_{number}", "name": "Ada"},
        "metadata": {},
    }
    for number in range(500)
]


def view(one: Desk) -> TableView:
    return one.screen.result.query_one(TableView)


def lines(one: Desk) -> list[str]:
    table = view(one)
    return [table.render_line(y).text.rstrip() for y in range(table.size.height)]


def path_line(one: Desk) -> str:
    return str(one.screen.result.query_one("#path", Static).render())


def ids(one: Desk) -> list[str]:
    table = view(one)
    return [json.loads(table.items[place])["id"] for place in table.rows]


async def table(one: Desk, tool: str = "FetchCrmUsersList") -> None:
    """Run a tool and show its list as a table."""
    await one.open(tool)
    await one.run()
    await one.press("t")
    await one.until(lambda: one.screen.result.views.shows_table)
    await one.pilot.pause()


async def shown(one: Desk, items: list[object]) -> None:
    """Show other items in the table."""
    listing = listing_in(json.dumps(items).encode())
    assert listing is not None
    view(one).show(listing.items, find(listing.items), Appearance())
    await one.pilot.pause()


async def settled(one: Desk) -> None:
    """Wait until the rows are arranged."""
    await one.until(lambda: all(worker.is_finished for worker in one.app.workers if worker.group == "arrange"))
    await one.pilot.pause()


async def test_a_list_as_a_table_and_back_on_the_same_value() -> None:
    async with desk() as one:
        await one.open("FetchCrmUsersList")
        await one.run()
        json_view = one.screen.result.query_one(JsonView)
        document = json_view.document
        assert document is not None
        row = document.row_at(['"results"', 6, '"email"'])
        assert row is not None
        json_view.go_to(row)
        await one.press("t")
        await one.until(lambda: one.screen.result.views.shows_table)
        await one.until(lambda: one.app.focused is view(one))
        assert (view(one).place, view(one).column.title) == (6, "email")  # type: ignore[union-attr]
        await one.until(lambda: path_line(one) == "row 7 of 100 · column email (s sorts by it)")
        heading, first, *_ = lines(one)
        assert heading.split()[:4] == ["name", "email", "role", "team"]
        assert first.split()[0] == one.screen.result.result.json["results"][0]["firstName"]  # type: ignore[union-attr]
        await one.press("down", "down", "left")
        assert document.shown_path(one.screen.result.view.row or 0) == "results[8].firstName", (
            "for what works on the JSON's row"
        )
        await one.press("up", "t")
        await one.until(lambda: not one.screen.result.views.shows_table)
        await one.until(lambda: one.app.focused is json_view)
        assert document.shown_path(json_view.row or 0) == "results[7].firstName"
        await one.pilot.pause()
        assert path_line(one) == "results[7].firstName"


async def test_the_choice_is_remembered_for_the_tool(tmp_path: Path) -> None:
    async with desk(remembered=tmp_path) as one:
        await table(one)
        await one.press("right", "s", "s")
        await settled(one)
        view(one).set_columns(view(one).columns[1:])
        await one.until(lambda: all(worker.is_finished for worker in one.app.workers if worker.group == "looks"))
        titles = [column.title for column in view(one).columns]
        assert titles[0] == "email"
        assert "name" not in titles
        order = ids(one)
        assert order != sorted(order)
        await one.open("ListTeams")
        await one.run()
        assert one.screen.result.views.shows_table, "the last choice holds for tools that have none of their own"
        await one.open("FetchCrmUsersList")
        await one.until(lambda: one.screen.result.views.shows_table)
    async with desk(remembered=tmp_path) as one:
        await one.open("FetchCrmUsersList")
        await one.run()
        await one.until(lambda: one.screen.result.views.shows_table)
        await settled(one)
        assert [column.title for column in view(one).columns] == titles
        assert ids(one) == order
        assert "sorted by email, Z to A, as last time" in path_line(one)
        assert view(one).cursor == 0, "a new list is read from its first row"
        await one.press("t")
        await one.until(lambda: not one.screen.result.views.shows_table)
        await one.until(lambda: all(worker.is_finished for worker in one.app.workers if worker.group == "looks"))
    async with desk(remembered=tmp_path) as one:
        await one.open("FetchCrmUsersList")
        await one.run()
        assert not one.screen.result.views.shows_table


async def test_sorting_and_marks_keep_to_their_items_and_a_cell_that_is_cut_stands_below() -> None:
    async with desk() as one:
        await table(one)
        await shown(one, CHARGES)  # type: ignore[arg-type]
        came = ids(one)
        titles = [column.title for column in view(one).columns]
        await one.press(*["right"] * titles.index("amount"), "down", "down", "s")
        await settled(one)
        amounts = [json.loads(view(one).items[place])["amount"] for place in view(one).rows]
        assert amounts == sorted(amounts)
        assert view(one).cursor == 0, "the first one is what was asked for"
        assert "amount↑" in lines(one)[0]
        await one.press("s")
        await settled(one)
        assert [json.loads(view(one).items[place])["amount"] for place in view(one).rows] == sorted(amounts, reverse=True)
        assert "amount↓" in lines(one)[0]
        assert view(one).cursor == 0
        assert "sorted by amount, highest first" in path_line(one)
        await one.press("s")
        await settled(one)
        assert ids(one) == came
        assert view(one).sorted_by is None
        # Marks stay with their items.
        await shown(one, CHARGES[:50])  # type: ignore[arg-type]
        await one.press("space", "down", "space")
        assert view(one).marked == [0, 2]
        assert " · 2 marked · column " in path_line(one)
        assert [line[1:2] == "•" for line in lines(one)[1:4]] == [True, False, True]
        await one.press("s", "s")
        await settled(one)
        assert view(one).marked == [0, 2]
        await one.do("unmark")
        assert view(one).marked == []
        whole = one.screen.result.query_one("#whole", Static)
        view(one).go_to(3, ("description",))
        await one.until(lambda: whole.display)
        assert str(whole.render()) == CHARGES[3]["description"]
        view(one).go_to(3, ("status",))
        await one.until(lambda: not whole.display)


async def test_a_filter_counts_as_it_is_typed_and_says_what_is_wrong() -> None:
    async with desk() as one:
        await table(one)
        await shown(one, CHARGES)  # type: ignore[arg-type]
        told = one.screen.result.query_one(FilterLine).query_one("#message", Static)
        await one.press("slash")
        await one.type("status:failed amount")
        await one.press("greater_than_sign")
        await one.until(lambda: "needs a value" in str(told.render()))
        await one.type("5000.50")
        # It is looked for when nothing was typed for a moment, and that may also have been in the middle of the number.
        await one.until(lambda: view(one).wanted == "status:failed amount>5000.50")
        await settled(one)
        rows = [json.loads(view(one).items[place]) for place in view(one).rows]
        assert rows
        assert all(row["status"] == "failed" and row["amount"] > 500_050 for row in rows)
        assert str(told.render()) == f"{len(rows)} of 500"
        await one.press("enter")
        assert one.app.focused is view(one)
        assert f"row 1 of {len(rows)} (of 500)" in path_line(one)
        await one.press("escape")  # clears the filter first; only where there is none it goes back
        await settled(one)
        assert view(one).line_count == 500
        assert one.app.focused is view(one)
        await one.press("escape")
        await one.until(lambda: one.screen.here == "tools")
        await one.press("f4")
        await one.press("slash")
        await one.type("no row has this")
        await one.press("enter")
        await settled(one)
        assert lines(one)[1:] == [""] * (len(lines(one)) - 1)
        await one.press("down", "space", "enter", "y", "s", "right")
        assert path_line(one).startswith("no matching rows of 500")


async def test_columns_are_chosen_and_cells_read_and_copied_as_they_came() -> None:
    async with desk() as one:
        await table(one)
        await shown(one, CHARGES[:50])  # type: ignore[arg-type]
        suggested = [column.title for column in view(one).columns]
        await one.do("columns")
        await one.until(lambda: isinstance(one.app.screen, ColumnsDialog))
        await one.pilot.pause()
        options = one.app.screen.query_one(OptionList)
        assert str(options.get_option_at_index(0).prompt) == f"✓ {suggested[0]}"
        every = [str(options.get_option_at_index(place).prompt)[2:] for place in range(options.option_count)]
        assert {"client_secret", "customer.name", "metadata", "currency"} <= set(every)
        await one.press("space", "shift+down", "end", "space", "enter")
        await one.until(lambda: not isinstance(one.app.screen, ColumnsDialog))
        await one.pilot.pause()
        titles = [column.title for column in view(one).columns]
        assert titles == [suggested[2], suggested[1], *suggested[3:], every[-1]]
        await one.do("columns")
        await one.until(lambda: isinstance(one.app.screen, ColumnsDialog))
        await one.pilot.pause()
        await one.press("r", "enter")
        await one.until(lambda: not isinstance(one.app.screen, ColumnsDialog))
        assert [column.title for column in view(one).columns] == suggested
        # A cell is read and copied as it came.
        await shown(
            one,
            [{"id": "=1+1", "amount": 4200, "currency": "usd", "note": "a\x1b[31mb\nc", "client_secret": "s3cret", "n": None}],
        )
        view(one).set_columns(view(one).every_column)
        place = {column.title: number for number, column in enumerate(view(one).columns)}
        bar = one.screen.query_one(KeyBar)
        for title, copied, told in [
            ("id", "=1+1", "“=1+1”"),
            ("amount", "4200", "“4200”"),
            ("note", "a\\u001b[31mb\nc", "“a\\u001b[31mb\\nc”"),
            ("client_secret", "s3cret", "client_secret"),
            ("n", "null", "“null”"),
        ]:
            view(one).go_to(0, (title,))
            assert view(one).column is view(one).columns[place[title]]
            await one.press("y")
            words = f" ✓ Copied {told} ·"
            await one.until(lambda: str(bar.render()).startswith(words))  # noqa: B023 - called at once
            assert one.app.clipboard == copied
        await one.press("Y")
        await one.until(lambda: isinstance(one.app.screen, CopyDialog))
        await one.pilot.pause()
        await one.press(*["down"] * 5, "enter")
        await one.until(lambda: "the row as CSV" in str(bar.render()))
        (row,) = csv.reader([one.app.clipboard.replace("\n", " ")])
        assert row == ["'=1+1", "4200", "usd", "a\\u001b[31mb c", "••••••••", ""]
        for title, text in [("note", "a\\u001b[31mb\nc"), ("client_secret", "••••••••")]:
            view(one).go_to(0, (title,))
            await one.do("read")
            await one.until(lambda: isinstance(one.app.screen, Reader))
            await one.pilot.pause()
            assert str(one.app.screen.query_one("#text", Static).render()) == text
            await one.press("escape")
            await one.until(lambda: not isinstance(one.app.screen, Reader))
        assert "s3cret" not in "".join(lines(one))
        await shown(one, [])
        assert path_line(one) == "The list is empty."
        await one.press("s", "space", "enter", "y", "right", "end", "slash", "escape")
        await shown(one, ["b", 1, None, [], "a"])
        assert [line.strip(" ›") for line in lines(one)[:6]] == ["value", "b", "1", "—", "[]", "a"]
        await one.press("s")
        await settled(one)
        assert [view(one).items[place] for place in view(one).rows] == [b"1", b"[]", b'"a"', b'"b"', b"null"]


async def test_the_mouse_chooses_cells_and_sorts() -> None:
    async with desk((80, 24)) as one:
        await table(one)
        await shown(one, CHARGES[:50])  # type: ignore[arg-type]
        heading = lines(one)[0]
        await one.pilot.click(TableView, offset=(heading.index("amount"), 3))
        assert (view(one).place, view(one).column.title) == (2, "amount")  # type: ignore[union-attr]
        await one.pilot.click(TableView, offset=(heading.index("amount"), 0))
        await settled(one)
        assert view(one).sorted_by is not None
        assert view(one).sorted_by[0].title == "amount"  # type: ignore[index]


@pytest.mark.parametrize("every", [False, *further(True)])
async def test_nothing_in_a_table_harms_the_terminal(every: bool) -> None:
    async with desk() as one:
        await table(one)
        strings = [text.encode("utf-8", "replace").decode() for text in MARKUP + CONTROLS]
        await shown(one, [{"id": text, text: text, "name": [text], "東京" * 40: "東" * 300, "note": "a"} for text in strings])
        await one.press("slash")
        for text in strings if every else strings[::7]:
            one.screen.result.query_one(FilterLine).query_one(Line).value = f'note:"{text}"'
            await one.press("enter", "slash")
            one.screen.result.query_one(FilterLine).query_one(Line).value = f"{text}:x"
            await one.press("enter", "slash")
        await one.press("escape")
        await settled(one)
        for _ in range(len(view(one).columns)):
            assert all(forbidden_in_output(line.encode()) == [] for line in lines(one))
            await one.press("right", "y", "s")
        await settled(one)
        await one.do("columns")
        await one.until(lambda: isinstance(one.app.screen, ColumnsDialog))
        await one.pilot.pause()
        assert forbidden_in_output(one.app.export_screenshot().encode()) == []


async def test_rows_as_bars_other_columns_the_rows_of_a_bar_and_back() -> None:
    async with desk((80, 24), lists="table") as one:
        await one.open("PaymentsSearchCharges")
        one.screen.form.fill({"search_query_string": "amount>0", "result_limit": "30"})
        await one.run()
        await one.until(lambda: one.app.focused is view(one))
        bars = one.screen.result.query_one(BarsView)
        items = [json.loads(item) for item in view(one).items]
        await one.press("b")
        await one.until(lambda: bars.grouping is not None and one.app.focused is bars)
        for size in ((80, 24), (120, 40), (160, 45)):
            await one.pilot.resize_terminal(*size)
            await one.at_rest()
            drawn = [bars.render_line(y).text for y in range(bars.size.height)]
            assert drawn[0].startswith(" amount by day of created  30 rows, more follow")
            usd = sum(one["amount"] for one in items if one["currency"] == "usd")
            assert any(line.strip().startswith(f"{usd / 100:,.2f} USD in ") for line in drawn)
            assert any("█" in line and line.rstrip().endswith(" 1") for line in drawn)
        assert "b Table" in str(one.screen.query_one(KeyBar).render())
        while bars.title != "rows by status":
            before = bars.grouping
            await one.press("right")
            await one.until(lambda: bars.grouping is not before)  # noqa: B023
        await one.press("end", "enter")
        await settled(one)
        assert one.app.focused is view(one)
        wanted = view(one).wanted
        assert wanted.startswith("status=")
        assert {json.loads(view(one).items[row])["status"] for row in view(one).rows} == {wanted.removeprefix("status=")}
        for key in ("b", "escape", "backspace", "t"):
            await one.press("b")
            await one.until(lambda: one.app.focused is bars)
            await one.press(key)
            await one.until(lambda: one.app.focused is view(one))
            assert (view(one).wanted, one.screen.result.views.shows_table) == (wanted, True)
        await one.press("escape")
        await settled(one)
        assert view(one).line_count == len(items)
        await shown(one, [{"id": "a", "name": "x"}, {"id": "b", "name": "y"}])
        await one.press("b")
        await one.until(lambda: path_line(one).startswith("Nothing to draw"))


async def test_ids_are_named_by_a_short_list_that_is_read_once() -> None:
    async with desk((160, 45)) as one:
        await one.open("FetchCrmUsersList")
        await one.run()
        await one.press("t")
        await one.until(lambda: any("Reports only" in line for line in lines(one)), "the role by its name, not by its id")
        await one.open("GetAccountRoles")
        await one.open("FetchCrmUsersList")
        await one.run()
        read = [trace.tool for trace in one.app.session.engine.traces.newest_first() if trace.whose == "names"]
        assert read.count("GetAccountRoles") == 1


async def test_finding_goes_to_the_json_and_what_is_no_list_is_said() -> None:
    async with desk() as one:
        await table(one)
        one.screen.action_find_in_result()
        await one.until(lambda: not one.screen.result.views.shows_table)
        await one.open("Whoami")
        await one.run()
        await one.press("t")
        await one.until(lambda: "no list" in str(one.screen.query_one(KeyBar).render()))
        assert not one.screen.result.views.shows_table
