"""Jump mode: a letter at every target on screen, and what typing it opens."""

from textual.widgets import Button

from tests.tui.app import Desk, desk
from tui.dialogs.accounts import ConnectionDialog
from tui.explorer.top_bar import PaneTabs
from tui.keyboard.key_bar import JumpScreen, letters


def test_letters_are_few_and_no_two_begin_alike() -> None:
    few = letters(["", "tree", "", "filter", "tree", "run"])
    assert [few[1], few[3], few[5]] == ["t", "f", "r"], "what is always there keeps its letter"
    assert len(set(few)) == 6
    assert all(len(one) == 1 for one in letters([""] * 26))
    many = letters([""] * 300)
    assert len(set(many)) == 300
    assert all(len(one) == 2 for one in many)


async def jump(one: Desk) -> dict[str, tuple[int, int]]:
    """Press the key. Returns the letters and their places."""
    await one.press("ctrl+g")
    await one.until(lambda: isinstance(one.app.screen, JumpScreen) and one.app.screen.query(".letter").last().region.area)
    return {str(label.id)[3:]: label.region.offset for label in one.app.screen.query(".letter")}


async def test_a_letter_leads_to_what_it_stands_at() -> None:
    async with desk((120, 30)) as one:
        await one.open("ListIncidents")
        found = await jump(one)
        for widget in one.screen.focus_chain:
            shown = one.screen.find_widget(widget)
            in_sight = shown.region.intersection(shown.clip)
            assert not in_sight.area or in_sight.offset in found.values(), widget
        assert len(one.screen.focus_chain) > len(found), "what is scrolled away has no letter"
        await one.press("t")
        await one.until(lambda: one.app.screen is one.screen and one.screen.query_one("#tree").has_focus)
        before = one.screen.focused
        await jump(one)
        await one.press("escape")
        await one.until(lambda: one.app.screen is one.screen)
        assert one.screen.focused is before
        await jump(one)
        await one.press("r")
        await one.until(lambda: isinstance(one.screen.focused, Button))
        assert not one.screen.result.has_class("-running"), "a button waits for Enter"
        assert one.screen.result.result is None


async def test_where_one_pane_is_seen_the_others_have_letters_and_so_have_dialogs() -> None:
    async with desk((80, 24)) as one:
        await one.open("Whoami")
        found = await jump(one)
        tabs = [letter for letter, at in found.items() if at[1] == 1]
        assert len(tabs) == 2, "the pane that is in sight needs none"
        await one.press(tabs[1])
        await one.until(lambda: one.screen.query_one(PaneTabs).here == "result")
        await one.press("f6")
        await one.until(lambda: isinstance(one.app.screen, ConnectionDialog))
        await one.pilot.pause()
        assert len(await jump(one)) == 1, "what stands behind the dialog cannot be reached"
        await one.pilot.resize_terminal(120, 40)
        await one.until(lambda: isinstance(one.app.screen, ConnectionDialog))
