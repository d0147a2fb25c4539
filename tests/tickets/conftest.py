"""The issue tracker, served, with an account on it in the environment."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from registry.catalog.folders import forget
from tests.tickets.service import TOKEN, TOOLKIT, USER, Tracker, tracker
from tests.tickets.world import World


@pytest.fixture
def tickets(monkeypatch: pytest.MonkeyPatch) -> Iterator[Tracker]:
    with tracker() as one:
        monkeypatch.setenv("CALLBOARD_TOOLKITS", str(TOOLKIT))
        monkeypatch.setenv("TICKETS_BASE_URL", one.base)
        monkeypatch.setenv("TICKETS_USER", USER)
        monkeypatch.setenv("TICKETS_TOKEN", TOKEN)
        forget()
        yield one
    forget()


@pytest.fixture
async def world(tickets: Tracker, tmp_path: Path) -> AsyncIterator[World]:
    one = World(tmp_path)
    async with one.engine:
        yield one
