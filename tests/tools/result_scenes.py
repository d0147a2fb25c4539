"""Scenes of results: a table of everything, a query, an id that was followed, two answers side by side."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from tests.tui.app import Desk
from tests.tui.test_ask import ask as query_for
from tests.tui.test_ask import said
from tests.tui.test_compare import choose, chooser
from tests.tui.test_fetch_all import ask, landed
from tui.dialogs.choose import ChooseDialog


async def _customers(one: Desk) -> None:
    """The newest customers, the result on as much of the screen as it takes to read them."""
    await one.open("SearchPaymentsCustomers")
    await one.type("created>0")
    await one.run()
    await one.press("f4")
    if one.app.size.width < 160:
        await one.press("f8")


async def table(one: Desk) -> None:
    """Every page as a table, the dearest first."""
    await one.open("PaymentsSearchCharges")
    await one.type("amount>1000")
    await one.run()
    await one.press("f4", "f8")
    await ask(one)
    await landed(one)
    await one.press("t")
    await one.until(lambda: one.screen.result.table.line_count > 10)
    view = one.screen.result.table
    while view.column is None or view.column.title != "amount":
        await one.press("right")
    await one.press("s", "s", "home", "down", "space", "down", "down", "space")
    await one.until(lambda: len(view.marked) == 2)


async def query(one: Desk) -> None:
    """A query whose answer is there while it is typed."""
    await _customers(one)
    await one.press("q")
    await query_for(one, "data[?balance==`0`].{name: name, email: email}")
    await one.until(lambda: "items" in said(one, "#gave"))


async def followed(one: Desk) -> None:
    """From a list to a customer, and on to the way in which they pay."""
    await _customers(one)
    await one.press("slash")
    await one.type("pm_")
    await one.press("enter")
    await one.pilot.pause()
    await one.press("enter")
    await one.until(lambda: one.screen.tool is not None and one.screen.tool.name != "SearchPaymentsCustomers")
    await one.until(lambda: one.screen.result.result is not None and one.screen.result.result.ok)


async def what_else(one: Desk) -> None:
    """What can be done with what is here."""
    await _customers(one)
    await one.press(*["down"] * 7, "w")
    await one.until(lambda: isinstance(one.app.screen, ChooseDialog))


async def comparison(one: Desk) -> None:
    """Two customers side by side."""
    await _customers(one)
    await one.press("t")
    await one.until(lambda: one.screen.result.table.line_count)
    await chooser(one)
    await one.press("end", "enter")
    await one.until(lambda: one.app.screen is one.screen)
    await one.press("down", "down", "down")
    await choose(one, await chooser(one), "with")


RESULT_SCENES: dict[str, Callable[[Desk], Awaitable[None]]] = {
    "table": table,
    "query": query,
    "follow": followed,
    "what-else": what_else,
    "comparison": comparison,
}
