"""Keys that come before the form and the result are there."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from textual import events

from tests.tui.app import Desk, own_threads
from tui.app import CallboardApp
from tui.dialogs.help import HelpScreen
from tui.keyboard import key_order
from tui.session import Session
from tui.state.preferences import Preferences
from tui.state.settings import Settings


@pytest.mark.parametrize("keys", [("f3", "f1"), ("down", "f3", "f1")], ids=" ".join)
async def test_they_wait_for_the_panes_and_act_in_their_order(
    keys: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_order, "_LONGEST_WAIT", 0.0)  # a start may take longer than any key waits for another one
    session, released = Session({}, preferences=Preferences(tmp_path)), asyncio.Event()
    ready = session.ready

    async def late() -> None:
        await released.wait()
        await ready()

    monkeypatch.setattr(session, "ready", late)
    async with own_threads():
        app = CallboardApp(session, Settings)
        async with app.run_test(size=(120, 40)) as pilot:
            one = Desk(app, pilot)
            for key in keys:
                app.post_message(events.Key(key, None))
            # Once F3 waits for the panes, and what is behind it waits for F3.
            await one.until(lambda: [worker for worker in app.workers if worker.group == "furnished"])
            assert not one.screen.furnished
            released.set()
            # Help is about the pane that F3 went to before.
            await one.until(lambda: one.screen.furnished and isinstance(app.screen, HelpScreen))
            assert one.screen.here == "form"
