"""Deleting from a list: the advice where it is not possible, where "no" leads back to, and what the list says then."""

from __future__ import annotations

from collections.abc import Callable

from textual.widgets import Static

from tests.tui.test_deleting import clock, result, wired
from tui.dialogs.confirm_delete import ConfirmDelete
from tui.explorer.pane_head import PaneHead

__all__ = ["clock"]


async def test_a_declined_deletion_leads_back_to_the_list_and_a_deleted_row_does_not_count(clock: Callable[[], None]) -> None:
    async with wired(size=(80, 24)) as (one, wire):
        one.screen.visit("SearchPaymentsInvoices", {"search_query_string": 'status:"draft"'}, unlinked=True)
        pane = one.screen.result
        await one.until(lambda: pane.result is not None and pane.laid_out)
        if not pane.views.shows_table:
            await one.press("t")
        await one.until(lambda: pane.views.shows_table)
        assert pane.query_one(PaneHead).title == "5 draft invoices"
        for row in (0, 1):
            pane.table.go_to(row)
            await one.press("D")
            await one.until(lambda: isinstance(one.app.screen, ConfirmDelete) and one.app.screen._result.complete)
            await one.press("escape")
            await one.until(lambda: one.screen.tool is not None and one.screen.tool.name == "SearchPaymentsInvoices")
            await one.pilot.pause()
            assert pane.table.has_focus
        await one.press("D")
        await one.until(lambda: isinstance(one.app.screen, ConfirmDelete) and one.app.screen._result.complete)
        await one.pilot.pause()
        await one.press("right")
        clock()
        await one.press("enter")
        await result(one, "DeleteInvoiceDraft")
        assert wire.changes == ["DELETE"]
        assert str(pane.query_one("#crumbs", Static).render()).count("›") == 1, "not inside the one that was declined"
        await one.press("backspace")
        await one.until(lambda: pane.query_one(PaneHead).title == "4 draft invoices · 1 deleted")
        assert "416.50" not in str(pane.query_one("#page", Static).render()), "what is left adds up"
        drawn = "".join(part.text for part in pane.table.draw(1, 80))
        assert "deleted" in drawn
        assert "draft" not in drawn
