"""A document pasted into the ask line becomes a toolkit: confirmed first, shown at once, and the explorer keeps its state."""

import json
from pathlib import Path

import pytest
from textual.widgets import Static

from registry.catalog.folders import kept_toolkits
from registry.openapi import store
from tests.openapi.making import document, written
from tests.sampled import further
from tests.tickets.service import TOKEN, USER, tracker
from tests.tui.app import Desk, desk
from tui.dialogs.add_toolkit import AddToolkit
from tui.explorer.tool_pane import AskLine
from tui.explorer.toolkit_tree import ToolkitTree
from tui.widgets.texts import Line

TRACKER = Path(__file__).parent.parent / "openapi" / "tracker.yaml"
GET = {"get": {"operationId": "getIt"}}


pytestmark = pytest.mark.usefixtures("toolkits_here")


async def pasted(one: Desk, text: str) -> AddToolkit:
    """Paste a text into the ask line and choose the offer."""
    line, tree = one.screen.query_one(AskLine), one.screen.query_one(ToolkitTree)
    line.focus()
    line.value = text
    await one.until(lambda: tree.details.startswith("Enter reads"), "the offer")
    assert tree.found == 1
    await one.press("enter")
    await one.until(lambda: any(isinstance(screen, AddToolkit) for screen in one.app.screen_stack), "the dialog")
    return next(screen for screen in one.app.screen_stack if isinstance(screen, AddToolkit))


def told(one: Desk) -> str:
    """What the dialog says, or the question in front of it."""
    return "\n".join(str(line.content) for line in one.app.screen.query(Static))


async def says(one: Desk, dialog: AddToolkit, words: str) -> None:
    await one.until(lambda: words in told(one), words)


async def added(one: Desk, dialog: AddToolkit) -> None:
    await says(one, dialog, "Enter adds it.")
    await one.press("enter")
    await one.until(lambda: dialog not in one.app.screen_stack, "the end of the question")


@pytest.mark.parametrize("size", [(120, 40), *further((80, 24))])
async def test_from_a_pasted_path_to_a_table(size: tuple[int, int]) -> None:
    with tracker() as served:
        environment = {"ISSUE_TRACKER_BASE_URL": served.base, "ISSUE_TRACKER_USER": USER, "ISSUE_TRACKER_PASSWORD": TOKEN}
        async with desk(size, environment, lists="table") as one:
            await one.open("ListIncidents")
            one.screen.form.fill({"since": "-3h"})
            before = one.screen.form.tool
            dialog = await pasted(one, str(TRACKER))
            await says(one, dialog, "5 tools (3 read, 1 change, 1 delete) from OpenAPI 3.0")
            assert "Requests go to http://127.0.0.1:" in told(one)
            assert "Guessed: " in told(one)
            assert not kept_toolkits().exists()
            await added(one, dialog)
            tree = one.screen.query_one(ToolkitTree)
            await one.until(lambda: "IssueTracker" in tree._kits, "the tools in the tree")
            await one.until(lambda: tree.has_focus, "the keyboard in the tree")
            assert one.screen.form.tool is before, "what was there before is the same still"
            assert one.screen.form.raw["since"] == "-3h"
            line = one.screen.query_one(AskLine)
            line.focus()
            line.value = "issue tracker list issues"
            await one.until(lambda: tree.tool is not None and tree.tool.name == "ListIssues", "the tool")
            await one.press("enter")
            await one.until(lambda: one.screen.tool is not None and one.screen.tool.name == "ListIssues", "the form")
            result = one.screen.result.result
            if result is None or result.tool != "ListIssues":
                await one.run()
            shown = one.screen.result.result
            assert shown is not None
            assert shown.ok
            assert shown.connection == "issue-tracker"
            await one.until(lambda: one.screen.result.laid_out, "the table")


async def test_errors_are_told_in_their_place_and_lead_to_the_field_that_mends_them(tmp_path: Path) -> None:
    nowhere = document({"/a": GET}) | {"servers": [], "info": {"title": "Payments"}}
    path = written(tmp_path, nowhere)
    async with desk() as one:
        dialog = await pasted(one, str(tmp_path / "none.json"))
        await says(one, dialog, "there is no such file")
        for source, words in (("x" * 5_000, "File name too long"), ("a\0b", "no such file"), (str(tmp_path), "Is a directory")):
            dialog.query_one("#source", Line).value = source  # T7
            await one.press("enter")
            await says(one, dialog, words)
        dialog.query_one("#source", Line).value = str(path)
        await one.press("enter")
        await says(one, dialog, "names no server")
        await one.until(lambda: dialog.focused is dialog.query_one("#server"), "the field for the server")
        dialog.query_one("#server", Line).value = "https://a.example/v1"
        await one.press("enter")
        await says(one, dialog, "has that name already")
        await one.until(lambda: dialog.focused is dialog.query_one("#name"), "the field for the name")
        dialog.query_one("#name", Line).value = "Mine"
        await one.press("enter")
        await says(one, dialog, "Requests go to https://a.example/v1")
        path.unlink()  # what was shown is what is added
        await added(one, dialog)
        await one.until(lambda: any(tool.toolkit == "Mine" for tool in one.app.session.contents), "its tools")
        assert [tool.name for tool in one.app.session.contents if tool.toolkit == "Mine"] == ["GetIt"]
        content = document({"/a": GET}) | {"info": {"title": "[red]Bad\x1b[2J[/]", "version": "[b]"}}
        path = tmp_path / "hostile.json"
        path.write_text(json.dumps(content))
        await one.press("alt+t")
        await one.until(lambda: isinstance(one.app.screen, AddToolkit), "the question")
        asked: object = one.app.screen
        assert isinstance(asked, AddToolkit)
        dialog = asked
        await one.press("enter")
        await says(one, dialog, "Enter a path")
        dialog.query_one("#source", Line).value = str(path)
        await one.press("enter")
        await says(one, dialog, "1 tool (1 read)")
        assert "[red]Bad" in told(one)
        assert "\x1b" not in told(one)
        await added(one, dialog)


def test_what_is_known_of_a_toolkit_is_read_anew_when_its_files_are(tmp_path: Path) -> None:
    from registry.pages.definition import pages_of
    from registry.references.knowledge import knowledge

    page = {"objects": {"thing": {"title": ["{id}"]}}}
    path = written(tmp_path, document({"/things/{id}": GET}))
    for pages, references in ((None, None), (page, {"objects": {"thing": {"shape": "x+"}}}), (None, None)):
        overlay = written(tmp_path, {"pages": pages, "references": references}, "overlay.json")
        one = store.keep_prepared(store.prepared(str(path), overlay=str(overlay)))
        toolkit = one.source.toolkit
        assert ("thing" in pages_of(toolkit).objects) == (pages is not None)
        assert (knowledge(toolkit).kind("thing").shape == "x+") == (references is not None)
        store.remove(one)
