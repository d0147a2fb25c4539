"""What holds for all tests."""

from __future__ import annotations

import signal

import pytest


@pytest.fixture(scope="session", autouse=True)
def interruptible() -> None:
    """What runs in the background of a script ignores interrupts, and so would the programs that tests start: heed them."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def clipboard(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test touches the clipboard of whoever runs it."""
    monkeypatch.setenv("CALLBOARD_CLIPBOARD", "osc52")
