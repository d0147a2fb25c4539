"""Commands in the ask line: found by words of their titles, run by Enter, listed below all other results."""

from __future__ import annotations

from tests.tui.app import Desk, desk
from tui.dialogs.history import HistoryDialog
from tui.explorer.tool_pane import AskLine
from tui.explorer.toolkit_tree import ToolkitTree


def rows(one: Desk) -> list[str]:
    tree = one.screen.query_one(ToolkitTree)
    return ["".join(part.text for part in tree.draw(line, 100)).strip() for line in range(tree.line_count)]


async def asked(one: Desk, words: str) -> list[str]:
    one.screen.query_one(AskLine).focus()
    await one.type(words)
    await one.until(lambda: one.screen.query_one(AskLine).value == words and rows(one)[:1] != ["■ Payments"])
    await one.pilot.pause()
    return rows(one)


async def test_a_whole_title_comes_first_and_enter_carries_it_out() -> None:
    async with desk() as one:
        found = await asked(one, "history")
        assert found[:2] == ["Commands", "›     History   ^Y"]
        await one.press("enter")
        await one.until(lambda: isinstance(one.app.screen, HistoryDialog))
        assert one.screen.query_one(AskLine).value == ""


async def test_what_else_fits_stands_before_commands() -> None:
    async with desk() as one:
        # Several words that no other title has mean the command, whatever else has one of them.
        assert (await asked(one, "refresh toolkit"))[:2] == ["Commands", "›     Refresh or remove a toolkit   t"]
        await one.press("escape")
        found = await asked(one, "accounts")
        assert found[0] != "Commands"
        assert found[-3:] == ["Commands", "Accounts   F6", "Run on several accounts   Shift+F5"]


async def test_other_words_name_no_command() -> None:
    async with desk() as one:
        all_tools = rows(one)[:1]
        for words in ("in", "overdue", "cus_4R5QLgZDZXPlou", "hist zzz"):
            assert "Commands" not in await asked(one, words)
            one.screen.query_one(AskLine).value = ""
            await one.until(lambda: rows(one)[:1] == all_tools, "all tools again")
