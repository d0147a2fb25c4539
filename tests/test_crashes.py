"""Errors that nobody foresaw: what is on screen, in the report, and what is in neither of them."""

import asyncio
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from registry import __version__
from registry.doors import cli
from registry.files import crash_report
from registry.files.crash_report import EXIT_CODE, MOST_REPORTS, masked, put_down, report
from tests.terminal import ROOT, Terminal
from tests.tui.app import desk
from tui.help.screen import HelpScreen

MARK = "hunter2MARKED"


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "callboard" / "crashes"


def reports_in(folder: Path) -> list[str]:
    """What was put down."""
    return [file.read_text() for file in folder.glob("*")]


def broken(password: str) -> None:
    """Fails with a value in its hands, which is in the message, in a variable and in the source."""
    kept = {"password": password}
    try:
        raise KeyError(kept["password"])
    except KeyError as error:
        raise ValueError(f"the password {password} of Ada is not 'ada@fernway.example', {kept}") from error


def error() -> ValueError:
    with pytest.raises(ValueError, match="password") as caught:
        broken(MARK)
    return caught.value


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("list index out of range", "list index out of range"),
        ("invalid literal for int() with base 10: 'sk_live_1'", "invalid literal for int() with base …"),
        ("cannot reach https://a.example/x?key=1 now", "cannot reach … now"),
        ("Invoice of Ada Lovelace is missing", "Invoice of … is missing"),
        ("x" * 30, "…"),
        ("", ""),
    ],
)
def test_messages_are_masked(message: str, shown: str) -> None:
    assert masked(message) == shown


def test_a_report_tells_where_and_holds_no_value() -> None:
    text = report(error(), "a test", ["run", "table"], {"size": "80×24"})
    versions = (f"callboard  {__version__}", f"python     {sys.version.split()[0]}", "textual    8.", "platform ", "terminal ")
    for part in (
        "ValueError",
        "caused by builtins.KeyError",
        "test_crashes.py:",
        "in broken",
        "run, table",
        "80×24",
        *versions,
    ):
        assert part in text
    for part in (MARK, "ada@", "kept[", str(Path.home())):
        assert part not in text


def test_reports_are_their_owners_alone_and_not_many(own_state: Path) -> None:
    for _ in range(MOST_REPORTS + 3):
        words = put_down(error(), "a test")
    files = [*own_state.iterdir()]
    assert len(files) == MOST_REPORTS
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
    first, second = words.split("\n")
    assert first == "callboard: unexpected error: ValueError"
    assert Path(second.removeprefix("Crash report (contains none of your data): ")) in files


def test_threads(monkeypatch: pytest.MonkeyPatch, own_state: Path) -> None:
    told: list[str] = []
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    crash_report.catch_in_threads(told.append, lambda: ["run"])
    thread = threading.Thread(target=broken, args=(MARK,), name="journal")
    thread.start()
    thread.join()
    assert len(told) == 1
    (file,) = own_state.iterdir()
    assert "where      thread journal" in file.read_text()


def test_the_command_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], own_state: Path) -> None:
    def fails(*_: object, **__: object) -> int:
        raise error()

    monkeypatch.setattr("registry.doors.cli_call.run", fails)
    assert cli.main(["call", "Whoami", "--zone", MARK]) == EXIT_CODE
    said = capsys.readouterr().err
    assert "Traceback" not in said
    assert MARK not in said
    assert len(said.splitlines()) == 2
    (file,) = own_state.iterdir()
    assert "where      callboard call" in file.read_text()
    assert MARK not in file.read_text()


def test_a_start_that_fails(tmp_path: Path, own_state: Path) -> None:
    code = f"import sys; sys.modules['registry.doors.cli'] = None; sys.argv = ['x', {MARK!r}]\n"
    code += "import tui.entry; sys.exit(tui.entry.main())"
    command = [sys.executable, "-c", code]
    outcome = subprocess.run(command, cwd=ROOT, env=dict(os.environ), capture_output=True, text=True, timeout=60)
    assert outcome.returncode == EXIT_CODE
    assert "Traceback" not in outcome.stderr
    assert "ModuleNotFoundError" in outcome.stderr
    assert len([*own_state.iterdir()]) == 1


PROGRAM = f"""
import sys
from tui.app import CallboardApp
def fails(self):
    password = {MARK!r}
    raise ValueError(password)
CallboardApp.action_help = fails
sys.argv = ["callboard"]
from tui.entry import main
sys.exit(main())
"""


def test_in_a_real_terminal(tmp_path: Path, own_state: Path) -> None:
    command = (sys.executable, "-c", PROGRAM)
    with Terminal(command, columns=80, lines=24, environment={"XDG_STATE_HOME": str(tmp_path)}) as terminal:
        terminal.wait_for("Ask, or paste")
        terminal.press("f3", "f1")
        written = terminal.wait_for_end().decode("utf-8", "replace")
    assert "unexpected error: ValueError" in written
    assert "Crash report (contains none of your data):" in written
    assert "Traceback" not in written
    assert MARK not in written
    (file,) = own_state.iterdir()
    text = file.read_text()
    assert "commands   form, help" in text
    assert "screens    ExplorerScreen" in text
    assert MARK not in text


@pytest.mark.crashes
async def test_work_that_fails_is_told_and_the_program_goes_on(own_state: Path) -> None:
    async with desk() as one:

        async def fails() -> None:
            broken(MARK)

        for _ in range(2):
            one.app.run_worker(fails(), name="looking", group="test", exit_on_error=False)
            one.screen.form.run_worker(fails(), name="looking", group="test", exit_on_error=False)
        await one.until(lambda: one.app._notifications)
        await one.until(lambda: not [worker for worker in one.app.workers if worker.group == "test"])
        (note,) = one.app._notifications
        assert "ValueError" in note.message
        assert MARK not in note.message
        (report,) = reports_in(own_state)
        assert "the work “looking”" in report
        await one.open("Whoami")
        await one.run()


async def test_work_for_a_place_that_has_gone_is_not_told(own_state: Path) -> None:
    async with desk() as one:
        gone = asyncio.Event()
        dialog = HelpScreen("tools")

        async def fails_late() -> None:
            try:
                await gone.wait()
            except asyncio.CancelledError:
                broken(MARK)

        await one.app.push_screen(dialog)
        worker = dialog.run_worker(fails_late(), exit_on_error=False)
        await one.pilot.pause()
        await one.press("escape")
        await one.until(lambda: worker.is_finished and worker not in one.app.workers)
        assert worker.error is not None
        assert not one.app._notifications
    assert reports_in(own_state) == []
