"""One letter, one meaning, in table, JSON, page, comparison and dashboard alike; and at most eight keys in the footer."""

import importlib
import pkgutil

from textual.binding import Binding
from textual.widget import Widget

import tui
from tests.cases import cases_beside
from tests.tui.app import Desk, desk
from tui.keyboard.commands import COMMANDS, NAMED
from tui.keyboard.key_bar import KeyBar
from tui.oncall.incidents_panel import IncidentList
from tui.pages.screen import PageScreen

CASES = cases_beside(__file__)

# Of each key the commands that it may run: they mean the same. The dashboard has five letters of its own.
MEANS = CASES["what each key means"]
# In dialogs the same letters do the same; others are theirs.
IN_DIALOGS = {"y": "copy", "Y": "copy_all", "x": "save", "e": "edit", "c": "compare", "D": "delete remove forget_all"}


def test_a_key_means_the_same_everywhere() -> None:
    for command in COMMANDS:
        for key in command.usual:
            if command.scope != "lists" and "+" not in key and not (key[0] == "f" and key[1:].isdigit()):
                # The arrows, and h and l beside them.
                cells = command.id in ("cell_left", "cell_right", "bars_previous", "bars_next")
                assert cells or command.id in MEANS[key].split(), (command.id, key)


def test_letters_of_dialogs_mean_the_same() -> None:
    for module in pkgutil.walk_packages(tui.__path__, "tui."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    kinds: list[type[Widget]] = [Widget]
    for kind in kinds:
        kinds += kind.__subclasses__()
        for one in vars(kind).get("BINDINGS", ()) if kind.__module__.startswith("tui.dialogs") else ():
            binding = one if isinstance(one, Binding) else Binding(*one)
            for key in set(binding.key.split(",")) & IN_DIALOGS.keys():
                assert any(word in binding.action for word in IN_DIALOGS[key].split()), (kind, key)


def test_the_palette_has_what_is_looked_for_by_a_name() -> None:
    assert 50 <= len({command.title for command in NAMED}) <= 65
    assert [command.id for command in COMMANDS if not command.usual and not command.title] == [], "neither key nor name"


def in_footer(one: Desk) -> list[str]:
    return [key.action for key in one.app.screen.query_one(KeyBar)._fitting()]


async def test_the_footer_has_at_most_eight_keys_in_every_state() -> None:
    async with desk((160, 45), lists="table") as one:
        seen = [in_footer(one)]
        for key in ("f2", "f3"):
            await one.press(key)
            seen.append(in_footer(one))
        await one.open("SearchPaymentsCustomers")
        seen.append(in_footer(one))
        one.screen.form.fill({"search_query_string": 'email:"accounts@ada-romero.example"'})
        await one.run()
        await one.press("f4")
        for keys in ((), ("space",), ("t",), ("slash",), ("escape", "t")):
            await one.press(*keys)
            await one.pilot.pause()
            seen.append(in_footer(one))
        await one.press("o")
        assert "o does nothing here. ^F asks in words." in str(one.screen.query_one(KeyBar).render())
        await one.press("enter")
        await one.until(lambda: isinstance(one.app.screen, PageScreen) and one.app.screen.page, "the page")
        seen.append(in_footer(one))
        await one.press("tab")
        seen.append(in_footer(one))
        await one.press("f11")
        await one.until(lambda: one.app.screen.query(IncidentList), "the dashboard")
        await one.pilot.pause()
        seen.append(in_footer(one))
        assert all(0 < len(actions) <= 8 for actions in seen), seen
        assert all("app.help" in actions for actions in seen)
        assert all({"app.ask", "screen.find"} & {*actions} for actions in seen[:-1]), seen
