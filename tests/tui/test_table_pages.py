"""Tables, and what comes after them: other pages, failures, searches."""

from __future__ import annotations

from tests.tui.app import desk
from tests.tui.test_table import ids, table, view


async def test_pages_turn_in_the_table_and_finding_goes_to_the_json() -> None:
    async with desk() as one:
        await table(one, "ListUsers")
        before = ids(one)
        await one.press("right_square_bracket")
        await one.until(lambda: ids(one) != before)
        assert one.screen.result.views.shows_table
        await one.until(lambda: one.app.focused is view(one))
        one.screen.action_find_in_result()
        await one.pilot.pause()
        assert not one.screen.result.views.shows_table


async def test_a_failure_shows_as_json_and_the_next_list_as_a_table_again() -> None:
    async with desk() as one:
        await one.open("SearchPaymentsCustomers")
        one.screen.form.fill({"search_query_string": "created>0"})
        await one.run()
        await one.press("t")
        await one.until(lambda: one.screen.result.views.shows_table)
        one.screen.form.fill({"search_query_string": "created>0", "pagination_cursor": "nonsense"})
        await one.run()
        assert one.screen.result.result.failure is not None  # type: ignore[union-attr]
        assert not one.screen.result.views.shows_table
        one.screen.form.fill({"search_query_string": "created>0"})
        await one.run()
        assert one.screen.result.views.shows_table
