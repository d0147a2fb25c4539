"""Panes: side by side or one at a time, wider, narrower, alone; help, connections, keys."""

from __future__ import annotations

import asyncio
import json
import re
import stat
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.events import MouseDown, MouseMove
from textual.geometry import Offset, Region
from textual.widgets import Static

from tests.sampled import further
from tests.tui.app import Desk, desk
from tests.tui.test_help import text_of
from tui.app import CallboardApp
from tui.dialogs.connection import ConnectionDialog
from tui.dialogs.help import HelpScreen
from tui.dialogs.history import HistoryDialog
from tui.explorer.screen import ExplorerScreen
from tui.explorer.top_bar import PaneTabs, TopBar
from tui.keyboard import key_order
from tui.keyboard.commands import COMMANDS, bindings
from tui.keyboard.key_bar import KeyBar
from tui.requests.screen import RequestsDialog
from tui.session import Session
from tui.state.layouts import Layout, Layouts, dragged
from tui.state.preferences import Preferences


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


def widths(one: Desk) -> tuple[int, ...]:
    return tuple(one.screen.query_one(f"#{name}").size.width for name in ("tools", "form", "result"))


async def test_the_pane_with_the_focus_gets_the_room() -> None:
    async with desk((120, 40)) as one:
        assert widths(one)[0] == 34
        await one.open("Whoami")
        await one.until(lambda: widths(one) == (24, 44, 50))
        await one.run()
        await one.until(lambda: widths(one) == (24, 26, 68))
        await one.press("f10", "f3")
        await one.pilot.pause()
        assert widths(one) == (24, 26, 68), "held"
        await one.press("f10")
        await one.until(lambda: widths(one) == (24, 44, 50))
        await one.pilot.resize_terminal(100, 30)
        await one.until(lambda: sum(widths(one)) == 98 and min(widths(one)) >= 24)
        await one.pilot.resize_terminal(200, 50)
        await one.until(lambda: widths(one) == (30, 44, 124))


async def test_wider_narrower_alone() -> None:
    async with desk((120, 40)) as one:
        tools, form = one.screen.query_one("#tools"), one.screen.form
        await one.press("shift+f10")
        await one.until(lambda: tools.size.width == 38)
        await one.press("shift+f9", "shift+f9")
        await one.until(lambda: tools.size.width == 30)
        await one.open("Whoami")
        before = form.size.width
        await one.press("shift+f10", "shift+f10")
        await one.until(lambda: form.size.width == before + 8)
        await one.press("f8")
        assert [pane.id for pane in one.screen.query(".pane") if pane.display] == ["form"]
        await one.press("shift+f9")
        assert one.screen.has_class("-zoomed"), "there is nothing to share the width with"
        await one.press("f8")
        assert all(pane.display for pane in one.screen.query(".pane"))


async def test_held_widths_are_remembered_for_each_width_of_the_terminal_and_zoom_is_not(tmp_path: Path) -> None:
    async with desk((120, 40), remembered=tmp_path) as one:
        tools = one.screen.query_one("#tools")
        await one.press("shift+f10", "f3", "f8")
        await one.until(lambda: one.screen.has_class("-zoomed"))
        assert "F8 shows all panes" in str(one.screen.query_one(PaneTabs).render())
        await one.press("f8")
        await one.pilot.resize_terminal(200, 50)
        await one.until(lambda: tools.size.width == 30)
        await one.pilot.resize_terminal(80, 24)
        await one.until(lambda: one.screen.has_class("-narrow"))
        await one.press("f8", "f10")
        assert "Too narrow for three panes" in str(one.screen.query_one(KeyBar).render())
        await one.press("f2")
        await one.pilot.resize_terminal(120, 40)
        await one.until(lambda: not one.screen.has_class("-narrow"))
        await one.press("f8")
        await one.until(lambda: all(worker.is_finished for worker in one.app.workers if worker.group == "layouts"))
    async with desk((120, 40), remembered=tmp_path) as one:
        assert not one.screen.has_class("-zoomed")
        assert one.screen.query_one("#tools").size.width == 38
        await one.open("Whoami")
        assert one.screen.query_one("#tools").size.width == 38


def test_two_programs_remember_the_panes_of_both(tmp_path: Path) -> None:
    one, other = Layouts(tmp_path), Layouts(tmp_path)
    one.change("usual", Layout(tools=40, held=True))
    other.change("broad", Layout(form=60, held=True))
    one.save()
    other.save()
    found = Layouts(tmp_path)
    found.load()
    assert (found.of("usual").tools, found.of("broad").form, found.of("narrow")) == (40, 60, Layout())
    assert stat.S_IMODE((tmp_path / "panes.json").stat().st_mode) == 0o600
    assert not found.notices.take()


@pytest.mark.parametrize("content", ["[", "3", '{"usual": 3}', '{"usual": {"tools": "x"}}', "[" * 100_000])
def test_a_broken_file_is_put_aside_and_told_once(tmp_path: Path, content: str) -> None:
    (tmp_path / "panes.json").write_text(content)
    found = Layouts(tmp_path)
    found.load()
    assert found.of("usual") == Layout()
    assert str(tmp_path / "panes.broken.json") in found.notices.take()
    found.change("usual", Layout(held=True))
    found.save()
    assert not found.notices.take()
    again = Layouts(tmp_path)
    again.load()
    assert again.of("usual").held


def test_widths_from_a_file_stay_within_their_bounds(tmp_path: Path) -> None:
    widths = {"tools": 9_000, "form": -1, "held": True}
    (tmp_path / "panes.json").write_text(json.dumps({"usual": widths}))
    found = Layouts(tmp_path)
    found.load()
    assert found.of("usual") == Layout(72, 24, held=True)


def test_a_folder_that_is_none_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    found = Layouts(tmp_path / "file")
    found.load()
    told = [found.notices.take()]
    for tools in (40, 44):
        found.change("usual", Layout(tools=tools, held=True))
        found.save()
        told.append(found.notices.take())
    assert sum("could not be saved" in words for words in told) == 1
    assert found.of("usual").tools == 44


async def test_help_starts_with_the_present_pane() -> None:
    async with desk() as one:
        await one.open("Whoami")
        await one.press("f1")
        await one.until(lambda: isinstance(one.app.screen, HelpScreen))
        text = text_of(one.app.screen)
        assert text.index("The form of the open tool.") < text.index("Everywhere")
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
        assert " LIVE · incidents " in str(one.screen.query_one(TopBar).render())
        await one.press("up", "enter")
        await one.until(lambda: one.app.session.chosen == {"Incidents": "sandbox"})
        await one.press("down", "enter", "escape")
        await one.until(lambda: one.app.screen is one.screen)
        await one.open("Whoami")
        await one.until(lambda: "127.0.0.1:1" in str(one.screen.query_one("#request").render()))


async def test_what_can_be_changed_in_live_data_is_in_sight_in_80_columns() -> None:
    keys = {"PAYMENTS_API_KEY": "sk_live_1", "CRM_ACCESS_TOKEN": "t", "INCIDENTS_API_TOKEN": "t"}
    async with desk((80, 24), environment=keys) as one:
        session, top = one.app.session, one.screen.query_one(TopBar)
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
        keys = [binding.key for binding in bindings(*scopes)]  # type: ignore[union-attr]
        assert len(set(keys)) == len(keys), scopes


async def test_borders_are_dragged_and_remembered(tmp_path: Path) -> None:
    async with desk((120, 40), remembered=tmp_path) as one:
        tools, form, result = (one.screen.query_one(f"#{name}") for name in ("tools", "form", "result"))

        async def drag(start: int, end: int) -> None:
            await one.pilot.mouse_down(offset=(start, 20))
            await one.pilot.hover(offset=((start + end) // 2, 21))
            await one.pilot.hover(offset=(end, 22))
            await one.pilot.mouse_up(offset=(end, 22))
            await one.pilot.pause()

        await drag(tools.region.right - 1, 49)
        assert tools.region.right == 50
        await drag(tools.region.right - 1, 29)
        assert tools.region.right == 30
        await drag(form.region.right - 1, 89)
        assert form.region.right == 90
        assert result.region.right == 120
        await drag(tools.region.right - 1, 2)
        assert tools.size.width == 20, "no pane gets narrower than by keys"
        width = form.region.width
        await one.pilot.mouse_down(offset=(form.region.x + 5, 0))
        await one.pilot.hover(offset=(5, 20))
        await one.pilot.mouse_up(offset=(5, 20))
        assert form.region.width == width, "a border above or below is none between two panes"
        await one.until(lambda: not any(worker.group == "layouts" for worker in one.app.workers))
    async with desk((120, 40), remembered=tmp_path) as one:
        assert one.screen.query_one("#tools").size.width == 20
        assert one.screen.form.region.width == width
        await one.press("f8")
        await one.pilot.mouse_down(offset=(19, 20))
        await one.pilot.hover(offset=(40, 20))
        await one.pilot.mouse_up(offset=(40, 20))
        await one.press("f8")
        assert one.screen.query_one("#tools").size.width == 20, "a pane that has the whole screen has no such border"


def test_dragging_stays_within_bounds() -> None:
    for edge in range(-10, 300):
        for pane in ("tools", "form"):
            layout = dragged(Layout(), pane, edge, 120)
            assert layout.held
            assert 20 <= layout.tools <= 72
            assert 24 <= layout.form <= 120
            assert layout.tools + layout.form <= 118 - 22


async def test_the_mouse_on_a_widget_that_has_just_been_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    async with desk((120, 40)) as one:
        monkeypatch.setattr(one.screen, "get_widget_and_offset_at", lambda x, y: (Static(), Offset(0, 0)))
        one.app.post_message(MouseDown(None, 60, 10, 0, 0, 1, False, False, False))
        one.app.post_message(MouseMove(None, 61, 10, 1, 0, 1, False, False, False))
        await one.pilot.pause()
        assert one.app._exception is None


@pytest.mark.parametrize("patience", [0.0, 30.0], ids=["act at once", "wait"])
async def test_keys_before_all_panes_are_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, patience: float) -> None:
    ready, may_go_on = Session.ready, asyncio.Event()

    async def late(self: Session) -> None:
        await may_go_on.wait()
        await ready(self)

    monkeypatch.setattr(Session, "ready", late)
    monkeypatch.setattr(key_order, "_LONGEST_START", patience)
    app = CallboardApp(Session({}, preferences=Preferences(tmp_path)))
    async with app.run_test() as pilot:
        for key in ("f12", "f5", "f3", "f4", "f8", "f10", "alt+left", "f6", "escape", "f12", "f9", "ctrl+y"):
            if patience:
                app.post_message(events.Key(key, None))
            else:
                await pilot.press(key)
        may_go_on.set()
        one = Desk(app, pilot)
        await one.until(lambda: one.screen.panes_mounted)
        await one.until(lambda: isinstance(app.screen, ConnectionDialog | RequestsDialog | HistoryDialog))
        await one.until(lambda: app.screen.focused is not None, "the dialog has all that it consists of")
        assert not app._known_errors
        assert app._exception is None


@pytest.mark.parametrize("size", [(60, 20), (120, 40), *further((200, 50))])
async def test_the_tools_have_their_place_with_the_first_layout(size: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    places: list[Region] = []
    lay_out = ExplorerScreen._refresh_layout

    def laid_out(screen: ExplorerScreen, *how: Any, **more: Any) -> None:
        lay_out(screen, *how, **more)
        places.append(screen.query_one("#tools").region)

    monkeypatch.setattr(ExplorerScreen, "_refresh_layout", laid_out)
    async with desk(size) as one:
        here = one.screen.query_one("#tools").region
        assert here.width > 0
        assert {place for place in places if place.width} == {here}
