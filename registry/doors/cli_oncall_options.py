"""``callboard oncall``: the options for the HTTP server, the alarm command and the recordings."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

from registry.doors.account_option import add_account
from registry.doors.cli_limits import seconds
from registry.doors.cli_oncall import board_lines
from registry.doors.cli_oncall_listen import listen
from registry.doors.oncall_account import oncall_connection
from registry.doors.oncall_values import print_accounts
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
