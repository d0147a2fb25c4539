"""Fetching a whole list in the explorer: the limit, the progress, stopping, continuing, and the windows of the result."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from textual.widgets import Static

from tests.calling.network import ScriptedNetwork
from tests.hostile import STRINGS
from tests.opened import opened
from tests.tui.app import Desk, desk, status
from tui.dialogs.export import ExportDialog
from tui.dialogs.questions import Prompt
from tui.explorer.export_actions import offers_of
from tui.explorer.running_call import ResultWindow
from tui.keyboard.key_bar import KeyBar


class Service:
    """An incident service with `count` users. `gate` delays all pages after the first."""

    def __init__(self, count: int, *, total: bool = False) -> None:
        self.count, self.total = count, total
        self.asked = 0
        self.gate = asyncio.Event()
        self.gate.set()
        self.broken = False
        self.listed = "users"

    async def __call__(self, request: httpx.Request) -> Any:
        self.asked += 1
        offset, limit = int(request.url.params.get("offset", "0")), int(request.url.params["limit"])
        if offset:
            await self.gate.wait()
            if self.broken:
                return httpx.ReadError("reset by peer")
        there = range(offset, min(offset + limit, self.count))
        users = [{"id": f"P{number}", "name": STRINGS[number % len(STRINGS)][:200]} for number in there]
        page = {self.listed: users, "offset": offset, "limit": limit, "more": offset + limit < self.count}
        return httpx.Response(200, content=json.dumps(page | {"total": self.count if self.total else None}))


@asynccontextmanager
async def explorer(service: Any, tmp_path: Any, size: tuple[int, int] = (120, 40)) -> AsyncIterator[Desk]:
    async with desk(size, {"INCIDENTS_API_TOKEN": "t"}) as one:
        session = one.screen.session
        network = ScriptedNetwork(service)
        session._engine = opened(network, folder=tmp_path, environment={"INCIDENTS_API_TOKEN": "t"})
        session.chosen["Incidents"] = "incidents"
        await one.open("ListUsers")
        one.screen.action_pane("result")
        await one.pilot.pause()
        yield one


def page(one: Desk) -> str:
    return str(one.screen.result.query_one("#page", Static).render())


def window(one: Desk) -> ResultWindow:
    found = one.screen.result.window
    assert found is not None
    return found


def ids(one: Desk) -> list[str]:
    return [item["id"] for item in json.loads(window(one).body)]


async def ask(one: Desk, cap: str | None = None) -> None:
    """Press the key, and accept the proposed limit or type another one."""
    await one.press("a")
    await one.until(lambda: isinstance(one.app.screen, Prompt), "the dialog")
    await one.pilot.pause()
    if cap is not None:
        await one.press("ctrl+u", *cap)
    await one.press("enter")


async def landed(one: Desk) -> None:
    await one.until(lambda: one.screen.result.window is not None and not one.screen.result.has_class("-running"), "the set")
    await one.pilot.pause()


async def test_everything_in_windows_and_in_one_table(tmp_path: Any) -> None:
    async with explorer(Service(2_345), tmp_path) as one:
        await ask(one)
        await landed(one)
        assert status(one).startswith("47 pages · ")
        assert "✓ all 2,345" in status(one)
        assert page(one) == "1–1,000 of 2,345 · ] next"
        seen = ids(one)
        await one.press("right_square_bracket")
        await one.until(lambda: window(one).starts[-1] == 1_000)
        assert page(one) == "1,001–2,000 of 2,345 · [ previous · ] next"
        seen += ids(one)
        await one.press("right_square_bracket")
        await one.until(lambda: window(one).starts[-1] == 2_000)
        assert page(one) == "2,001–2,345 of 2,345 · [ previous"
        assert seen + ids(one) == [f"P{number}" for number in range(2_345)]
        await one.press("right_square_bracket")
        assert "Last fetched item" in str(one.screen.query_one(KeyBar).render())
        await one.press("left_square_bracket", "left_square_bracket")
        await one.until(lambda: window(one).starts == (0,))
        assert one.screen.session.results.of("ListUsers")[0] is window(one)
        await one.press("t")
        await one.until(lambda: one.screen.result.views.shows_table)
        assert one.screen.result.table.line_count == 2_345
        one.screen.result.table.go_to(1_500, ("id",))
        assert window(one).start == 0
        await one.press("t")
        await one.until(lambda: not one.screen.result.views.shows_table)
        assert window(one).start == 1_000, "the JSON is that of the window in which the cursor was"
        assert page(one) == "1,001–2,000 of 2,345 · [ previous · ] next"
        view = one.screen.result.view
        assert view.document is not None
        assert view.row is not None
        assert view.document.rows.row(view.row).value == '"P1500"'
        await one.press("right_square_bracket")
        await one.until(lambda: window(one).start == 2_000)
        await one.press("t")
        await one.until(lambda: one.screen.result.views.shows_table)
        assert one.screen.result.table.place == 2_000
        offers = offers_of(window(one))
        assert [offer.title for offer in offers] == ["all 2,345 fetched items", "items 2,001–2,345 as JSON"]
        assert len(offers[0].source) == 2_345


async def test_a_cap_is_remembered_told_and_moved(tmp_path: Any) -> None:
    service = Service(700, total=True)
    async with explorer(service, tmp_path) as one:
        await ask(one, "1,20")
        await landed(one)
        assert "◐ 120 of 700" in status(one)
        assert page(one) == "1–120 of 120, more available · a resume"
        assert one.screen.session.cap == 120
        await ask(one)
        await one.until(lambda: window(one).list_fetch.count == 240)
        await landed(one)
        assert "◐ 240 of 700" in status(one)
        await ask(one, "")
        await one.until(lambda: window(one).list_fetch.count == 700)
        await landed(one)
        assert ids(one) == [f"P{number}" for number in range(700)]
        assert "✓ all 700" in status(one)


async def test_progress_and_stopping_and_going_on(tmp_path: Any) -> None:
    service = Service(400, total=True)
    service.gate.clear()
    async with explorer(service, tmp_path) as one:
        await ask(one)
        await one.until(lambda: "50" in status(one))
        assert "━━" in status(one)
        assert "50 of 400" in status(one)
        assert "Esc stops" in status(one)
        await one.press("a")
        assert "Already running" in str(one.screen.query_one(KeyBar).render())
        await one.press("escape")
        await landed(one)
        assert "◐ 50 of 400" in status(one)
        service.gate.set()
        await one.press("a")
        await one.until(lambda: window(one).list_fetch.complete)
        await landed(one)
        assert ids(one) == [f"P{number}" for number in range(400)]


class Repeating(Service):
    """A service whose second page begins with the last item of the first."""

    async def __call__(self, request: httpx.Request) -> Any:
        answer = await super().__call__(request)
        return httpx.Response(200, content=answer.content.replace(b'"P50"', b'"P49"'))


async def test_removed_duplicates_are_named_in_the_result_and_in_a_saved_file(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DOWNLOAD_DIR", str(tmp_path))
    async with explorer(Repeating(60), tmp_path) as one:
        await one.run()
        one.screen.action_pane("result")
        await one.press("x")
        await one.until(lambda: isinstance(one.app.screen, ExportDialog))
        await one.pilot.pause()
        await one.press("enter")
        await one.until(lambda: one.app.screen is one.screen)
        wanted = " ✓ Saved 59 items, 1 duplicate removed · "
        await one.until(lambda: str(one.screen.query_one(KeyBar).render()).startswith(wanted), "the words for what was saved")
        await ask(one)
        await landed(one)
        card = str(one.screen.result.query_one("#card", Static).render())
        assert card == "The service returned the same id more than once: 1 duplicate removed."
        assert offers_of(window(one))[0].kept == "1 duplicate removed"


async def test_the_list_on_screen_is_fetched_and_not_what_was_typed_since(tmp_path: Any) -> None:
    service = Service(130)
    service.listed = "incidents"
    async with explorer(service, tmp_path) as one:
        await one.open("ListIncidents")
        await one.run()
        one.screen.form.fill({"urgency": "low"})
        one.screen.action_pane("result")
        await one.pilot.pause()
        await ask(one)
        await landed(one)
        assert "urgency" not in window(one).fetch.raw
        assert one.screen.form.raw["urgency"] == "low", "what was typed stays"
