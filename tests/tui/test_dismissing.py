"""Dialogs close only themselves and only once. Work that waits for one continues when it is closed from outside."""

from tests.tui.app import desk
from tui.dialogs.accounts import ConnectionDialog
from tui.dialogs.help import HelpScreen


async def test_a_dialog_closes_only_itself_and_ends_what_waits_for_it() -> None:
    async with desk() as one:
        one.screen.notify("[b]x\x1b]52;c;YQ==\x07", title="t\u202e")
        await one.until(lambda: one.app._notifications, "the notice")
        notice = [*one.app._notifications][-1]
        assert (notice.message, notice.title) == ("[b]x\\u001b]52;c;YQ==\\u0007", "t\\u202e")
        assert not notice.markup

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

        await one.press("f6")
        await one.until(lambda: isinstance(one.app.screen, ConnectionDialog))
        await one.open("Whoami")
        await one.until(lambda: not any(worker.group == "connections" for worker in one.app.workers))
