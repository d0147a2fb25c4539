"""Watching a page: versions, differences in words and marked, stepping, and the end of the watch."""

from __future__ import annotations

import asyncio

import pytest

from registry.engine import Consent
from registry.pages.subjects import PageRequest
from tests.tui.app import Desk, desk
from tests.tui.test_object_pages import Pages
from tui.dialogs.watch import WatchDialog
from tui.pages.lines import fitted
from tui.pages.watching import PageWatch
from tui.widgets import watch_strip


def line(one: Desk) -> list[str]:
    return str(one.app.screen.query_one(PageWatch).render()).split("\n")


def marked(pages: Pages) -> list[str]:
    texts = ["".join(text for text, _ in fitted(one, 100)) for one in pages.list._lines]
    return [text for text in texts if text.rstrip().endswith(("~ changed", "+ new"))]


async def test_versions_of_a_page_are_told_marked_and_stepped_through(monkeypatch: pytest.MonkeyPatch) -> None:
    go = asyncio.Event()
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        await go.wait()
        go.clear()

    monkeypatch.setattr(watch_strip, "sleep", sleep)
    async with desk((120, 40)) as one:
        pages = Pages(one)
        one.app.open_page(PageRequest("41759806", "crm_user"))
        await pages.until_loaded()
        await one.press("less_than_sign")
        await one.press("R")
        await one.until(lambda: isinstance(one.app.screen, WatchDialog), "the dialog")
        await one.pilot.pause()
        await one.press("enter")
        await one.until(lambda: one.app.screen.query(PageWatch) and "version 1" in line(one)[0], "the first version")
        await one.until(lambda: waits, "the wait")
        assert marked(pages) == []

        renamed = {"user_identifier": "41759806", "user_role_id": "173685"}
        result = await one.app.session.engine.run("UpdateCrmUserInfo", renamed, consent=Consent.CONFIRMED)
        assert result.ok, result.failure
        go.set()
        await one.until(lambda: "version 2" in line(one)[0], "the second version")
        await one.pilot.pause()
        assert line(one)[1:] == ["~ changed Reports only → Billing"], "one role took the other's place"
        assert marked(pages), "what differs is marked where it stands"
        headline = pages.page

        await one.press("less_than_sign")
        assert "version 1 of 2" in line(one)[0]
        assert marked(pages) == []
        assert pages.page is not headline
        await one.press("less_than_sign")
        assert "version 1 of 2" in line(one)[0]
        await one.press("greater_than_sign")
        assert pages.page is headline

        await one.press("R")
        await one.until(lambda: not one.app.screen.query(PageWatch), "the end of the watch")
        assert marked(pages) == []
