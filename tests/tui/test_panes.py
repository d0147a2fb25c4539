"""Panes: side by side, stacked, or one at a time, and one alone; help, connections, keys."""

import re

import pytest
from textual.content import Content

from tests.tui.app import desk
from tui.explorer.top_bar import PaneTabs, TopBar
from tui.keyboard.commands import COMMANDS, bindings


async def test_one_pane_at_a_time_and_all_of_them_in_a_wider_terminal() -> None:
    async with desk((80, 24)) as one:
        assert one.screen.query_one(PaneTabs).display
        for key, name in (("f3", "form"), ("f4", "result"), ("f2", "tools")):
            await one.press(key)
            assert [pane.id for pane in one.screen.query(".pane") if pane.display] == [name]
            assert one.screen.query_one(PaneTabs).here == name
        await one.pilot.click(PaneTabs, offset=(14, 0))
        assert one.screen.here == "form"

        await one.open("Whoami")
        assert [pane.id for pane in one.screen.query(".pane") if pane.display] == ["form"]
        await one.pilot.resize_terminal(200, 50)
        await one.until(lambda: not one.screen.has_class("-narrow"))
        assert all(pane.display for pane in one.screen.query(".pane"))


@pytest.mark.parametrize(("size", "stacked"), [((100, 30), True), ((160, 45), False)])
async def test_the_form_stands_above_the_result_or_beside_it_and_nothing_follows_the_focus(
    size: tuple[int, int], stacked: bool
) -> None:
    async with desk(size) as one:
        await one.open("GetCustomerCards")
        tools, form, result = (one.screen.query_one(f"#{name}") for name in ("tools", "form", "result"))
        assert tools.region.right <= form.region.x
        if stacked:
            assert (form.region.x, form.region.bottom) == (result.region.x, result.region.y)
            assert result.region.height >= size[1] // 3
        else:
            assert (form.region.right, form.region.y) == (result.region.x, result.region.y)
        widths = tools.size.width, form.size.width, result.size.width
        for key in ("f2", "f3", "f4"):
            await one.press(key)
            assert (tools.size.width, form.size.width, result.size.width) == widths
        await one.press("f8")
        assert [pane.id for pane in one.screen.query(".pane") if pane.region] == ["result"]
        await one.press("f8")
        assert (tools.size.width, form.size.width, result.size.width) == widths


async def test_what_can_be_changed_in_live_data_is_in_sight_in_80_columns() -> None:
    keys = {"PAYMENTS_API_KEY": "sk_live_1", "CRM_ACCESS_TOKEN": "t", "INCIDENTS_API_TOKEN": "t"}
    async with desk((80, 24), environment=keys) as one:
        session, top = one.app.session, one.screen.query_one(TopBar)
        session.chosen["PaymentsApi"] = "payments"
        top.show_targets(session)
        top.alert = Content("▲ 1 yours, pages in 0:48")
        await one.pilot.pause()
        assert "pages in 0:48    LIVE payments " in str(top.render()), "one live account leaves room for what needs somebody"
        session.chosen["CrmUsersApi"] = "crm"
        session.chosen["Incidents"] = "incidents"
        top.show_targets(session)
        await one.pilot.pause()
        assert "pages in 0:48    LIVE × 3 " in str(top.render()), "several are counted beside it"
        await one.open("ListIncidents")
        assert str(top.render()).count("LIVE") == 1, "only that of the tool is in use"
        await one.do("start")
        await one.until(lambda: " LIVE payments    LIVE incidents " in str(top.render()), "home is about all of them")
        await one.open("ListIncidents")
        assert str(top.render()).count("LIVE") == 1
        del session.chosen["Incidents"]
        session.engine.policy._clock = lambda: 0.0
        for toolkit, name in (("PaymentsApi", "payments"), ("CrmUsersApi", "crm")):
            session.chosen[toolkit] = name
            session.engine.policy.open_writing(session.connection(toolkit), toolkit)
        top.show_targets(session)
        await one.pilot.pause()
        assert " LIVE payments   +15:00    LIVE crm   +15:00 " in str(top.render())
        session.chosen["Incidents"] = "incidents"
        top.show_targets(session)
        await one.pilot.pause()
        assert " LIVE payments   +15:00    LIVE incidents    LIVE crm   +15:00 " in str(top.render())
        assert top.render().cell_length == top.size.width
        await one.pilot.resize_terminal(160, 40)
        await one.pilot.pause()
        assert " LIVE · payments   + changes 15:00     LIVE · incidents " in str(top.render())


async def test_settings_that_cannot_be_used_are_told_and_the_sandbox_works() -> None:
    async with desk(environment={"CRM_ACCESS_TOKEN": "t", "CRM_BASE_URL": "http://crm.example"}) as one:
        assert "CRM_BASE_URL must start with https://" in one.app.session.settings_error
        await one.open("GetAccountRoles")
        await one.run()
        assert one.result.ok


def test_commands_are_well_formed() -> None:
    ids = [command.id for command in COMMANDS]
    assert len(set(ids)) == len(ids)
    for command in COMMANDS:
        assert command.help.endswith(".")
        for key in command.keys.split(","):
            assert not re.fullmatch(r"ctrl\+[hijm]", key)
    for scopes in (("everywhere", "tools", "lists"), ("everywhere", "form"), ("everywhere", "result", "lists")):
        keys = [binding.key for binding in bindings(*scopes)]  # type: ignore[union-attr]
        assert len(set(keys)) == len(keys), scopes
