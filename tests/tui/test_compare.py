"""Comparing results in the explorer."""

import json

from textual.widgets import OptionList, Static

from registry.calling.result import Result
from registry.catalog.loader import load
from registry.results.comparison import compare
from tests.tui.app import Desk, desk
from tui.compare.lines import CompareLines
from tui.compare.screen import CompareScreen, CompareWith
from tui.explorer.repeat_actions import side_of


async def chooser(one: Desk) -> list[str]:
    """Open the choice of what to compare with. Returns the candidates."""
    await one.press("c")
    await one.until(lambda: isinstance(one.app.screen, CompareWith))
    await one.pilot.pause()
    options = one.app.screen.query_one(OptionList)
    return [" ".join(str(options.get_option_at_index(place).prompt).split()) for place in range(options.option_count)]


async def choose(one: Desk, candidates: list[str], words: str) -> CompareScreen:
    """Compare with the first candidate that contains these words."""
    place = next(place for place, candidate in enumerate(candidates) if words in candidate)
    await one.press(*["down"] * place, "enter")
    await one.until(lambda: isinstance(one.app.screen, CompareScreen))
    screen = one.app.screen
    assert isinstance(screen, CompareScreen)
    await one.until(lambda: screen.comparison is not None, "a comparison")
    await one.pilot.pause()
    return screen


def told(screen: CompareScreen, name: str) -> str:
    return str(screen.query_one(f"#{name}", Static).render())


async def test_two_marked_rows_are_compared_at_once() -> None:
    async with desk() as one:
        await one.open("SearchPaymentsCustomers")
        await one.type("created>0")
        await one.run()
        await one.press("t")
        await one.until(lambda: one.screen.result.views.shows_table, "the table")
        items = one.screen.result.result.json["data"]  # type: ignore[union-attr]
        await one.press("space", "space")
        assert one.screen.result.table.marked == [0, 1]
        await one.press("c")
        await one.until(lambda: isinstance(one.app.screen, CompareScreen), "the comparison, and no choice before it")
        screen = one.app.screen
        assert isinstance(screen, CompareScreen)
        await one.until(lambda: screen.comparison is not None, "what differs")
        await one.pilot.pause()
        assert told(screen, "head-left").startswith(items[0]["name"])
        assert told(screen, "head-right").startswith(items[1]["name"])
        assert screen.comparison is not None
        first, second = (json.dumps(one).encode() for one in items[:2])
        assert len(screen.comparison.changes) == len(compare(first, second).changes) > 0
        assert "1/" in told(screen, "counts")
        assert f"/{len(screen.comparison.changes) - 1} " in told(screen, "counts"), "that the ids differ is no news"
        await one.press("plus")
        drawn = "\n".join(
            "".join(part.text for part in screen.query_one(CompareLines).draw(line, 118))
            for line in range(screen.query_one(CompareLines).line_count)
        )
        assert " ‹ " in drawn, "times and amounts have their readings"
        assert "1 equal lines" not in drawn
        await one.press("escape")
        await one.until(lambda: one.app.screen is one.screen)
        await one.do("unmark")
        await one.press("home", "space", "down")
        assert one.screen.result.table.marked == [0]
        assert one.screen.result.table.place == 2
        await one.press("c")
        await one.until(lambda: isinstance(one.app.screen, CompareScreen), "the marked row and that at the cursor")
        again = one.app.screen
        assert isinstance(again, CompareScreen)
        await one.until(lambda: again.comparison is not None, "what differs")
        await one.pilot.pause()
        assert told(again, "head-right").startswith(items[2]["name"])


async def test_two_pages_and_now_and_before() -> None:
    async with desk() as one:
        await one.open("ListUsers")
        await one.run()
        first = one.screen.result.result
        await one.press("right_square_bracket")
        await one.until(lambda: one.screen.result.result is not first)
        await one.pilot.pause()
        candidates = await chooser(one)
        screen = await choose(one, candidates, "offset")
        assert told(screen, "head-left").startswith("offset")
        assert told(screen, "head-right").startswith("offset 10")
        assert "10 removed" in told(screen, "counts")
        assert "10 added" in told(screen, "counts")
        await one.press("escape")
        tools, name = one.app.session.catalog.tools, "RetrieveCrmUserById"
        await one.open("FetchCrmUsersList")
        await one.run()
        user = one.screen.result.result.json["results"][3]["id"]  # type: ignore[union-attr]
        await one.open(name)
        await one.type(user)
        await one.run()
        before = one.screen.result.result
        change = {"user_identifier": user, "first_name": "Renamed"}
        await one.app.session.call(tools["UpdateCrmUserInfo"], change)
        candidates = await chooser(one)
        assert candidates[0].startswith("Run again now")
        screen = await choose(one, candidates, "Run again now")
        assert "~ 1 changed" in told(screen, "counts")
        assert told(screen, "path") == "firstName"
        assert told(screen, "detail-right") == '+ "Renamed"'
        assert one.app.session.results.of(name)[0] is not before
        await one.press("escape")
        assert one.screen.result.result is before, "what was compared with does not take the place of what is on screen"
        assert "The same call, later" in "".join(await chooser(one))


async def test_secrets_among_the_arguments_are_not_told() -> None:
    tools = load().tools.values()
    tool, secret = next((tool, one) for tool in tools for one in tool.parameters if one.role == "secret")
    side = side_of(tool, Result(tool.name, "sandbox", 200, arguments={secret.name: "SECRET"}))
    assert side.arguments == {secret.name: "••••••••"}
