"""Every command from the palette: it runs where it works, and elsewhere the program says why not."""

from __future__ import annotations

import asyncio

import pytest
from textual.command import CommandInput, CommandList, Hit, Hits

from tests.tui.app import Desk, desk
from tui.explorer.palette import Commands, Palette
from tui.keyboard.calling_commands import carry_out, doer_of
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
            assert [command.id for command in COMMANDS if command.scope in here and doer_of(command, one.screen) is None] == []


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


async def test_enter_runs_the_best_match_of_the_whole_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy computer, the matches of an earlier text were still on screen, and Enter ran the first of these."""
    search, ready = Commands.search, asyncio.Event()
    title = next(command.title for command in COMMANDS if command.id == "maximise")

    async def slow(self: Commands, query: str) -> Hits:
        if query == title:
            await ready.wait()
        async for hit in search(self, query):
            yield hit

    monkeypatch.setattr(Commands, "search", slow)
    async with desk() as one:
        await answered(one)
        await one.press("f2", "ctrl+p")
        await one.until(lambda: isinstance(one.app.screen, Palette))
        line, found = one.app.screen.query_one(CommandInput), one.app.screen.query_one(CommandList)
        line.value = "page"
        await one.until(lambda: found.option_count and "page" in str(found.get_option_at_index(0).prompt).lower())
        line.value = title
        await one.press("enter")
        assert isinstance(one.app.screen, Palette)
        ready.set()
        await one.until(lambda: one.screen.has_class("-zoomed"))
