"""Fixtures for the tests of the command line."""

import pytest


@pytest.fixture(autouse=True)
def soon_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Repeat a read almost at once in this process. Real waits are the subject of `tests/calling/test_sending.py`."""
    monkeypatch.setattr("registry.calling.failures._FIRST_WAIT", 0.01)
