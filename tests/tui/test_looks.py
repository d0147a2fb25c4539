"""The default appearance: tables first, sentences above results, keys without surprises."""

from textual.widgets import Static

from tests.tui.app import Desk, desk, status
from tui.explorer.top_bar import Hairline, PaneHead
from tui.table.view import TableView

OPEN = {"search_query_string": 'status:"open"'}


def head(one: Desk) -> str:
    return one.screen.result.query_one(PaneHead).title


def rows(one: Desk) -> list[str]:
    table = one.screen.result.query_one(TableView)
    return [table.render_line(y).text.rstrip() for y in range(table.size.height)]


async def invoices(one: Desk) -> None:
    await one.open("SearchPaymentsInvoices")
    one.screen.form.fill(OPEN)
    await one.run()
    await one.until(lambda: one.screen.result.views.shows_table)
    await one.pilot.pause()


async def test_a_list_opens_as_a_table_that_fits_with_names_that_were_seen() -> None:
    async with desk((120, 40), lists="table") as one:
        await invoices(one)
        assert head(one) == "10 open invoices · 762.43 EUR open and 4 more currencies · 3 with a failed payment"
        assert "10 of 10 · sandbox" in status(one)
        result = one.screen.result.result
        assert result is not None
        assert 8 < int(str(result.arguments["result_limit"])) < 36, "as many as there is room for"
        heading, first, *_ = rows(one)
        assert heading.split() == ["status", "number", "customer", "remaining", "next", "created", "›"]
        assert first.startswith("›")
        assert sum("! open" in row for row in rows(one)) == 3
        assert any("next try " in row for row in rows(one)), "what comes next"
        ends = {row.index(" EUR") for row in rows(one) if " EUR" in row}
        assert len(ends) == 1, "amounts end in one column"
        assert "in_" in str(one.screen.result.query_one("#row", Static).render())
        assert not any("in_" in row for row in rows(one)), "ids are below the table"
        await one.press("t")
        await one.until(lambda: not one.screen.result.views.shows_table)
        assert "10 of 10 · sandbox" in status(one)
        await one.press("t")
        await one.until(lambda: one.screen.result.views.shows_table)
        await one.until(lambda: all(worker.is_finished for worker in one.app.workers if worker.group in ("layout", "looks")))

        await one.open("RetrieveCustomerDetails")
        one.screen.form.fill({"customer_id": "cus_4R5QLgZDZXPlou"})
        await one.run()
        assert head(one) == "Customer Ada Romero"
        await one.open("GetCustomerSubscriptions")
        one.screen.form.fill({"customer_id": "cus_4R5QLgZDZXPlou"})
        await one.run()
        await one.until(lambda: one.screen.result.views.shows_table)
        assert any("Ada Romero" in row for row in rows(one))
        await one.open("GetCustomerCards")
        one.screen.form.fill({"customer_id": "cus_4R5QLgZDZXPlou"})
        await one.run()
        assert "of Ada Romero" in head(one)

        await one.open("SearchPaymentsCustomers")
        one.screen.form.fill({"search_query_string": "created>0"})
        await one.run()
        before = one.screen.result.result
        await one.pilot.resize_terminal(120, 30)
        await one.press("right_square_bracket")
        await one.until(lambda: one.screen.result.result is not before)
        assert before is not None
        assert one.screen.result.result is not None
        assert one.screen.result.result.arguments["customer_result_limit"] == before.arguments["customer_result_limit"]


async def test_the_bar_stands_at_the_pane_with_the_focus_and_lines_meet() -> None:
    async with desk((120, 40)) as one:
        await one.open("Whoami")
        heads = [head.here for head in one.screen.query(PaneHead)]
        assert heads == [False, True, False]
        top, bottom = (line.render().plain for line in one.screen.query(Hairline))
        assert [place for place, sign in enumerate(top) if sign != "─"] == [28]
        assert (top[28], bottom[28]) == ("┬", "┴")
        assert "│" in one.screen._compositor.render_strips()[10].text
