"""Help starts with the focused widget: what it does, its keys, and the meaning of its words."""

import importlib
import pkgutil
import re

from textual.screen import Screen
from textual.widget import Widget

import tui
from registry.catalog.loader import load
from registry.catalog.model import Parameter
from tests.tui.app import Desk, desk
from tui.dialogs.dialog import Dialog
from tui.explorer.tool_pane import AskLine
from tui.help.screen import Columns, HelpScreen, facts_of, help_words, with_keys
from tui.keyboard.commands import SCOPES
from tui.state.settings import Settings


def classes(kind: type[Widget] = Widget) -> set[str]:
    """The names of all widgets of a class."""
    for module in pkgutil.walk_packages(tui.__path__, "tui."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    found, todo = set(), [kind]
    while todo:
        kind = todo.pop()
        found.add(kind.__name__)
        todo += kind.__subclasses__()
    return found


def test_what_is_told_of_is_there_and_every_key_has_a_command() -> None:
    assert set(help_words()["widgets"]) <= classes()
    assert set(help_words()["places"]) <= set(SCOPES)
    for name in re.findall(r"\{(\w+)\}", str(help_words())):
        assert with_keys(f"{{{name}}}", Settings()) != f"{{{name}}}", name


def test_every_dialog_tells_of_itself() -> None:
    said_by_their_lists = {"HelpScreen", "CoverageScreen"}
    in_common = {"Dialog", "RowsDialog", "LineDialog", "DeliberateDialog", "FieldsDialog", "MarkingDialog"}
    in_common |= {"YesNo", "Prompt", "ConfirmMany"}
    assert classes(Dialog) - in_common - said_by_their_lists <= set(help_words()["widgets"])


def told(parameter: Parameter) -> dict[str, str]:
    return dict(facts_of(parameter))


def test_all_that_is_known_of_a_parameter_is_told() -> None:
    parameters = [parameter for tool in load().tools.values() for parameter in tool.parameters]
    for parameter in parameters:
        facts = told(parameter)
        assert {"type", "not set", "role"} <= set(facts), parameter.name
        assert all(facts.values()), parameter.name
        if parameter.refers_to:
            assert parameter.refers_to[0] in facts["id of"]
    bounded = next(one for one in parameters if one.role == "limit" and one.maximum == 100)
    assert told(bounded)["type"] == "a whole number from 1 to 100"
    required = next(one for one in parameters if one.required)
    assert "required" in told(required)["not set"]


def text_of(screen: Screen[object]) -> str:
    """What a screen of texts and rows of texts says, whether it fits a line or not."""
    return "\n".join(
        "\n".join(cell.plain for row in widget.rows for cell in row) if isinstance(widget, Columns) else str(widget.render())
        for widget in screen.query("Static, Columns")
    )


async def help_text(one: Desk) -> str:
    """The text that F1 shows here."""
    await one.press("f1")
    await one.until(lambda: isinstance(one.app.screen, HelpScreen))
    await one.pilot.pause()
    text = text_of(one.app.screen)
    await one.press("escape")
    await one.until(lambda: not isinstance(one.app.screen, HelpScreen))
    return text


async def test_help_is_about_what_has_the_keyboard() -> None:
    async with desk() as one:

        async def opens_help() -> None:
            below = one.app.screen
            await one.press("question_mark")
            await one.until(lambda: isinstance(one.app.screen, HelpScreen))
            await one.press("escape")
            await one.until(lambda: one.app.screen is below)

        await one.press("f2")
        await opens_help()
        await one.press("ctrl+f")
        await one.press("w", "h", "o", "question_mark")
        assert one.screen.query_one(AskLine).value == "who?"
        await one.press("escape", "f6")
        await one.until(lambda: one.app.screen is not one.screen)
        await one.pilot.pause()
        await opens_help()
        await one.press("escape", "ctrl+f")

        assert "The ask line" in await help_text(one)
        await one.press("f2")
        assert "Favourites" in await help_text(one)
        await one.open("ListIncidents")
        assert "The field" in await help_text(one)
        one.screen.form.query_one("#run").focus()
        await one.pilot.pause()
        assert "The run button" in await help_text(one)
        await one.run()
        await one.press("f4")
        assert "redacted secret" in await help_text(one)
        await one.press("t")
        await one.until(lambda: one.screen.result.table.has_focus)
        assert "sorted by this column" in await help_text(one)
        await one.press("slash")
        assert "quote text that contains spaces" in await help_text(one)
        await one.press("escape", "f6")
        await one.until(lambda: one.app.screen is not one.screen)
        text = await help_text(one)
        assert text.index("Accounts") < text.index("Everywhere"), "dialogs have help too"
        await one.press("escape", "f11")
        await one.until(lambda: one.app.screen.query("#incident-list"))
        text = await help_text(one)
        assert text.index("Open incidents") < text.index("On call")
        assert "STALE 3m" in text
