"""From the dashboard to pages and calls, and back to the same row."""

from functools import partial
from typing import cast

import pytest

from registry.calling.result import Failure, Result
from registry.pages.subjects import PageRequest
from tests.oncall.watch import MINUTE
from tests.sampled import further
from tests.tui.test_oncall import Board, board
from tests.tui.test_requests import rows
from tui.explorer.screen import ExplorerScreen
from tui.keyboard.key_bar import KeyBar
from tui.oncall.panels import FeedList, Heading, PolicyList, ServiceList
from tui.pages.screen import PageScreen
from tui.requests.screen import RequestsDialog, listed


def answered(explorer: ExplorerScreen, tool: str) -> bool:
    return explorer.result.result is not None and explorer.result.result.tool == tool


def on_page(one: Board, type_: str, id_: str = "") -> bool:
    """Whether the page of such an object is in front and shows the result of its own call."""
    screen = one.desk.app.screen
    if not isinstance(screen, PageScreen) or screen.page is None or screen.page.object is None:
        return False
    return screen.page.subject.type == type_ and screen.page.subject.id.startswith(id_)


@pytest.mark.parametrize("size", [(80, 24), *further((120, 40))])
async def test_enter_opens_the_page_of_the_incident_and_escape_leads_back_to_the_same_row(size: tuple[int, int]) -> None:
    async with board(size) as one:
        await one.desk.press("down", "down")
        row = one.here
        explorer, id_ = one.desk.screen, row.incident.id
        at = one.incidents.cursor, one.incidents.scroll_offset
        calls = one.screen.live.refresher.calls
        await one.desk.press("enter")
        await one.until(lambda: on_page(one, "incident", id_), "the page of the incident")
        assert f"#{row.incident.number} {row.incident.title}" in one.desk.app.screen.query_one("#page-headline").visual.plain  # type: ignore[attr-defined]
        await one.after(15)
        assert one.screen.live.refresher.calls > calls, "the watch goes on"
        await one.desk.press("escape")
        await one.until(lambda: one.desk.app.screen is one.screen, "the way back")
        assert one.here.incident.id == id_
        assert (one.incidents.cursor, one.incidents.scroll_offset) == at
        assert one.desk.app.focused is one.incidents
        # From the page to its call, back to the page, and back to the dashboard.
        await one.desk.press("enter")
        await one.until(lambda: on_page(one, "incident", id_), "the page again")
        await one.desk.press("t")
        await one.until(lambda: one.desk.app.screen is explorer and answered(explorer, "GetIncident"), "its call")
        explorer.result.views.focus()
        await one.until(lambda: one.desk.app.focused is explorer.result.view, "the answer")
        await one.desk.press("backspace")
        await one.until(lambda: on_page(one, "incident", id_), "the page before the call")
        # Another one, while a page lies behind the dashboard.
        await one.desk.press("f11", "down", "enter")
        await one.until(lambda: on_page(one, "incident") and not on_page(one, "incident", id_), "the next incident's page")
        await one.desk.press("backspace")
        await one.until(lambda: one.desk.app.screen is one.screen, "the way back")
        await one.desk.press("t")
        await one.until(lambda: one.desk.app.screen is explorer and answered(explorer, "ListIncidents"), "the list")
        result = explorer.result.result
        assert result is not None
        assert id_ in {found["id"] for found in result.json["incidents"]}
        await one.desk.press("escape")
        await one.until(lambda: one.desk.app.screen is one.screen, "the way back from a call")
        await one.desk.press("t")
        await one.until(lambda: one.desk.app.screen is explorer, "the list")
        explorer.query_one("#tree").focus()
        await one.desk.press("o", "C")
        assert one.desk.app.screen is explorer, "no letter leads to the dashboard"


async def test_a_page_opened_in_the_explorer_is_no_way_back_to_the_dashboard() -> None:
    async with board() as one:
        second, first = (row.incident.id for row in one.screen.watching.rows[:2])
        await one.desk.press("escape")
        await one.until(lambda: one.desk.app.screen is one.desk.screen)
        one.desk.app.open_page(PageRequest(first, "incident"))
        await one.until(lambda: on_page(one, "incident", first), "a page")
        await one.desk.press("f11", "enter")
        await one.until(lambda: on_page(one, "incident", second), "another, from the dashboard")
        await one.desk.press("escape", "escape")
        await one.until(lambda: one.desk.app.screen is one.desk.screen, "the explorer")
        one.desk.app.open_page(PageRequest(first, "incident"))
        await one.until(lambda: on_page(one, "incident", first), "a page")
        await one.desk.press("escape")
        assert one.desk.app.screen is one.desk.screen


async def test_every_panel_leads_to_its_call_and_to_a_page() -> None:
    async with board() as one:
        explorer = one.desk.screen
        for panel, call, type_ in (
            (PolicyList, "ListOncalls", "escalation_policy"),
            (FeedList, "ListLogEntries", "incident"),
            (ServiceList, "ListServices", "service"),
        ):
            one.screen.query_one(panel).focus()
            await one.desk.press("down", "t")
            await one.until(partial(answered, explorer, call), call)
            await one.desk.press("f11")
            await one.until(lambda: one.desk.app.screen is one.screen)
            one.screen.query_one(panel).focus()
            await one.desk.press("down", "enter")
            await one.until(partial(on_page, one, type_), type_)
            await one.desk.press("escape")
            await one.until(lambda: one.desk.app.screen is one.screen)
            assert isinstance(one.desk.app.focused, panel)


@pytest.mark.parametrize("size", [(80, 24), *further((200, 50))])
async def test_the_verdict_and_my_duty_lead_to_their_calls(size: tuple[int, int]) -> None:
    async with board(size) as one:
        explorer = one.desk.screen
        for back, tool in ((1, "ListOncalls"), (2, "ListIncidents"), (3, "ListIncidents")):
            one.incidents.focus()
            await one.desk.press(*["shift+tab"] * back)
            assert not any(heading.here for heading in one.screen.query(Heading))
            await one.desk.press("enter")
            await one.until(partial(answered, explorer, tool), tool)
            await one.desk.press("f11")
            await one.until(lambda: one.desk.app.screen is one.screen)
        await one.desk.press("tab", "tab", "tab")
        assert one.desk.app.focused is one.incidents
        await one.desk.pilot.click("#duty")
        assert one.desk.app.focused is one.screen.query_one("#duty")


@pytest.mark.parametrize("size", [(80, 24), *further((120, 40))])
async def test_the_page_of_an_open_incident_is_read_again_and_tells_what_the_dashboard_tells(size: tuple[int, int]) -> None:
    async with board(size) as one:
        row = one.here
        await one.desk.press("enter")
        await one.until(lambda: on_page(one, "incident", row.incident.id), "the page of the incident")
        page = one.desk.app.screen
        assert isinstance(page, PageScreen)
        await one.until(lambda: page.page is not None and page.page.loaded, "all of it")

        def said(name: str) -> str:
            return page.query_one(name).visual.plain  # type: ignore[attr-defined,no-any-return]

        page.tick()
        assert "next: 0:48 → L2 Dana Wu" in said("#page-facts")
        assert "as of 03:14:00 CET" in said("#page-state"), "the zone of the dashboard"
        assert page.board.zone_about("customer") is None, "other pages are in this computer's, as tables are"
        begun = page.page
        assert begun is not None
        one.clock.advance(10)
        page.tick()
        assert page.page is begun
        assert "0:38 → L2 Dana Wu" in said("#page-facts")
        one.clock.advance(11)
        page.tick()
        await one.until(lambda: page.page is not begun, "the page of now")
        assert "as of 03:14:21 CET" in said("#page-state")
        read = page.page
        assert read is not None
        tried: list[object] = []

        async def broken(*asked: object) -> Result:
            tried.append(asked)
            return Result("GetIncident", "", None, failure=Failure("connection", "Not reached", "No network.", "Try again."))

        page.session.engine.reading = lambda *_: broken  # type: ignore[method-assign]
        one.clock.advance(120)
        page.tick()
        await one.until(lambda: tried, "the attempt")
        await one.desk.pilot.pause()
        page.tick()
        assert page.page is read
        assert said("#page-state").strip().startswith("▲ 2 minutes old · as of 03:14:21 CET")


async def test_closed_means_closed() -> None:
    """After Escape the dashboard reads nothing, unless its alarm is on: then it says so. The requests say whose they were."""
    async with board() as one:
        desk, screen, explorer = one.desk, one.screen, one.desk.screen

        async def closed() -> int:
            await desk.press("escape")
            await one.until(lambda: desk.app.screen is explorer and not screen.live.refresher.under_way, "the explorer")
            one.clock.advance(MINUTE)
            screen.tick()
            return screen.live.refresher.calls

        calls = await closed()
        await desk.pilot.pause()
        assert (screen.live.refresher.calls, screen.live.refresher.under_way) == (calls, False)
        await desk.press("f11")
        await one.until(lambda: screen.live.facts.panel("incidents").at == one.clock.now(), "it reads")
        await desk.press("A")
        calls = await closed()
        await one.until(lambda: "reads on for its alarm; F11 opens it" in str(explorer.query_one(KeyBar).render()), "the words")
        await one.until(lambda: screen.live.refresher.calls > calls and not screen.live.refresher.under_way, "its alarm")
        await desk.press("f9")
        await one.until(lambda: isinstance(desk.app.screen, RequestsDialog), "the requests")
        lines = listed(desk.app.session.engine.traces.newest_first())
        assert {line.split("\t")[3] for line in lines.splitlines()} >= {"alarm", "dashboard"}
        await one.until(
            lambda: any(" alarm " in line for line in rows(cast(RequestsDialog, desk.app.screen))), "whose they were"
        )
