"""Tables of hostile text, in the running program."""

from __future__ import annotations

import pytest

from tests.hostile import CONTROLS, MARKUP, forbidden_in_output
from tests.sampled import further
from tests.tui.app import desk
from tests.tui.test_table import lines, settled, shown, table, view
from tui.table.columns_dialog import ColumnsDialog
from tui.table.pane import FilterLine
from tui.widgets.text_line import Line


@pytest.mark.parametrize("every", [False, *further(True)])
async def test_nothing_in_a_table_harms_the_terminal(every: bool) -> None:
    async with desk() as one:
        await table(one)
        strings = [text.encode("utf-8", "replace").decode() for text in MARKUP + CONTROLS]
        await shown(one, [{"id": text, text: text, "name": [text], "東京" * 40: "東" * 300, "note": "a"} for text in strings])
        await one.press("slash")
        for text in strings if every else strings[::7]:
            one.screen.result.query_one(FilterLine).query_one(Line).value = f'note:"{text}"'
            await one.press("enter", "slash")
            one.screen.result.query_one(FilterLine).query_one(Line).value = f"{text}:x"
            await one.press("enter", "slash")
        await one.press("escape")
        await settled(one)
        for _ in range(len(view(one).columns)):
            assert all(forbidden_in_output(line.encode()) == [] for line in lines(one))
            await one.press("right", "y", "s")
        await settled(one)
        await one.press("C")
        await one.until(lambda: isinstance(one.app.screen, ColumnsDialog))
        await one.pilot.pause()
        assert forbidden_in_output(one.app.export_screenshot().encode()) == []
