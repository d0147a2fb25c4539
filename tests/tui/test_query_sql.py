"""SQL in the query line of the result pane."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from textual.widgets import Static

from registry.calling.listing import listing_in
from registry.files.folders import how_to_install
from tests.tui.app import Desk, desk
from tests.tui.test_ask import said, sign
from tests.tui.test_fetch_all import Service, explorer
from tui.dialogs.questions import Prompt
from tui.explorer.query_line import QueryLine
from tui.explorer.table_switch import TableSwitch
from tui.keyboard.key_bar import KeyBar
from tui.table.view import TableView
from tui.widgets.texts import Line


async def ask(one: Desk, query: str, gave: str = "") -> None:
    """Replace the query by another one, and wait for its result."""
    line = one.screen.result.query_one(QueryLine).query_one(Line)
    line.value = query
    line.action_end()
    if gave:
        await one.until(lambda: said(one, "#gave") == gave, gave)
    await one.pilot.pause()


def as_table(one: Desk) -> bool:
    return one.screen.result.views.shows_table


def totals(one: Desk) -> bool:
    return one.screen.result.query_one("#page", Static).display


def columns(table: TableView) -> list[str]:
    return [".".join(column.path) for column in table.columns]


async def test_sql_on_the_list_on_screen() -> None:
    async with desk((80, 24), lists="table") as one:
        await one.open("ListUsers")
        await one.run()
        pane = one.screen.result
        await one.until(lambda: as_table(one))
        table, result = pane.table, pane.result
        assert result is not None
        listing = listing_in(result.body, result.items_at)
        assert listing is not None
        names = sorted(json.loads(item)["name"] for item in listing.items)
        roles = {json.loads(item)["role"] for item in listing.items}
        rows, first = table.line_count, columns(table)
        pane.show_page("Amount due 3,00 EUR")
        assert totals(one)
        await one.press("down", "down", "q")
        assert one.app.focused is one.screen.result.query_one(QueryLine).query_one(Line), "in a table as well as in JSON"
        assert "SQL" in one.app.focused.placeholder

        # It is shown as a table while it is typed.
        await ask(
            one, "SELECT name, upper(email) AS mail, 9007199254740993 AS n FROM items ORDER BY name", f"{len(names)} rows"
        )
        assert as_table(one)
        assert columns(table) == ["name", "mail", "n"]
        assert [json.loads(item)["name"] for item in table.items] == names
        assert b"9007199254740993" in table.items[0]
        assert "Query output" in sign(one)
        assert not totals(one), "the totals are those of the whole list"

        # What is wrong is said below its place; what is unfinished is not called wrong.
        await ask(one, "select nam from items")
        await one.until(lambda: "no column nam" in said(one, "#beside"))
        assert said(one, "#beside").startswith(" " * 7 + "▲ no column nam; did you mean name?")
        assert pane.query_one("#beside", Static).has_class("-wrong")
        await ask(one, "select name from items where")
        await one.until(lambda: "syntax error" in said(one, "#beside"))
        assert not pane.query_one("#beside", Static).has_class("-wrong")
        await ask(one, "select em")
        await one.until(lambda: said(one, "#beside").startswith("Tab email"))
        await one.press("tab")
        assert one.screen.result.query_one(QueryLine).query_one(Line).value == "select email"
        await ask(one, "from read_csv('/etc/passwd')")
        await one.until(lambda: "a query reads only" in said(one, "#beside"))

        # Another language, and the list again.
        await ask(one, "users[0].name", "text")
        assert not as_table(one)
        await ask(one, "from items limit 1", "1 row")
        assert as_table(one)
        await ask(one, "", "")
        await one.until(lambda: (columns(table), table.line_count, sign(one)) == (first, rows, ""), "the list again")
        assert totals(one)

        # Kept, walked in, turned to JSON and back, and left with Escape.
        await ask(one, "select role, count(*) as people from items group by all order by all", f"{len(roles)} rows")
        await one.press("enter")
        await one.until(lambda: one.app.focused is table)
        assert not pane.query_one(QueryLine).has_class("-open")
        assert columns(table) == ["role", "people"]
        await one.press("t")
        await one.until(lambda: not as_table(one))
        await one.press("t")
        await one.until(lambda: as_table(one))
        assert columns(table) == ["role", "people"]
        await one.press("D")  # nothing is deleted from a query's output
        await one.until(lambda: "rows are a query's output" in str(one.screen.query_one(KeyBar).render()))
        await one.press("escape")
        await one.until(lambda: (columns(table), table.line_count, sign(one)) == (first, rows, ""), "the list again")
        assert table.place == 2
        await one.press("q", "up")
        assert one.screen.result.query_one(QueryLine).query_one(Line).value.startswith("select role")


def items(self: TableSwitch) -> Sequence[bytes]:
    return [b'{"n": 9007199254740993, "client_secret": "seti_1"}', b'{"n": 12345678901234567890, "note": "\\u001b[31m"}']


async def test_a_query_that_nobody_waits_for_is_ended_and_nothing_harmful_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    async with desk() as one:
        await one.open("ListUsers")
        await one.run()
        one.screen.result.views.focus()
        await one.press("q")
        # It would take years.
        endless = "select count(*) from range(1000000000) a, range(1000000000) b where (a.range + b.range) % 3 = 7"
        await ask(one, "select nam from items")
        await one.until(lambda: "no column nam" in said(one, "#beside"))
        await ask(one, endless, "…")
        await one.until(lambda: said(one, "#beside") == "", "what was wrong with another query is taken away")
        await ask(one, "select 1 as one", "1 row")
        await ask(one, endless, "…")
        await one.press("escape")
        await one.until(lambda: one.app.focused is one.screen.result.view)
        assert sign(one) == ""

        # Where DuckDB is missing, the line says so.
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, "duckdb", None)
            await one.press("q")
            await ask(one, "from items")
            await one.until(lambda: how_to_install("engines") in said(one, "#beside"))
        # Secrets and controls of items reach no screen.
        await one.press("escape")
        await one.until(lambda: one.app.focused is one.screen.result.view)
        monkeypatch.setattr(TableSwitch, "items", items)
        await one.press("q")
        await ask(one, "select n, client_secret as token, note from items order by n", "2 rows")
        table = one.screen.result.table
        shown = "".join(part.text for line in range(2) for part in table.draw(line, 100))
        assert "9007199254740993" in shown
        assert "12345678901234567890" in shown
        assert "seti_1" not in shown
        assert "\x1b" not in shown
        await ask(one, endless, "…")  # the program ends meanwhile


async def test_the_whole_of_a_fetched_list_is_asked(tmp_path: Path) -> None:
    async with explorer(Service(1_500), tmp_path) as one:
        await one.press("f5")
        await one.until(lambda: one.screen.result.laid_out and one.screen.result.result is not None)
        await one.press("a")
        await one.until(lambda: isinstance(one.app.screen, Prompt))
        await one.press("enter")
        await one.until(lambda: one.screen.result.window is not None and one.screen.result.laid_out)
        window = one.screen.result.window
        assert window is not None
        assert window.end < 1_500, "it is larger than what is looked at together"
        one.screen.result.views.focus()
        await one.press("q")
        await ask(one, "select count(*) as n, count(distinct id) as ids from items", "1 row")
        assert one.screen.result.table.items == [b'{"n":1500,"ids":1500}']
        await one.press("escape")
        await one.until(lambda: not as_table(one) and sign(one) == "")
