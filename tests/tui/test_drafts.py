"""Drafts on screen: what is kept, and how drafts are offered, restored and discarded."""

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path

import pytest

from registry.journal.drafts import Drafts
from tests.sampled import further
from tests.tui.app import Desk, desk
from tui.explorer.home import Home

TYPED = {"first_name": "Grace", "last_name": "Hopper"}


def leave(folder: Path, **drafts: Mapping[str, object]) -> None:
    """Leave drafts, like an earlier run."""
    former = Drafts(folder / "drafts")
    for tool, values in drafts.items():
        former.note(tool, values)
    former.close()


def kept(folder: Path) -> dict[str, object]:
    """What is kept, by tool."""
    file = folder / "drafts" / "drafts.db"
    if not file.exists():
        return {}
    with closing(sqlite3.connect(file)) as database, suppress(sqlite3.OperationalError):  # it is being made
        return {tool: json.loads(form) for tool, form in database.execute("SELECT tool, form FROM drafts")}
    return {}


def painted(one: Desk) -> list[str]:
    rows = one.screen.query_one(Home)
    return [rows.render_line(y).text for y in range(rows.size.height)]


async def test_only_what_was_typed_and_not_run_is_kept(tmp_path: Path) -> None:
    async with desk(remembered=tmp_path) as one:
        one.app.open_tool("GetTeam", {"team_id": "filled-by-the-program"})
        await one.until(lambda: one.screen.form.tool is not None and one.screen.result.result is not None)
        await one.open("SearchUsers")
        await one.open("UpdateCrmUserInfo")
        await one.type("7")
        await one.until(lambda: kept(tmp_path) == {"UpdateCrmUserInfo": {"user_identifier": "7"}})
        await one.open("RetrieveInvoiceById")
        await one.type("in_x")
        await one.until(lambda: "RetrieveInvoiceById" in kept(tmp_path))
        await one.run()
        await one.until(lambda: "RetrieveInvoiceById" not in kept(tmp_path))
        await one.press("alt+left", "alt+right")
    assert kept(tmp_path) == {"UpdateCrmUserInfo": {"user_identifier": "7"}}


@pytest.mark.parametrize("size", [(80, 24), *further((120, 40))])
async def test_home_lists_drafts_until_they_are_run_or_cleared(tmp_path: Path, size: tuple[int, int]) -> None:
    leave(tmp_path, GetTeam={"team_id": "PX"}, UpdateCrmUserInfo=TYPED, NoSuchTool={"a": "b"})
    async with desk(size, remembered=tmp_path, start_page=True) as one:
        shown = painted(one)
        assert [line.count("first_name Grace") + line.count("PX") for line in shown if "Draft: " in line] == [1, 1]
        while not any("›Go on" in line for line in painted(one)):
            await one.press("down")
        await one.press("enter")
        await one.until(lambda: one.tool == "UpdateCrmUserInfo")
        await one.pilot.pause()
        assert one.screen.form.raw == TYPED
        await one.press("shift+f1")
        await one.until(lambda: not any("first_name Grace" in line for line in painted(one)))
        while not any("›Go on" in line and "PX" in line for line in painted(one)):
            await one.press("up")
        await one.press("enter")
        await one.until(lambda: one.tool == "GetTeam")
        await one.pilot.pause()
        await one.run()
        await one.until(lambda: "GetTeam" not in kept(tmp_path))
        await one.open("UpdateCrmUserInfo")
        await one.press("ctrl+l")
        await one.until(lambda: set(kept(tmp_path)) <= {"NoSuchTool"})
