"""Where the program starts: a command goes to the command line, anything else opens the explorer.

Its imports are few and mostly inside functions: a command does not load the screens, nor the screens the commands. Until one
of them runs, nothing has begun that would have to be settled, and Ctrl+C ends the program at once.
"""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable
    from typing import Any

    from registry.engine import Sandbox


def main() -> int:
    """Run the program and return its exit code."""
    handled = signal.getsignal(signal.SIGINT)
    if handled is signal.default_int_handler:  # a background job of a script ignores it
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        atexit.register(signal.signal, signal.SIGINT, signal.SIG_DFL)  # while Python ends, without a traceback
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
        if not words:
            from tui.state.settings import wants_lines

            words = ["--screen-reader"] if wants_lines(os.environ) else []
        if words:
            from registry.doors.cli import main as command_line

            signal.signal(signal.SIGINT, handled)
            return command_line(words, {"explore": explore, "keys": keys, "config": config, "demo": demo})
        signal.signal(signal.SIGINT, handled)
        return explore()
    except Exception as error:
        _tell(put_down(error, "the start"))
        return EXIT_CODE


def _tell(words: str) -> None:
    sys.stderr.write(f"{words}\n")


def keys() -> int:
    """Print every key."""
    from tui.help.screen import print_cheat_sheet

    return print_cheat_sheet()


def config(action: str) -> Any:
    """The settings that count, as rows; the mistakes in their file; or its schema."""
    from tui.state import settings

    if action == "schema":
        return settings.schema()
    return settings.found_problems() if action == "check" else list(settings.counting())


def explore(sandbox: Sandbox | None = None, **how: Any) -> int:
    """Open the screens, as `tui.app.run` says."""
    if not _has_terminal():
        return 2
    # Objects made at the start stay; a garbage collection of them would only take time.
    gc.disable()
    from tui.app import run

    return run(sandbox, **how)


def demo(options: Namespace, values: dict[str, str], sandbox_of: Callable[[str, str], Sandbox]) -> int:
    """Play, list, record or export walks, and return the exit code.

    Args:
        options: those of ``callboard demo``.
        values: replaces values of the walk, by name.
        sandbox_of: makes a sandbox by scenario and world.
    """
    from pathlib import Path

    from registry.doors.output import ExitCode, complain, remark, say
    from registry.files.folders import is_local
    from tui.walks import program
    from tui.walks.walk import WalkError, WalkStopped, named

    try:
        if options.listed:
            say(program.list_walks())
            return 0
        if options.export is not None:
            say(program.export(options.walk, values, Path(options.export), options.size, sandbox_of))
            return 0
        chosen = named(options.walk).with_values(values) if options.walk is not None else None
        if not _has_terminal():
            return 2
        if options.record is not None:
            return program.record(Path(options.record), options.scenario or "", options.world, sandbox_of, remark)
        return program.play(chosen, options.speed, sandbox_of, complain)
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
