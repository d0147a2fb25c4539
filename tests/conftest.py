"""Fixtures and settings for all tests."""

import faulthandler
import gc
import os
import signal
from collections.abc import Generator, Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import HealthCheck, settings

from registry.doors import output
from tests import unwatched, written_once
from tests.added_toolkits import added_toolkits
from tests.command_line import Run, runner
from tests.postgres import postgres
from tui.terminal.crash_guard import CrashGuard

__all__ = ["postgres"]

# How fast a busy machine makes and runs examples says nothing about the program. The bench measures speed.
settings.register_profile("callboard", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=50)
settings.register_profile("long", settings.get_profile("callboard"), max_examples=1_000)  # chosen by `make test-long`
settings.load_profile("callboard")


_LONGEST, _LONGEST_LONG = 600, 7_200
"""Seconds after which a test that hangs ends its process. The stack of each thread is printed."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage while tests are collected: nearly all that is made then stays."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """End the process when a test hangs, so that it cannot block all others."""
    longest = _LONGEST_LONG if item.get_closest_marker("long") else _LONGEST
    faulthandler.dump_traceback_later(longest, exit=True, file=2)
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


@pytest.fixture(scope="session", autouse=True)
def collectable() -> Iterator[None]:
    """Exempts only the modules from garbage collection.

    The program freezes its objects once its first frame is shown. Here hundreds of programs run in one process. Each would
    keep the garbage of the earlier ones forever, and the process would grow to gigabytes.
    """
    gc.collect()
    gc.freeze()
    threshold = gc.get_threshold()
    gc.set_threshold(1_000_000, 5, 4)  # most of what a test makes is gone before it is looked at
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gc, "freeze", lambda: None)
        yield
    gc.set_threshold(*threshold)


@pytest.fixture(scope="session", autouse=True)
def interruptible() -> None:
    """Handle SIGINT and SIGHUP. Background jobs of a script ignore them, and so would the programs that tests start."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(scope="session", autouse=True)
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the program's files apart from those of the user, here and in programs that tests start."""
    folder: Path = tmp_path_factory.mktemp("home")
    kept = dict(os.environ)
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_DOWNLOAD_DIR"):
        os.environ[name] = str(folder / name.lower())
    Path(os.environ["XDG_DOWNLOAD_DIR"]).mkdir()
    for name in ("CALLBOARD_TOOLKITS", "CALLBOARD_SHARED", "CALLBOARD_AUDIT_FILE"):
        os.environ.pop(name, None)
    yield
    os.environ.clear()
    os.environ.update(kept)


@pytest.fixture(scope="session", autouse=True)
def quick_pilots() -> Iterator[None]:
    """Make key presses fast. Otherwise they would take more time than the rest of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        unwatched.install(patch)
        yield


@pytest.fixture(scope="session", autouse=True)
def quick_sandboxes() -> Iterator[None]:
    """Have sandboxes copy their world."""
    with pytest.MonkeyPatch.context() as patch:
        written_once.install(patch)
        yield


@pytest.fixture(autouse=True)
def memory(homes: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test its own folder for the program's state."""
    monkeypatch.setenv("XDG_STATE_HOME", mkdtemp(dir=Path(os.environ["XDG_CACHE_HOME"]).parent))


@pytest.fixture(autouse=True)
def clipboard(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep tests away from the clipboard of the person who runs them."""
    monkeypatch.setenv("SSH_CLIENT", "the terminal's clipboard is used")
    monkeypatch.setenv("TERM", "xterm-256color")


@pytest.fixture(autouse=True)
def errors_in_words() -> Iterator[None]:
    """Have errors printed in words again after a command that printed them as JSON; a program has one command only."""
    yield
    output.errors_as_json = False


@pytest.fixture(scope="session", autouse=True)
def pieces_that_failed() -> Iterator[list[BaseException]]:
    """Collects the errors for which the program only shows a notice and keeps running."""
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
    """Fail a test in which the program caught an unexpected error, unless the test has the marker ``crashes``."""
    pieces_that_failed.clear()
    yield
    if pieces_that_failed and request.node.get_closest_marker("crashes") is None:
        raise pieces_that_failed[0]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command in this process, without accounts from the environment."""
    for name in ("PAYMENTS_API_KEY", "INCIDENTS_API_TOKEN", "INCIDENTS_ACCESS_TOKEN", "CRM_ACCESS_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    return runner(capfd)


@pytest.fixture
def toolkits_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """In an empty folder, below which toolkits are added."""
    monkeypatch.chdir(tmp_path)
    with added_toolkits(monkeypatch, tmp_path):
        yield
