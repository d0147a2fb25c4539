"""Every command is carried out where it works, and found by words of its title in the palette and in the ask line."""

from __future__ import annotations

from textual.command import Hit

from tests.tui.app import Desk, desk
from tui.dialogs.history import HistoryDialog
from tui.explorer.palette import Commands
from tui.explorer.tool_pane import AskLine
from tui.explorer.toolkit_tree import ToolkitTree
from tui.keyboard.calling_commands import carry_out, that_work
from tui.keyboard.commands import COMMANDS, SCOPES

# What needs an answer on screen, or another screen, is not carried out on the explorer as it starts.
_ELSEWHERE = {"bars", "compare", "oncall", "page"}


async def answered(one: Desk) -> None:
    await one.open("ListTeams")
    await one.run()


async def test_every_command_of_a_place_has_somebody_who_carries_it_out_or_says_where() -> None:
    async with desk() as one:
        await answered(one)
        await one.press("f2")
        places = {*SCOPES} - {*_ELSEWHERE, "lists"}
        for here in (places - {"table"}, {"table"}):
            if here == {"table"}:
                await one.press("f4", "t")
                await one.until(lambda: one.screen.result.views.shows_table)
                await one.press("f2")
            assert {command.scope for command in COMMANDS} >= here
            working = that_work(COMMANDS, one.screen)
            assert [command for command in COMMANDS if command.scope in here and command not in working] == []

        await answered(one)
        provider = Commands(one.screen)
        titles = [str(hit.prompt) async for hit in provider.search("compare") if isinstance(hit, Hit)]
        assert [title for title in titles if title.startswith("Compare")] == ["Compare"], "not another screen's as well"
        hits = [hit async for hit in provider.search("Swap sides")]
        assert isinstance(hits[0], Hit)
        assert "only in: Comparison" in str(hits[0].prompt)
        command = next(command for command in COMMANDS if command.id == "swap")
        await carry_out(command, one.screen)
        await one.until(lambda: any("Comparison" in note.message for note in one.app._notifications))


def rows(one: Desk) -> list[str]:
    tree = one.screen.query_one(ToolkitTree)
    return ["".join(part.text for part in tree.draw(line, 100)).strip() for line in range(tree.line_count)]


async def asked(one: Desk, words: str) -> list[str]:
    one.screen.query_one(AskLine).focus()
    await one.type(words)
    await one.until(lambda: one.screen.query_one(AskLine).value == words and rows(one)[:1] != ["■ Payments"])
    await one.pilot.pause()
    return rows(one)


async def test_words_that_name_commands_and_others() -> None:
    async with desk() as one:
        all_tools = rows(one)[:1]
        for words in ("in", "overdue", "cus_4R5QLgZDZXPlou", "hist zzz"):
            assert "Commands" not in await asked(one, words)
            one.screen.query_one(AskLine).value = ""
            await one.until(lambda: rows(one)[:1] == all_tools, "all tools again")

        found = await asked(one, "accounts")
        assert found[0] != "Commands", "commands come last"
        assert found[-3:] == ["Commands", "Accounts   F6", "Run on several accounts   Shift+F5"]
        await one.press("escape")

        found = await asked(one, "history")
        assert found[-2:] == ["Commands", "History   ^Y"]
        await one.press(*["down"] * (len(found) - 3), "enter")
        await one.until(lambda: isinstance(one.app.screen, HistoryDialog))
        assert one.screen.query_one(AskLine).value == ""
        await one.press("escape")
        await one.until(lambda: one.app.screen is one.screen)

        await one.press("ctrl+p")
        await one.type(" refresh toolkit")
        await one.until(lambda: "Refresh or remove a toolkit" in rows(one)[0] and len(rows(one)) == 1, "commands alone")
        one.screen.query_one(AskLine).value = ">"
        await one.until(lambda: len(rows(one)) > 20, "all commands")
        one.screen.query_one(AskLine).value = "> light theme"
        await one.until(lambda: "light" in rows(one)[0])
        await one.press("enter")
        await one.until(lambda: "light" in one.app.theme)
