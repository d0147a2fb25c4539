"""A form without the focus shows only the fields that are set; with the focus it shows all. A narrow request breaks well."""

from __future__ import annotations

from textual.widgets import Static

from tests.tui.app import Desk, desk
from tui.explorer.fields.field import Field


def shown(one: Desk) -> list[str]:
    return [field.parameter.name for field in one.screen.form.query(Field) if field.display]


def more(one: Desk) -> str:
    line = one.screen.form.query_one("#left-out", Static)
    return str(line.render()) if line.display else ""


async def test_unset_fields_are_hidden_while_another_pane_has_the_focus() -> None:
    async with desk() as one:
        await one.open("SearchPaymentsInvoices")
        every = shown(one)
        assert len(every) == 4
        assert more(one) == ""
        one.screen.form.fill({"search_query_string": 'status:"open"', "result_limit": "25"})
        await one.press("f4")
        await one.until(lambda: shown(one) == ["search_query_string", "result_limit"])
        assert more(one) == "2 more, not set"
        await one.pilot.click("#left-out")
        await one.until(lambda: shown(one) == every)
        assert one.screen.here == "form"
        assert more(one) == ""
