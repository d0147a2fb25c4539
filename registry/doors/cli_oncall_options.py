"""``callboard oncall``: the options for what happens outside of the terminal, and in the past."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from registry.doors.output import ExitCode, complain, fail, say

if TYPE_CHECKING:
    from collections.abc import Callable

    from registry.engine import Sandbox
    from registry.oncall.replay import Replay


def add_outside(oncall: argparse.ArgumentParser) -> None:
    """The options."""
    oncall.add_argument(
        "--connection",
        metavar="NAME",
        action="append",
        dest="connections",
        default=[],
        help="incidents (default where its token is set) or sandbox; may be repeated: the verdict is that of the worst",
    )
    oncall.add_argument(
        "--listen",
        metavar="PORT",
        help="serve the board read-only: / (HTML), /metrics (OpenMetrics), /shifts.ics (iCalendar), /board.json; on 127.0.0.1 "
        "unless an address is named (0.0.0.0:8310). The token is in CALLBOARD_ONCALL_TOKEN, or made and printed",
    )
    oncall.add_argument(
        "--allow-host", metavar="NAME", action="append", default=[], help="with --listen: a host name that may be asked for"
    )
    oncall.add_argument(
        "--on-alarm",
        metavar="CMD",
        help="run a program when the board rings, without a shell: CALLBOARD_ALARM, CALLBOARD_ALARM_KIND and others in its "
        "environment, JSON on its standard input",
    )
    oncall.add_argument("--replay", metavar="FILE", help="show a recording instead of an account; nothing is read")
    oncall.add_argument("--export", metavar="FILE", help="write what is recorded of the account to a file, for --replay")


def several(known: argparse.Namespace) -> list[str]:
    """The accounts that are watched together; empty where there is one."""
    from registry.doors.cli_oncall import oncall_connection

    names = list(dict.fromkeys(known.connections))
    return [oncall_connection(name) for name in names] if len(names) > 1 else []


def run_outside(known: argparse.Namespace, sandbox: Sandbox, explore: Callable[..., int] | None) -> int | None:
    """Do what these options ask for, and give the exit code; None when they ask for nothing."""
    known.connection = known.connections[0] if known.connections else None
    asked = [name for name in ("listen", "replay", "export") if getattr(known, name) is not None]
    if len(asked) > 1:
        fail(f"--{asked[0]} and --{asked[1]} do not go together")
    if asked and (known.watch or (known.json and not known.replay)):
        fail(f"--{asked[0]} goes with neither --json nor --watch")
    if known.allow_host and known.listen is None:
        fail("--allow-host goes with --listen")
    if known.on_alarm is not None and (known.json or known.watch or "replay" in asked or "export" in asked):
        fail("--on-alarm goes with the dashboard and with --listen")
    if known.listen is not None:
        from registry.doors.cli_oncall_listen import listen

        return listen(known, sandbox)
    if known.export is not None:
        return _export(known)
    if known.replay is not None:
        replay = _opened(known.replay)
        if explore is not None and not known.json and sys.stdin.isatty() and sys.stdout.isatty():
            return explore(sandbox, oncall="", replay=replay)
        from registry.doors.oncall_past import print_replay

        return print_replay(replay, as_json=known.json)
    names = list(dict.fromkeys(known.connections))
    screen = explore is not None and not known.json and sys.stdin.isatty() and sys.stdout.isatty()
    if len(names) > 1 and (known.watch or not screen):
        from registry.doors.oncall_values import print_accounts

        if known.watch:
            fail("--watch takes one account; the dashboard, --listen, text and JSON take several")
        return print_accounts(names, sandbox, known.every, as_json=known.json)
    return None


def _opened(name: str) -> Replay:
    from registry.oncall.recording import NoRecording
    from registry.oncall.replay import read_file

    try:
        return read_file(Path(name))
    except NoRecording as error:
        fail(f"{name} cannot be replayed: {error}")
    except OSError as error:
        fail(f"{name} cannot be read: {error.strerror}")


def _export(known: argparse.Namespace) -> int:
    import os

    from registry.doors.cli_oncall import oncall_connection
    from registry.oncall.recorder import Recorder, recordings_folder
    from registry.oncall.recording import Heading, NoRecording

    if len(known.connections) > 1:
        fail("--export takes one account; name one --connection")
    file = Path(known.export)
    recorder = Recorder(recordings_folder(os.environ), Heading(oncall_connection(known.connection), ""))
    try:
        size = recorder.export(file)
    except NoRecording as error:
        complain(f"there is nothing to export: {error}; the dashboard and --listen record")
        return ExitCode.SERVICE
    except FileExistsError:
        fail(f"{known.export} is there already; nothing was written")
    except OSError as error:
        fail(f"{known.export} cannot be written: {error.strerror}")
    say(f"{known.export}: {size} bytes; callboard oncall --replay {known.export} shows it")
    return ExitCode.OK
