"""Where the program starts: a command goes to the command line, anything else opens the explorer.

It has few imports, so that a command does not load the screens, and the screens do not load the commands; and so that Ctrl+C is
handled early: before that, Python prints a traceback. `typing` alone would take longer to import than all of this.
"""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from registry.engine import Sandbox
    from registry.oncall.alarms import AlarmCommand
    from registry.oncall.recording import Replay
    from registry.pages.subjects import PageRequest

_INTERRUPTED, _INTERRUPTED_CODE = "callboard: interrupted\n", 130
"""What Ctrl+C leaves; `registry.doors.output.ExitCode` has the same code, and would have to be imported first."""


def main() -> int:
    """Run the program and return its exit code."""
    try:
        with _Loading() as loading:
            return _run(loading)
    except KeyboardInterrupt:  # while modules are imported, before anything handles it
        sys.stderr.write(_INTERRUPTED)
        return _INTERRUPTED_CODE


class _Loading:
    """While the first modules load, Ctrl+C ends the program at once: an exception could be lost there.

    Nothing has begun that would have to be settled. While Python ends, Ctrl+C ends it without a traceback as well.
    """

    def __enter__(self) -> _Loading:
        import atexit
        import signal

        self._signal = signal
        self._before = signal.getsignal(signal.SIGINT)
        if self._before is signal.default_int_handler:
            signal.signal(signal.SIGINT, _leave)
            atexit.register(signal.signal, signal.SIGINT, signal.SIG_DFL)
        return self

    def ended(self) -> None:
        """From now on Ctrl+C raises an exception again."""
        if self._signal.getsignal(self._signal.SIGINT) is _leave:
            self._signal.signal(self._signal.SIGINT, self._before)

    def __exit__(self, *_: object) -> None:
        self.ended()


def _leave(*_: object) -> None:
    os.write(2, _INTERRUPTED.encode())
    os._exit(_INTERRUPTED_CODE)


def _run(loading: _Loading) -> int:
    # httpx imports its own command line with its dependencies, more than half of its import time; it works without.
    sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]  # Python's own way to say: not importable
    from registry.files.crash_report import EXIT_CODE, catch_in_threads, put_down
    from registry.files.folders import without_relative
    from registry.files.streams import prepare

    prepare()
    for notice in without_relative():
        _tell(f"callboard: {notice}")
    catch_in_threads(_tell)
    words = sys.argv[1:]
    try:
        if words:
            from registry.doors.cli import Screens
            from registry.doors.cli import main as command_line

            loading.ended()
            return command_line(words, Screens(explore, keys, demo))
        from tui.state.line_mode import wants_lines

        if wants_lines(os.environ):
            from registry.doors.cli import Screens
            from registry.doors.cli import main as command_line

            loading.ended()
            return command_line(["--screen-reader"], Screens(keys=keys))
        loading.ended()
        return explore()
    except Exception as error:
        _tell(put_down(error, "the start"))
        return EXIT_CODE


def _tell(words: str) -> None:
    sys.stderr.write(f"{words}\n")


def keys() -> int:
    """Print every key."""
    from tui.help.cheat_sheet import print_cheat_sheet

    return print_cheat_sheet()


def explore(
    sandbox: Sandbox | None = None,
    *,
    read_only: bool = False,
    oncall: str | None = None,
    every: float = 15.0,
    replay: Replay | None = None,
    on_alarm: AlarmCommand | None = None,
    page: PageRequest | None = None,
    accounts: Sequence[str] = (),
    account: str = "",
) -> int:
    """Open the screens.

    Args:
        sandbox: makes the embedded sandbox; None for the usual one.
        read_only: refuse every change.
        oncall: start with the on-call dashboard, on the account of that name.
        every: seconds between two refreshes of the dashboard.
        replay: a recording that the dashboard shows in place of an account.
        on_alarm: run when the dashboard rings.
        page: start with the page of an object.
        accounts: the names of all accounts that the dashboard watches, if there are several.
        account: the name of the account to start with, for the toolkits that it serves.
    """
    if not _has_terminal():
        return 2
    # Objects made at the start stay; a garbage collection of them would only take time.
    gc.disable()
    from tui.app import run

    return run(
        sandbox,
        read_only=read_only,
        oncall=oncall,
        every=every,
        replay=replay,
        on_alarm=on_alarm,
        accounts=accounts,
        page=page,
        account=account,
    )


def demo(
    walk: str | None,
    *,
    listed: bool,
    values: Mapping[str, str],
    speed: float,
    record: str | None,
    export: str | None,
    size: tuple[int, int],
    scenario: str,
    world: str,
    sandbox_of: Callable[[str, str], Sandbox],
) -> int:
    """Play, list, record or export walks, and return the exit code.

    Args:
        walk: its name or file; None lets the user choose.
        listed: print a list of the walks instead.
        values: replaces values of the walk, by name.
        speed: the speed, as a multiple of a person's pace.
        record: the file to record the user's actions in.
        export: the file to write the walk to.
        size: columns and lines of its pictures.
        scenario: the sandbox's scenario while recording; empty for the usual one.
        world: the sandbox's world while recording.
        sandbox_of: makes a sandbox by scenario and world.
    """
    from pathlib import Path

    from registry.doors.output import ExitCode, complain, remark, say
    from registry.files.reasons import is_local
    from tui.walks import program
    from tui.walks.walk import WalkError, WalkStopped

    try:
        if listed:
            say(program.list_walks())
            return 0
        if export is not None and walk is not None:
            say(program.export(walk, values, Path(export), size, sandbox_of))
            return 0
        chosen = program.chosen(walk, values)
        if not _has_terminal():
            return 2
        if record is not None:
            return program.record(Path(record), scenario, world, sandbox_of, remark)
        return program.play(chosen, speed, sandbox_of, complain)
    except WalkStopped as error:
        complain(str(error), title="The walk stopped", code=program.FAILED)
        return program.FAILED
    except WalkError as error:
        code = ExitCode.LOCAL if is_local(error) else ExitCode.USAGE
        complain(str(error), see="callboard demo --help", code=code)
        return code


def _has_terminal() -> bool:
    """Whether there is a terminal to draw on; prints an error if not."""
    if all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        return True
    # The screens are drawn on standard error: if that is a file, they would be written to it.
    from registry.doors.output import ExitCode, complain

    needs = "the explorer needs a terminal for standard input, output and error."
    complain(needs, way_out="See callboard --help for commands that do not.", code=ExitCode.USAGE)
    return False
