"""Looking again: the read is repeated, the new result takes the old one's place, and what differs is told and marked."""

from registry.engine import Consent
from registry.pages.subjects import PageRequest
from tests.tui.app import Desk, desk
from tests.tui.test_object_pages import Pages
from tests.tui.test_out import said
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
