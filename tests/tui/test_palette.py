"""Every command from the palette: it runs where it works, and elsewhere the program says why not."""

from __future__ import annotations

from textual.command import Hit

from tests.tui.app import Desk, desk
from tui.explorer.palette import Commands
from tui.keyboard.calling_commands import carry_out, that_work
from tui.keyboard.commands import COMMANDS, SCOPES

# What needs an answer on screen, or another screen, is not carried out on the explorer as it starts.
_ELSEWHERE = {"compare", "oncall", "page"}


async def answered(one: Desk) -> None:
    await one.open("ListTeams")
    await one.run()


async def test_every_command_of_a_place_has_somebody_who_carries_it_out() -> None:
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


async def test_what_does_not_work_here_says_where_it_does() -> None:
    async with desk() as one:
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
