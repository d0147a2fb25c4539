"""Shared files of a team in the explorer: shown with their source, loaded and run like one's own, copied instead of changed."""

from __future__ import annotations

from pathlib import Path

from textual.widgets import OptionList, Static

from tests.sharing.team import READING, TOOL, playbook, preset, put
from tests.tui.app import Desk, desk
from tests.tui.test_out import closed
from tests.tui.test_playbooks import opened
from tests.tui.test_presets import about, arguments, type_into
from tui.dialogs.playbook_form import PlaybookForm
from tui.dialogs.playbooks import PlaybooksDialog
from tui.explorer.finder import Finder


def rows(one: Desk) -> list[str]:
    listed = one.app.screen.query_one(OptionList)
    return [str(listed.get_option_at_index(place).prompt) for place in range(listed.option_count)]


async def test_presets_playbooks_and_ready_calls_of_the_team(tmp_path: Path) -> None:
    shared, own = tmp_path / "ops", tmp_path / "own"
    calls = '{"calls": [{"title": "Zebra check", "words": ["zebra check"], "tool": "ListIncidents"}]}'
    put(shared, presets__a=preset("two cards"), playbooks__a=playbook("Look", READING), ready_calls__z=calls, presets__b="{")
    async with desk((80, 24), {"CALLBOARD_SHARED": str(shared)}, own) as one:
        await one.open(TOOL)
        await arguments(one)
        await one.until(lambda: "ops: b.json is not a preset file." in about(one))
        assert "from ops · customer_id cus_1" in rows(one)[0]
        await one.press("down")
        assert about(one).startswith("from ops · customer_id cus_1")
        await one.press("delete")
        assert "“two cards” is shared from ops and cannot be deleted here. r makes a copy" in about(one)
        await one.press("y", "r")
        await type_into(one, "two cards")
        await one.until(lambda: "Saved your own copy “two cards”" in about(one))
        assert ["from ops" in row for row in rows(one)] == [False, True], "both are there, one's own first"
        await one.press("down", "enter")
        await closed(one)
        assert one.screen.form.raw["customer_id"] == "cus_1"

        await opened(one, PlaybooksDialog, "alt+p")
        await one.until(lambda: bool(rows(one)))
        assert "from ops · 1 step" in rows(one)[0]
        await one.press("delete")
        assert "cannot be deleted here. e makes a copy" in about(one)
        form = await opened(one, PlaybookForm, "y", "e")
        assert "Edit a copy of a playbook from ops" in str(form.query_one("#title", Static).render())
        await one.press("ctrl+s")
        await opened(one, PlaybooksDialog)
        await one.until(lambda: ["from ops" in row for row in rows(one)] == [False, True])
        await one.press("escape")

        finder = Finder(list(one.app.session.contents))
        finder.learn(one.app.session.asker())
        assert next((found.title, found.reason) for found in finder.find("zebra check")) == ("Zebra check", "from ops.")
        assert "a preset" in {found.reason for found in finder.find("two cards")}, (
            "the same call stands there once, as one's own"
        )
    kept = sorted(file.read_text("utf-8") for file in (shared / "presets").iterdir())
    assert kept == sorted(["{", preset("two cards")]), "nothing that is shared was changed"
