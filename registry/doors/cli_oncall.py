"""``callboard oncall``: the on-call dashboard: on the screen, printed, served, recorded and replayed."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

from registry.doors.cli_oncall_listen import alarm_command, listen
from registry.doors.cli_sandbox import application_of
from registry.doors.cli_sandbox_data import add_behaviour
from registry.doors.common_options import Commands, add_account, seconds
from registry.doors.oncall_account import oncall_connection
from registry.doors.oncall_print import board_lines, print_accounts, print_board
from registry.doors.output import ExitCode, complain, fail, say, say_json
from registry.engine import Sandbox
from registry.oncall.account import AccountView
from registry.oncall.as_json import as_json as values
from registry.oncall.as_json import iso_or_none
from registry.oncall.board import board
from registry.oncall.clocks import ONCE
from registry.oncall.past_words import past, past_stamp
from registry.oncall.recorder import Recorder, recordings_folder
from registry.oncall.recording import Heading, NoRecording, Replay, read_file
from registry.text.safe_text import visible_line


def print_replay(replay: Replay, *, as_json: bool) -> int:
    """Print the recording; returns the exit code of its last moment."""
    changes: list[tuple[float, str]] = []
    try:
        for number in range(len(replay)):
            frame = replay.frame(number)
            made = board(frame.facts, frame.at)
            view = AccountView(frame.heading.account, frame.heading.mode, made, frame.interval)
            if not changes or changes[-1][1] != view.steady_title:
                changes.append((frame.at, view.steady_title))
    except NoRecording as error:
        fail(f"cannot replay the recording: {error}")
    if as_json:
        properties = {
            "past": True,
            "account": view.name,
            "first": iso_or_none(replay.moments[0]),
            "last": iso_or_none(replay.moments[-1]),
            "refreshes": len(replay),
            "verdicts": [{"at": iso_or_none(at), "verdict": words} for at, words in changes],
            "board": values(made),
        }
        say_json(json.dumps(properties, ensure_ascii=False, indent=2))
        return view.code
    zone = view.zone
    first, last = past_stamp(replay.moments[0], zone), past_stamp(replay.moments[-1], zone)
    say(f"PAST: recording of {view.label}, {len(replay)} refreshes, {first} to {last}. Nothing here is live.")
    say("")
    for at, words in changes:
        say(visible_line(f"{past(at, zone)}  {words}"))
    say("")
    stamp = past(frame.at, zone)
    for line in board_lines(made, frame.interval):
        say(f"{stamp}  {line}" if line else "")
    return view.code


def add_service_options(oncall: argparse.ArgumentParser) -> None:
    """Add the options of the HTTP server, the alarm command and the recordings."""
    words = "incidents (default if its token is set) or sandbox; repeatable; the worst account decides the exit code"
    add_account(oncall, words, dest="connections", several=True)
    oncall.set_defaults(connections=[])
    oncall.add_argument(
        "--listen",
        metavar="PORT",
        help=(
            "serve the dashboard read-only: / (HTML), /metrics (OpenMetrics), /board.json; on "
            "127.0.0.1 unless you give an address (0.0.0.0:8310). The token comes from CALLBOARD_ONCALL_TOKEN, or is "
            "created and printed"
        ),
    )
    oncall.add_argument(
        "--allow-host", metavar="NAME", action="append", default=[], help="with --listen: a host name that requests may use"
    )
    oncall.add_argument(
        "--on-alarm",
        metavar="CMD",
        help=(
            "run a program on every alarm, without a shell: it gets CALLBOARD_ALARM, CALLBOARD_ALARM_KIND and others in "
            "its environment and JSON on standard input"
        ),
    )
    oncall.add_argument(
        "--deadline",
        type=seconds,
        default=ONCE,
        metavar="SECONDS",
        help=f"time limit for printing the dashboard once (default {ONCE:g}); names what was not read by then",
    )
    oncall.add_argument("--replay", metavar="FILE", help="show a recording instead of an account; sends no request")
    oncall.add_argument("--export", metavar="FILE", help="save the recording of the account to a file, for --replay")


def several(known: argparse.Namespace) -> list[str]:
    """The accounts that are watched together; empty if there is only one."""
    names = list(dict.fromkeys(known.connections))
    return [oncall_connection(name) for name in names] if len(names) > 1 else []


def run_service_options(known: argparse.Namespace, sandbox: Sandbox, explore: Callable[..., int] | None) -> int | None:
    """Do what these options request, and return the exit code; None if none of them is set."""
    known.connection = known.connections[0] if known.connections else None
    asked = [name for name in ("listen", "replay", "export") if getattr(known, name) is not None]
    if len(asked) > 1:
        fail(f"--{asked[0]} and --{asked[1]} cannot be combined")
    if asked and (known.watch or (known.json and not known.replay)):
        fail(f"--{asked[0]} cannot be combined with --json or --watch")
    if known.allow_host and known.listen is None:
        fail("--allow-host needs --listen")
    if known.on_alarm is not None and (known.json or known.watch or "replay" in asked or "export" in asked):
        fail("--on-alarm works only with the dashboard or --listen")
    if known.listen is not None:
        return listen(known, sandbox)
    if known.export is not None:
        return _export(known)
    if known.replay is not None:
        replay = _opened(known.replay)
        if explore is not None and not known.json and sys.stdin.isatty() and sys.stdout.isatty():
            return explore(sandbox, oncall="", replay=replay)

        return print_replay(replay, as_json=known.json)
    names = list(dict.fromkeys(known.connections))
    screen = explore is not None and not known.json and sys.stdin.isatty() and sys.stdout.isatty()
    if len(names) > 1 and (known.watch or not screen):
        if known.watch:
            fail("--watch accepts one account; the dashboard, --listen, text and JSON accept several")
        return print_accounts(names, sandbox, known)
    return None


def _opened(name: str) -> Replay:
    try:
        return read_file(Path(name))
    except NoRecording as error:
        fail(f"cannot replay {name}: {error}")
    except OSError as error:
        fail(f"cannot read {name}: {error.strerror}")


def _export(known: argparse.Namespace) -> int:
    if len(known.connections) > 1:
        fail("--export accepts one account; pass one --account")
    file = Path(known.export)
    recorder = Recorder(recordings_folder(os.environ), Heading(oncall_connection(known.connection), ""))
    try:
        size = recorder.export(file)
    except NoRecording as error:
        complain(f"nothing to export: {error}; only the dashboard and --listen record")
        return ExitCode.SERVICE
    except FileExistsError:
        fail(f"{known.export} already exists; nothing was written")
    except OSError as error:
        fail(f"cannot write {known.export}: {error.strerror}")
    say(f"{known.export}: {size} bytes; callboard oncall --replay {known.export} shows it")
    return ExitCode.OK


def add(commands: Commands) -> None:
    """The command and its options."""
    oncall = commands.add_parser(
        "oncall",
        help="show open incidents, who is on call and who is paged next",
        description="Open the on-call dashboard. If output is not a terminal, print it once. Never changes anything.",
        epilog="Exit codes: 0 no triggered incidents, 10 triggered incidents, 1 or 3 incidents could not be loaded.",
    )
    oncall.add_argument(
        "--json", action="store_true", help="print the dashboard as JSON; with --watch, one JSON object per change"
    )
    oncall.add_argument("--watch", action="store_true", help="print one line per change until interrupted")
    oncall.add_argument(
        "--every", type=seconds, default=15.0, metavar="SECONDS", help="seconds between refreshes, 15 to 60 (default 15)"
    )
    add_service_options(oncall)
    add_behaviour(oncall)


def run(options: argparse.Namespace) -> int:
    """Open the dashboard, print it, or serve it; returns the exit code."""
    application, explore = application_of(options), options.screens.explore
    if (code := run_service_options(options, application, explore)) is not None:
        return code
    if explore is None or options.json or options.watch or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return print_board(options, application)
    return int(
        explore(
            application,
            oncall=oncall_connection(options.connection),
            every=options.every,
            read_only=options.read_only,
            on_alarm=alarm_command(options.on_alarm, os.environ),
            accounts=several(options),
        )
    )
