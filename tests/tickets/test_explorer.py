"""A toolkit from elsewhere in the explorer: tree, form, table, following, pages, whole lists, and no account."""

import os
from pathlib import Path

import pytest
from textual.widgets import Static

from tests.tickets.service import Tracker
from tests.tui.app import Desk, desk
from tests.tui.test_deleting import clock as clock
from tests.tui.test_home import go_to, shows
from tui.explorer.toolkit_tree import ToolkitTree
from tui.explorer.top_bar import TopBar


def tree(one: Desk) -> list[str]:
    shown = one.screen.query_one(ToolkitTree)
    return [shown.render_line(y).text.rstrip() for y in range(shown.size.height)]


async def go_to_toolkit(one: Desk) -> None:
    one.screen.query_one(ToolkitTree).go_to("GetIssue")
    await one.pilot.pause()


def detail(one: Desk) -> str:
    return str(one.screen.query_one("#detail", Static).render())


async def test_without_an_account_the_tree_says_what_it_needs_and_running_says_so(
    tickets: Tracker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TICKETS_TOKEN")
    async with desk(environment=dict(os.environ)) as one:
        await go_to_toolkit(one)
        [needs] = [line for line in tree(one) if "TICKETS" in line]
        assert needs.strip().startswith("Set TICKETS_USER and TI")
        shown = one.screen.query_one(ToolkitTree)
        shown.cursor = tree(one).index(needs) + shown.scroll_offset.y
        await one.until(lambda: detail(one) == "Set TICKETS_USER and TICKETS_TOKEN")
        assert "SANDBOX" in str(one.screen.query_one(TopBar).render())
        await one.open("GetIssue")
        one.screen.form.fill({"issue_id": "7"})
        await one.run()
        result = one.screen.result.result
        assert result is not None
        assert result.failure is not None
        assert result.failure.title == "No account for Tickets"
        assert "TICKETS_USER and TICKETS_TOKEN" in result.failure.next_step
        await one.open("DeleteIssue")
        one.screen.form.fill({"issue_id": "7"})
        await one.press("f5")
        words = "No account for Tickets. Set TICKETS_USER and TICKETS_TOKEN, then start Callboard again."
        await one.until(lambda: words in [notification.message for notification in one.app._notifications])
    assert tickets.asked == []


async def test_an_account_is_read_only_after_the_user_agreed_and_then_at_each_start(tickets: Tracker, tmp_path: Path) -> None:
    for start in range(2):
        async with desk((132, 40), dict(os.environ), tmp_path, start_page=True) as one:
            await one.until(lambda: shows(one, "3 customers are past due"))
            if not start:
                assert shows(one, "· Open issues ", "Read this in tickets?", "up to 1 request at each start")
                assert shows(one, "sandbox · their open invoices"), "made-up lines say so beside others"
                assert "yours" not in str(one.screen.query_one(TopBar).render())
                assert tickets.asked == []
                await go_to(one, "Read this in tickets?")
                await one.press("enter")
            await one.until(lambda: shows(one, "+ issues are open"))
            assert not shows(one, "Read this in tickets?")
            assert len(tickets.asked) == start + 1, "one page of its list"
            if start:
                await go_to(one, "Stop reading tickets at each start")
                await one.press("enter")
                await one.until(lambda: shows(one, "· Open issues ", "Read this in tickets?"))
