"""Panes: side by side or one at a time, wider, narrower, alone; help, connections, keys."""

from __future__ import annotations

import re

from tests.tui.app import desk
from tui.commands import COMMANDS, bindings
from tui.dialogs.connection import ConnectionDialog
from tui.dialogs.help import HelpScreen
from tui.explorer.top_bar import PaneTabs, TopBar
from tui.keybar import KeyBar


async def test_three_side_by_side() -> None:
    async with desk((120, 40)) as one:
        assert all(pane.display and pane.size.width > 25 for pane in one.screen.query(".pane"))
        assert not one.screen.query_one(PaneTabs).display


async def test_one_at_a_time_with_a_visible_way_between_them() -> None:
    async with desk((80, 24)) as one:
        assert one.screen.query_one(PaneTabs).display
        for key, name in (("f3", "form"), ("f4", "result"), ("f2", "tools")):
            await one.press(key)
            assert [pane.id for pane in one.screen.query(".pane") if pane.display] == [name]
            assert one.screen.query_one(PaneTabs).here == name
        await one.pilot.click(PaneTabs, offset=(14, 0))
        assert one.screen.here == "form"


async def test_a_call_on_a_narrow_terminal_shows_its_result() -> None:
    async with desk((80, 24)) as one:
        await one.open("Whoami")
        assert one.screen.here == "form"
        await one.run()
        assert one.screen.here == "result"


async def test_resizing_the_terminal_keeps_the_pane() -> None:
    async with desk((120, 40)) as one:
        await one.open("Whoami")
        await one.pilot.resize_terminal(80, 24)
        await one.until(lambda: one.screen.has_class("-narrow"))
        assert [pane.id for pane in one.screen.query(".pane") if pane.display] == ["form"]
        await one.pilot.resize_terminal(200, 50)
        await one.until(lambda: not one.screen.has_class("-narrow"))
        assert all(pane.display for pane in one.screen.query(".pane"))


async def test_wider_narrower_alone() -> None:
    async with desk((120, 40)) as one:
        tools, form = one.screen.query_one("#tools"), one.screen.form
        before = tools.size.width
        await one.press("f10")
        await one.until(lambda: tools.size.width == before + 4)
        await one.press("f9", "f9")
        await one.until(lambda: tools.size.width == before - 4)
        await one.open("Whoami")
        before = form.size.width
        await one.press("f10", "f10")
        await one.until(lambda: form.size.width > before)
        await one.press("f8")
        assert [pane.id for pane in one.screen.query(".pane") if pane.display] == ["form"]
        await one.press("f8")
        assert all(pane.display for pane in one.screen.query(".pane"))


async def test_help_starts_with_the_present_pane() -> None:
    async with desk() as one:
        await one.open("Whoami")
        await one.press("f1")
        await one.until(lambda: isinstance(one.app.screen, HelpScreen))
        text = "\n".join(str(widget.render()) for widget in one.app.screen.query("Static"))
        assert text.index("The form of one tool.") < text.index("Everywhere")
        for command in COMMANDS:
            assert command.title in text
        await one.press("escape")
        await one.until(lambda: not isinstance(one.app.screen, HelpScreen))


async def test_the_key_bar_shows_what_works_here() -> None:
    async with desk() as one:
        bar = one.screen.query_one(KeyBar)
        await one.until(lambda: "Open" in str(bar.render()))
        await one.open("ListUsers")
        await one.run()
        await one.until(lambda: "Next page" in str(bar.render()))
        assert "Previous" not in str(bar.render())
        await one.press("f2")
        await one.until(lambda: "Next page" not in str(bar.render()))


async def test_choosing_a_connection() -> None:
    async with desk(environment={"INCIDENTS_API_TOKEN": "t", "INCIDENTS_BASE_URL": "http://127.0.0.1:1"}) as one:
        await one.press("f6")
        await one.until(lambda: isinstance(one.app.screen, ConnectionDialog))
        await one.pilot.pause()
        await one.press("down", "down", "enter")
        await one.until(lambda: one.app.session.chosen == {"Incidents": "incidents"})
        assert "Incidents: LIVE data" in str(one.screen.query_one(TopBar).render())
        await one.press("up", "enter")
        await one.until(lambda: one.app.session.chosen == {"Incidents": "sandbox"})
        await one.press("down", "enter", "escape")
        await one.until(lambda: one.app.screen is one.screen)
        await one.open("Whoami")
        await one.until(lambda: "127.0.0.1:1" in str(one.screen.query_one("#request").render()))  # type: ignore[attr-defined]


async def test_what_can_be_changed_in_live_data_is_in_sight_in_80_columns() -> None:
    keys = {"PAYMENTS_API_KEY": "sk_live_1", "CRM_ACCESS_TOKEN": "t", "INCIDENTS_API_TOKEN": "t"}
    async with desk((80, 24), environment=keys) as one:
        session, top = one.app.session, one.screen.query_one(TopBar)
        session.policy._clock = lambda: 0.0
        for toolkit, name in (("PaymentsApi", "payments"), ("CrmUsersApi", "crm")):
            session.chosen[toolkit] = name
            session.policy.open_writing(session.connection(toolkit), toolkit)
        top.show_targets(session)
        assert "Payments: LIVE  ✎15:00   CRM users: LIVE  ✎15:00" in str(top.render())
        session.chosen["Incidents"] = "incidents"
        top.show_targets(session)
        assert "Payments: LIVE  ✎15:00   Incidents: LIVE  CRM users: LIVE  ✎15:00" in str(top.render())
        assert top.render().cell_length == top.size.width
        await one.pilot.resize_terminal(120, 40)
        await one.pilot.pause()
        assert "Payments: LIVE data  ✎ changes 15:00    Incidents: LIVE data" in str(top.render())


async def test_settings_that_cannot_be_used_are_told_and_the_sandbox_works() -> None:
    async with desk(environment={"CRM_ACCESS_TOKEN": "t", "CRM_BASE_URL": "http://crm.example"}) as one:
        assert "CRM_BASE_URL must start with https://" in one.app.session.settings_error
        await one.open("GetAccountRoles")
        await one.run()
        assert one.screen.result.result is not None
        assert one.screen.result.result.ok


def test_commands_are_well_formed() -> None:
    ids = [command.id for command in COMMANDS]
    assert len(set(ids)) == len(ids)
    for command in COMMANDS:
        assert command.help.endswith(".")
        for key in command.keys.split(","):
            assert not re.fullmatch(r"ctrl\+[hijm]", key)
    for scopes in (("everywhere", "tools", "lists"), ("everywhere", "form"), ("everywhere", "result", "lists")):
        keys = [binding.key for binding in bindings(*scopes)]  # type: ignore[union-attr,arg-type]
        assert len(set(keys)) == len(keys), scopes
