"""What holds for all tests."""

from __future__ import annotations

import faulthandler
import gc
import os
import signal
from collections.abc import Generator, Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import HealthCheck, settings

from tests import byte_code, unwatched
from tests.postgres import postgres
from tui.terminal.crash_guard import CrashGuard

__all__ = ["postgres"]

# How fast a busy machine makes examples, and runs one, says nothing about the program: speed lives in the bench.
settings.register_profile("callboard", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("long", settings.get_profile("callboard"), max_examples=1_000)  # chosen by `make test-long`
settings.load_profile("callboard")


_LONGEST, _LONGEST_LONG = 600, 7_200
"""Seconds after which a test that stands still ends its process, with what each thread was at."""


def pytest_sessionstart(session: pytest.Session) -> None:
    """Before tests are collected, in every worker."""
    byte_code.make_share(session.config)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """No test holds up all others for good."""
    longest = _LONGEST_LONG if item.get_closest_marker("long") else _LONGEST
    faulthandler.dump_traceback_later(longest, exit=True, file=2)
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


@pytest.fixture(scope="session", autouse=True)
def collectable() -> Iterator[None]:
    """Exempts the modules from garbage collection, and nothing else.

    The program freezes what it has made once its first frame is shown. Here hundreds of programs run in one process: each
    would keep the garbage of those before it for good, and the process would grow to gigabytes.
    """
    gc.collect()
    gc.freeze()
    threshold = gc.get_threshold()
    gc.set_threshold(200_000, 5, 4)  # as many new objects before all are looked through as with 10,000, 20 and 20
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gc, "freeze", lambda: None)
        yield
    gc.set_threshold(*threshold)
    gc.unfreeze()


@pytest.fixture(scope="session", autouse=True)
def interruptible() -> None:
    """What runs in the background of a script ignores some signals, and so would the programs that tests start: heed them."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(scope="session", autouse=True)
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What the program keeps between its runs is kept apart from what its user keeps, here and in programs that tests start."""
    folder: Path = tmp_path_factory.mktemp("home")
    kept = dict(os.environ)
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_DOWNLOAD_DIR"):
        os.environ[name] = str(folder / name.lower())
    for name in ("CALLBOARD_TOOLKITS", "CALLBOARD_SHARED", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"):
        os.environ.pop(name, None)
    yield
    os.environ.clear()
    os.environ.update(kept)


@pytest.fixture(scope="session", autouse=True)
def quick_pilots() -> Iterator[None]:
    """Keys pressed in tests would cost more time than everything else that they do."""
    with pytest.MonkeyPatch.context() as patch:
        unwatched.install(patch)
        yield


@pytest.fixture(autouse=True)
def memory(homes: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the program remembers in one test, no other test finds."""
    monkeypatch.setenv("XDG_STATE_HOME", mkdtemp(dir=Path(os.environ["XDG_CACHE_HOME"]).parent))


@pytest.fixture(autouse=True)
def clipboard(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test touches the clipboard of whoever runs it."""
    monkeypatch.setenv("CALLBOARD_CLIPBOARD", "osc52")


@pytest.fixture(scope="session", autouse=True)
def pieces_that_failed() -> Iterator[list[BaseException]]:
    """What no screen would end with: a piece of work that failed, for which the program only shows a notice."""
    failed: list[BaseException] = []
    tell = CrashGuard.unforeseen

    def unforeseen(self: CrashGuard, error: BaseException, where: str) -> None:
        failed.append(error)
        tell(self, error, where)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CrashGuard, "unforeseen", unforeseen)
        yield failed


@pytest.fixture(autouse=True)
def nothing_unforeseen(request: pytest.FixtureRequest, pieces_that_failed: list[BaseException]) -> Iterator[None]:
    """A test in which a piece of work fails fails with it, unless it is about that (the marker ``crashes``)."""
    pieces_that_failed.clear()
    yield
    if pieces_that_failed and request.node.get_closest_marker("crashes") is None:
        raise pieces_that_failed[0]
