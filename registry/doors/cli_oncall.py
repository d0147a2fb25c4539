"""``callboard oncall``: the on-call dashboard: on the screen, printed, served, recorded and replayed."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from registry.doors.cli_oncall_listen import alarm_command, listen
from registry.doors.common_options import Commands, add_account, flag, option, seconds
from registry.doors.oncall_print import board_lines, oncall_connection, print_board
from registry.doors.output import ExitCode, complain, fail, is_terminal, say, say_values
from registry.doors.sandbox_options import add_behaviour, application_of
from registry.oncall.account import AccountView
from registry.oncall.as_json import as_json as values
from registry.oncall.as_json import iso_or_none
from registry.oncall.board import board
from registry.oncall.clocks import ONCE, past, stamp
from registry.oncall.recorder import Recorder, recordings_folder
from registry.oncall.recording import Heading, NoRecording, Replay, read_file
from registry.text.safe_text import visible_line


def add(commands: Commands) -> None:
    """The command and its options."""
    oncall = commands.add_parser(
        "oncall",
        help="show open incidents, who is on call and who is paged next",
        description="Open the on-call dashboard. If output is not a terminal, print it once. Never changes anything.",
        epilog="Exit codes: 0 no triggered incidents, 10 triggered incidents, 1 or 3 incidents could not be loaded.",
    )
    flag(oncall, "--json", "print the dashboard as JSON; with --watch, one JSON object per change")
    flag(oncall, "--watch", "print one line per change until interrupted")
    option(oncall, "--every", "SECONDS", "seconds between refreshes, 15 to 60 (default 15)", type=seconds, default=15.0)
    words = "incidents (default if its token is set) or sandbox; repeatable; the worst account decides the exit code"
    add_account(oncall, words, several=True)
    served = (
        "serve the dashboard read-only: / (HTML), /metrics (OpenMetrics), /board.json; on 127.0.0.1 unless you give an address "
        "(0.0.0.0:8310). The token comes from CALLBOARD_ONCALL_TOKEN, or is created and printed"
    )
    option(oncall, "--listen", "PORT", served)
    allowed = "with --listen: a host name that requests may use"
    oncall.add_argument("--allow-host", metavar="NAME", action="append", default=[], help=allowed)
    alarm = (
        "run a program on every alarm, without a shell: it gets CALLBOARD_ALARM, CALLBOARD_ALARM_KIND and others in its "
        "environment and JSON on standard input"
    )
    option(oncall, "--on-alarm", "CMD", alarm)
    limit = f"time limit for printing the dashboard once (default {ONCE:g}); names what was not read by then"
    option(oncall, "--deadline", "SECONDS", limit, type=seconds, default=ONCE)
    option(oncall, "--replay", "FILE", "show a recording instead of an account; sends no request")
    option(oncall, "--export", "FILE", "save the recording of the account to a file, for --replay")
    add_behaviour(oncall)


def run(options: argparse.Namespace) -> int:
    """Open the dashboard, print it, serve it, or show or save a recording; returns the exit code."""
    application, explore = application_of(options), options.screens.explore
    asked = [name for name in ("listen", "replay", "export") if getattr(options, name) is not None]
    names = list(dict.fromkeys(options.connection or [None]))
    if len(asked) > 1:
        fail(f"--{asked[0]} and --{asked[1]} cannot be combined")
    if asked and (options.watch or (options.json and not options.replay)):
        fail(f"--{asked[0]} cannot be combined with --json or --watch")
    if options.allow_host and options.listen is None:
        fail("--allow-host needs --listen")
    if options.on_alarm is not None and (options.json or options.watch or "replay" in asked or "export" in asked):
        fail("--on-alarm works only with the dashboard or --listen")
    if options.watch and len(names) > 1:
        fail("--watch accepts one account; the dashboard, --listen, text and JSON accept several")
    if options.listen is not None:
        return listen(names, application, options)
    if options.export is not None:
        return _export(options)
    on_screen = explore is not None and not options.json and not options.watch and is_terminal()
    if options.replay is not None:
        replay = _opened(options.replay)
        return int(explore(application, oncall="", replay=replay)) if on_screen else print_replay(replay, as_json=options.json)
    if not on_screen:
        return print_board(names, application, options)
    accounts = [oncall_connection(name) for name in names]
    return int(
        explore(
            application,
            oncall=accounts[0],
            every=options.every,
            read_only=options.read_only,
            on_alarm=alarm_command(options.on_alarm, os.environ),
            accounts=accounts if len(accounts) > 1 else [],
        )
    )


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
        say_values(properties)
        return view.code
    zone = view.zone
    first, last = stamp(replay.moments[0], zone), stamp(replay.moments[-1], zone)
    say(f"PAST: recording of {view.label}, {len(replay)} refreshes, {first} to {last}. Nothing here is live.")
    say("")
    for at, words in changes:
        say(visible_line(f"{past(at, zone)}  {words}"))
    say("")
    prefix = past(frame.at, zone)
    for line in board_lines(made, frame.interval):
        say(f"{prefix}  {line}" if line else "")
    return view.code


def _opened(name: str) -> Replay:
    try:
        return read_file(Path(name))
    except NoRecording as error:
        fail(f"cannot replay {name}: {error}")
    except OSError as error:
        fail(f"cannot read {name}: {error.strerror}")


def _export(known: argparse.Namespace) -> int:
    if len(known.connection or ()) > 1:
        fail("--export accepts one account; pass one --account")
    file, name = Path(known.export), (known.connection or [None])[0]
    recorder = Recorder(recordings_folder(os.environ), Heading(oncall_connection(name), ""))
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
