"""The issue tracker, served, with an account on it in the environment."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from registry.catalog.loader import forget
from registry.references.knowledge import _all
from tests.tickets.service import TOKEN, TOOLKIT, USER, Tracker, tracker


@pytest.fixture
def tickets(monkeypatch: pytest.MonkeyPatch) -> Iterator[Tracker]:
    with tracker() as one:
        monkeypatch.setenv("CALLBOARD_TOOLKITS", str(TOOLKIT))
        monkeypatch.setenv("TICKETS_BASE_URL", one.base)
        monkeypatch.setenv("TICKETS_USER", USER)
        monkeypatch.setenv("TICKETS_TOKEN", TOKEN)
        _read_anew()
        yield one
    _read_anew()


def _read_anew() -> None:
    forget()
    _all.forget()
