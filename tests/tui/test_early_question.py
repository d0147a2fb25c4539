"""Text typed in the first moments: before the search words are loaded, and while a draft is offered."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from textual import events

from registry.catalog.listing import table_of_contents
from tests.tui.app import Desk, own_threads
from tests.tui.test_drafts import leave
from tui.app import CallboardApp
from tui.explorer.finder import Finder
from tui.explorer.tool_pane import AskLine
from tui.session import Session
from tui.state.preferences import Preferences
from tui.state.settings import Settings


def test_a_deletion_is_found_only_where_somebody_asks_for_one_also_before_words_are_known() -> None:
    finder = Finder(table_of_contents())
    for asks, texts in (
        (False, ["draft invoices", "past due", "invoice", "coupon", "cards", "users", "tax id"]),
        (True, ["delete invoice", "remove user", "delinv", "DeleteInvoiceDraft"]),
    ):
        for text in texts:
            assert any(one.tool.effect == "delete" for one in finder.find(text)) == asks, text


@pytest.mark.parametrize(
    ("before", "size"),
    [
        pytest.param(before, size, marks=() if (before, size) in [(0, (120, 40)), (6, (80, 24))] else pytest.mark.long)
        for before in range(0, 10, 3)
        for size in [(120, 40), (80, 24)]
    ],
)
async def test_what_is_asked_while_a_draft_comes_into_sight_is_asked(
    before: int, size: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave(tmp_path, GetTeam={"team_id": "PX"})
    session, released = Session({}, preferences=Preferences(tmp_path)), asyncio.Event()
    ready = session.ready

    async def late() -> None:
        await released.wait()
        await ready()

    monkeypatch.setattr(session, "ready", late)
    keys = [*"past", "space", *"due", "enter"]
    async with own_threads():
        app = CallboardApp(session, Settings)
        async with app.run_test(size=size) as pilot:
            one = Desk(app, pilot)
            for place, key in enumerate(keys):
                if place == before:
                    released.set()
                app.post_message(events.Key(key, " " if key == "space" else key if len(key) == 1 else None))
                await pilot.pause()
            released.set()
            await one.until(lambda: one.screen.panes_mounted)
            line = one.screen.query_one(AskLine)
            await one.until(lambda: app._letting_through is None)
            await pilot.pause()
            tool = one.screen.form.tool
            assert tool is None or (tool.name != "GetTeam" and tool.effect == "read"), tool
            assert tool is not None or line.value == "past due"
