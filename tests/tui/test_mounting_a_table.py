"""The table is mounted once, also if the task that needed it first is cancelled meanwhile."""

from __future__ import annotations

import asyncio

import pytest

from tests.tui.app import desk
from tui.table.pane import TablePane


async def test_a_result_that_is_replaced_while_its_table_is_mounted(monkeypatch: pytest.MonkeyPatch) -> None:
    async with desk() as one:
        views, mounted, go_on = one.screen.result.views, asyncio.Event(), asyncio.Event()
        mount = views._mounted

        async def slowly() -> TablePane:
            pane = await mount()
            mounted.set()
            await go_on.wait()
            return pane

        monkeypatch.setattr(views, "_mounted", slowly)
        first = asyncio.create_task(views.mount_table())
        await mounted.wait()
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        go_on.set()
        table = await views.mount_table()
        assert list(one.screen.query(TablePane)) == [table] == [views.table]
