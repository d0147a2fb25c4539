"""Every command is carried out where it works, and found by words of its title in the palette and in the ask line."""

from rich.style import Style
from textual.events import Click
from textual.widgets import OptionList

from tests.tui.app import Desk, desk
from tui.dialogs.choose import Palette
from tui.dialogs.history import HistoryDialog
from tui.explorer.tool_pane import AskLine
from tui.explorer.toolkit_tree import ToolkitTree
from tui.keyboard.commands import COMMANDS, SCOPES, that_work

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


async def test_on_another_screen_its_own_commands_and_the_themes_are_found() -> None:
    async with desk() as one:
        await one.press("f11", "ctrl+p")
        await one.until(lambda: isinstance(one.app.screen, Palette))
        listed = one.app.screen.query_one(OptionList)

        def found() -> list[str]:
            return [str(option.prompt).split("  ")[0] for option in listed.options]

        everything = found()
        assert {"Coverage", "Requests", "Theme callboard light"} <= set(everything)
        assert not {"Swap sides", "Sort", "Compare"} & set(everything), "not another screen's as well"
        await one.type("team")
        await one.until(lambda: found() == ["Teams"])
        await one.press(*["backspace"] * 4)
        await one.type("light")
        await one.until(lambda: "Theme callboard light" in found() and len(found()) < len(everything))
        await one.press(*["down"] * found().index("Theme callboard light"), "enter")
        await one.until(lambda: one.app.theme == "callboard-light" and not isinstance(one.app.screen, Palette))


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
        assert [row.split()[0] for row in found[-3:]] == ["Commands", "Accounts", "Run"]
        await one.press("escape")

        assert "colour theme" in (await asked(one, "change theme"))[-1], "no title has both words"
        await one.press("escape")

        found = await asked(one, "history")
        assert [row.split()[:2] for row in found[-2:]] == [["Commands"], ["History", "^Y"]]
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


def click_on(rows: OptionList, row: int) -> Click:
    """A click on a row, as the mouse makes it."""
    x, y = rows.region.offset
    return Click(rows, 0, 0, 0, 0, 1, False, False, False, x, y, Style.from_meta({"option": row}))


async def left_alone(one: Desk, rows: OptionList) -> None:
    screen, highlighted = one.app.screen, rows.highlighted
    rows.post_message(click_on(rows, rows.option_count + 1_000))
    await one.pilot.pause()
    assert (one.app.screen, rows.highlighted) == (screen, highlighted)


async def test_in_the_palette() -> None:
    async with desk() as one:
        await one.press("f11", "ctrl+p")
        await one.until(lambda: isinstance(one.app.screen, Palette) and one.app.screen.query_one(OptionList).option_count)
        rows = one.app.screen.query_one(OptionList)
        await left_alone(one, rows)
        rows.post_message(click_on(rows, 0))
        await one.until(lambda: not isinstance(one.app.screen, Palette), "a click on a row that is there takes it")
