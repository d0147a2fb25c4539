"""Looking again, and what differs is told and marked; dialogs close only themselves and end what waits for them."""

from registry.engine import Consent
from registry.pages.subjects import PageRequest
from tests.tui.app import Desk, desk
from tests.tui.test_object_pages import Pages
from tests.tui.test_out import said
from tui.dialogs.accounts import ConnectionDialog
from tui.help.screen import HelpScreen
from tui.pages.lines import fitted


async def changed(one: Desk, **arguments: str) -> None:
    """Change a user in the sandbox without the explorer."""
    result = await one.app.session.engine.run("UpdateCrmUserInfo", arguments, consent=Consent.CONFIRMED)
    assert result.ok, result.failure


async def test_a_result_says_what_has_changed() -> None:
    async with desk((80, 24)) as one:
        await one.press("R")
        await one.open("FetchCrmUsersList")
        await one.run()
        pane = one.screen.result
        before = pane.result
        assert before is not None
        user = before.json["results"][1]
        await one.press("f4", "R")
        await one.until(lambda: "✓ Nothing has changed." in said(one), said(one))
        await changed(one, user_identifier=user["id"], first_name="Zoë")
        await one.press("R")
        await one.until(lambda: "1 change: changed results[1].firstName" in said(one), said(one))
        assert '→ "Zoë"' in said(one)
        assert pane.result is not before
        assert pane.result is not None
        assert pane.result.json["results"][1]["firstName"] == "Zoë"


async def test_a_page_marks_what_has_changed() -> None:
    def marked() -> list[str]:
        texts = ["".join(text for text, _ in fitted(line, 100)) for line in pages.list._lines]
        return [text for text in texts if text.rstrip().endswith(("~ changed", "+ new"))]

    async with desk((120, 40)) as one:
        pages = Pages(one)
        one.app.open_page(PageRequest("41759806", "crm_user"))
        await pages.until_loaded()
        assert marked() == []
        await changed(one, user_identifier="41759806", user_role_id="173685")
        await one.press("R")
        await one.until(lambda: bool(marked()), "what differs is marked where it stands")
        await one.press("R")
        await one.until(lambda: not marked(), "the marks go with the next look")


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
