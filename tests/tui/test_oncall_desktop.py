"""Notifications by the desktop if there is one; and the dashboard's first second."""

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.cases import cases_beside
from tests.tui.test_oncall import board
from tui.state.json_store import JsonStore
from tui.terminal import external_programs
from tui.terminal.external_programs import has_desktop, shown_by_desktop

CASES = cases_beside(__file__)


@pytest.mark.parametrize(("environment", "platform", "there"), CASES["whose desktop it is"])
def test_whose_desktop_it_is(environment: dict[str, str], platform: str, there: bool) -> None:
    assert has_desktop(environment, platform) is there


def library(sent: list[str], works: bool | Exception) -> SimpleNamespace:
    """A stand-in for desktop-notifier. It reports through `on_dispatched` that it has shown something."""

    class DesktopNotifier:
        def __init__(self, app_name: str, app_icon: object) -> None:
            assert app_name == "Callboard"

        async def send(self, title: str, message: str, on_dispatched: Callable[[], Any]) -> None:
            sent.append(f"{title}|{message}")
            if isinstance(works, Exception):
                raise works
            if works:
                on_dispatched()

    return SimpleNamespace(DesktopNotifier=DesktopNotifier)


@pytest.mark.parametrize("works", [True, False, ConnectionRefusedError("no bus")])
async def test_only_what_was_shown_counts(works: bool | Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []
    monkeypatch.setitem(sys.modules, "desktop_notifier", library(sent, works))
    monkeypatch.setattr(external_programs, "_PATIENCE", 0.05)
    assert await shown_by_desktop("New: <b>api</b>\x1b[31m") is (works is True)
    assert sent == ["Callboard: New: <b>api</b>\\u001b[31m|"]


async def test_no_key_reads_before_there_is_something_to_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Found by random keys: a manual refresh while the file with the saved state is still being read."""
    go_on, load = threading.Event(), JsonStore.load

    def slow(store: JsonStore[Any]) -> None:
        if type(store) is JsonStore:  # the dashboard's own, beside those of the explorer
            go_on.wait(30)
        load(store)

    monkeypatch.setattr(JsonStore, "load", slow)
    async with board(state=tmp_path, start=False) as one:
        await one.desk.press("f11")
        await one.until(lambda: one.screen._wanted, "the file is being read")
        await one.desk.press("R")
        one.screen.tick()
        await one.desk.pilot.pause()
        go_on.set()
        await one.until(lambda: one.screen.watching.rows, "rows")
        assert one.desk.app._exception is None
