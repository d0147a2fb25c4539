"""Dialogs close only themselves and only once. Work that waits for one continues when it is closed from outside."""

from __future__ import annotations

import asyncio

from textual import events

from tests.tui.app import desk
from tui.dialogs.accounts import ConnectionDialog
from tui.dialogs.help import HelpScreen
from tui.dialogs.questions import NoteDialog
from tui.dialogs.rows_below import RowsBelow
from tui.dialogs.saved_calls import SavedCallsDialog


async def test_a_dialog_that_is_done_while_the_help_is_open_leaves_the_help() -> None:
    async with desk() as one:
        await one.press("f6")
        await one.until(lambda: isinstance(one.app.screen, ConnectionDialog))
        dialog = one.app.screen
        await one.press("f1")
        await one.until(lambda: isinstance(one.app.screen, HelpScreen))
        dialog.dismiss()
        dialog.dismiss()
        await one.pilot.pause()
        assert isinstance(one.app.screen, HelpScreen)
        await one.press("escape")
        await one.until(lambda: one.app.screen is one.screen)


async def test_opening_a_tool_from_a_dialog_ends_what_waits_for_the_dialog() -> None:
    async with desk() as one:
        await one.press("f6")
        await one.until(lambda: isinstance(one.app.screen, ConnectionDialog))
        await one.open("Whoami")
        await one.until(lambda: not any(worker.group == "connections" for worker in one.app.workers))


async def test_a_dialog_that_is_closed_before_it_has_its_parts() -> None:
    async with desk() as one:
        dialog = NoteDialog()
        one.app.push_screen(dialog)
        dialog.dismiss()
        await one.pilot.pause()
        assert one.app.screen_stack == [one.screen]
        assert one.app._exception is None
        await one.press("f1")
        await one.until(lambda: isinstance(one.app.screen, HelpScreen))


async def test_a_notice_is_made_visible() -> None:
    async with desk() as one:
        one.screen.notify("[b]x\x1b]52;c;YQ==\x07", title="t\u202e")
        await one.until(lambda: one.app._notifications, "the notice")
        notice = [*one.app._notifications][-1]
        assert (notice.message, notice.title) == ("[b]x\\u001b]52;c;YQ==\\u0007", "t\\u202e")
        assert not notice.markup


async def test_a_key_that_comes_before_a_dialog_has_its_parts_waits_for_them() -> None:
    async with desk() as one:
        for turns in range(8):
            dialog = SavedCallsDialog(one.app.session.saved, None, "Saved calls")
            one.app.push_screen(dialog)
            for _ in range(turns):
                await asyncio.sleep(0)
            one.app.post_message(events.Key("down", None))
            await one.until(lambda dialog=dialog: dialog.is_mounted and one.app._letting_through is None)  # type: ignore[misc]
            await one.pilot.pause()
            assert one.app._exception is None, turns
            assert isinstance(dialog.focused, RowsBelow)
            dialog.dismiss()
            await one.pilot.pause()
