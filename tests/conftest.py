"""What holds for all tests."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import textual._wait
from hypothesis import HealthCheck, settings

# How fast a busy machine makes examples, and runs one, says nothing about the program: speed lives in the bench.
settings.register_profile("callboard", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("callboard")


@pytest.fixture(scope="session", autouse=True)
def interruptible() -> None:
    """What runs in the background of a script ignores interrupts, and so would the programs that tests start: heed them."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What the program keeps between its runs is kept apart from what its user keeps, here and in programs that tests start."""
    folder: Path = tmp_path_factory.mktemp("home")
    kept = dict(os.environ)
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
        os.environ[name] = str(folder / name.lower())
    os.environ.pop("CALLBOARD_TOOLKITS", None)
    yield
    os.environ.clear()
    os.environ.update(kept)


@pytest.fixture(scope="session", autouse=True)
def brief_looks() -> None:
    """Textual's pilot looks every 20 ms, twice for each key, whether the program still works: every 8 ms is enough.

    Keys pressed in tests would cost more time than everything else that they do.
    """
    assert textual._wait.SLEEP_GRANULARITY / textual._wait.SLEEP_IDLE == 20
    textual._wait.SLEEP_GRANULARITY = 1 / 125
    textual._wait.SLEEP_IDLE = 1 / 125 / 20


@pytest.fixture(autouse=True)
def clipboard(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test touches the clipboard of whoever runs it."""
    monkeypatch.setenv("CALLBOARD_CLIPBOARD", "osc52")
