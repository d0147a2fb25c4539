"""Home on screen: the first thing at every start, read where it may be, and everything on it opens something."""

import asyncio
from pathlib import Path

import pytest

from registry.pages.subjects import PageRequest
from tests.sampled import further
from tests.tui.app import Desk, desk
from tests.tui.test_deleting import wired
from tui.dialogs.accounts import ConnectionDialog
from tui.explorer.home import Home
from tui.explorer.tool_pane import AskLine
from tui.explorer.top_bar import TopBar
from tui.pages.screen import PageScreen


def painted(one: Desk) -> list[str]:
    home = one.screen.query_one(Home)
    return [home.render_line(y).text for y in range(home.size.height)]


def shows(one: Desk, *words: str) -> bool:
    text = "\n".join(painted(one))
    return all(each in text for each in words)


async def go_to(one: Desk, words: str) -> None:
    """Move to the row with these words, with the keys of the ask line."""
    await one.press("pageup", "pageup")
    for _ in painted(one):
        if any(line.strip().startswith("›") and words in line for line in painted(one)):
            return
        await one.press("down")
    raise AssertionError(f"{words} cannot be reached")


@pytest.mark.parametrize("size", [(80, 24), *further((120, 40), (160, 45))], ids=str)
async def test_what_needs_somebody_is_on_screen_at_the_start_and_opens(size: tuple[int, int]) -> None:
    async with desk(size, start_page=True) as one:
        places = [line.rpartition("  ")[2] for line in painted(one) if "failed payments" in line]
        await one.until(
            lambda: shows(one, "1 incident is yours", "3 customers are past due · ", "2 of 8 disputes need", "2 people can")
        )
        assert [line.rpartition("  ")[2] for line in painted(one) if "failed payments" in line] == places
        assert ("▁▁" in "\n".join(painted(one))) == (size[0] >= 100), "charts are the first to go"
        assert shows(one, "Sandbox: a made-up software company", "why did Padaria Aurora’s payment fail?", "Shift+F2", "F6")
        await one.until(lambda: "▲ 1 yours, pages in " in str(one.screen.query_one(TopBar).render()))
        await go_to(one, "2 payments failed")
        await one.press("enter")
        await one.until(lambda: one.screen.result.result is not None)
        assert one.tool == "PaymentsSearchCharges"
        assert not one.screen.has_class("-starting")
        assert "▲ 1 yours, pages in " in str(one.screen.query_one(TopBar).render()), "also while something else is on screen"
        await one.press("f2", "ctrl+f", "escape")
        await one.until(lambda: one.screen.has_class("-starting"))
        await one.until(lambda: shows(one, "Charges · search · failed since "), "where to go on, without a cursor or a limit")
        clock = one.screen.session.clock
        one.screen.session.clock = lambda: clock() + 600
        await one.until(lambda: shows(one, "10 minutes ago"), "ages go on")
        await opens_rows(one, "3 customers are past due", 3, 10)
        await opens_rows(one, "2 people can manage users", 2, 100)


async def opens_rows(one: Desk, line: str, kept: int, count: int) -> None:
    """What a line opens are the rows that it counted, of as many."""
    await go_to(one, line)
    await one.press("enter")
    table = one.screen.result.table
    await one.until(lambda: (table.line_count, len(table.items)) == (kept, count), line)
    await one.press("escape", "escape")  # all rows, and back
    await one.until(lambda: one.screen.has_class("-starting"))


async def test_it_asks_and_runs_commands_and_gives_way(tmp_path: Path) -> None:
    async with desk((120, 40), remembered=tmp_path, start_page=True) as one:
        await go_to(one, "Padaria Aurora")
        await one.press("enter")
        await one.until(lambda: not one.screen.has_class("-starting"))
        assert one.screen.query_one(AskLine).value == "why did Padaria Aurora’s payment fail?"
        await one.press("escape")
        await one.until(lambda: one.screen.has_class("-starting"))
        await go_to(one, "dashboard")
        await one.press("enter")
        await one.until(lambda: type(one.app.screen).__name__ == "OncallScreen")
        await one.press("ctrl+f")
        await one.until(lambda: isinstance(one.app.focused, AskLine))
        await one.press("escape")
        await one.until(lambda: type(one.app.screen).__name__ == "OncallScreen")
        await one.press("shift+f1")
        await one.until(lambda: one.app.screen is one.screen)
        assert one.screen.has_class("-starting"), "looking elsewhere hides nothing"
        one.app.open_page(PageRequest("cus_SxAKdn2A4YV4At"))
        await one.until(lambda: isinstance(one.app.screen, PageScreen) and one.app.screen.here is not None)
        await one.until(lambda: any(page.title for page in one.screen.session.shortcuts.now.pages))
        await one.press("f6")
        await one.until(lambda: isinstance(one.app.screen, ConnectionDialog))
        await one.press("escape", "f3")
        await one.until(lambda: one.app.screen is one.screen)
        assert not one.screen.has_class("-starting")
        await one.press("shift+f1")
        await one.until(lambda: one.screen.has_class("-starting") and shows(one, "Page of Padaria Aurora"))
    async with desk(remembered=tmp_path, start_page=True) as one:
        assert one.screen.has_class("-starting"), "at every start"
        await go_to(one, "Page of Padaria Aurora")
        await one.press("enter")
        await one.until(lambda: isinstance(one.app.screen, PageScreen))


async def test_a_line_that_cannot_be_read_says_why_and_f5_reads_again() -> None:
    async with wired("payments 500") as (one, wire):
        await one.until(lambda: shows(one, "Failed payments: not read. 500", "2 people can manage users"))
        count = len(wire.seen)
        await one.press("f5")
        await one.until(lambda: len(wire.seen) > count)


async def test_a_task_runs_after_its_caller_has_it() -> None:
    """From Python 3.12 on, Textual has it run before: Home's incidents then were nobody's."""
    loop = asyncio.get_running_loop()
    loop.set_task_factory(lambda loop, work, **how: asyncio.Task(work, loop=loop, **how))
    async with desk():
        assert loop.get_task_factory() is None
