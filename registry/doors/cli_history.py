"""``callboard history``: lists past calls, and deletes them from the history."""

from __future__ import annotations

import argparse
import time
from datetime import datetime

from registry.doors.common_options import Commands, count, flag, option
from registry.doors.output import ExitCode, fail, remark, say, say_json
from registry.engine import open_engine
from registry.journal.schema import Entry
from registry.journal.search_query import parse_search
from registry.text.safe_text import visible_line

_MOST = 1_000
_SIGNS = {"ok": "✓ ok", "failed": "✗ failed", "cancelled": "◌ cancelled"}


def add(commands: Commands) -> None:
    """The command and its options."""
    command = commands.add_parser(
        "history",
        help="show or clear the call history",
        description="List past calls, newest first: number, time, outcome, tool, object id, account.",
    )
    search = "words, tool:NAME, on:CONNECTION, failed, ok, cancelled, since:yesterday, before:2026-11-20"
    option(command, "--search", "LINE", search, default="")
    option(command, "--most", "N", f"show at most N calls (default {_MOST})", type=count, default=_MOST)
    flag(command, "--json", "print one JSON object per line, with arguments; secrets redacted")
    actions = command.add_subparsers(dest="action", metavar="[ACTION]")
    forgetting = actions.add_parser("forget", help="delete a call and its response from the history, or all calls")
    option(forgetting, "id", "ID", "the call's number", type=count, nargs="?")
    flag(forgetting, "--all", "clear the whole history", dest="everything")


def run(options: argparse.Namespace) -> int:
    """Print the matching calls, newest first, one line each, with ``--json`` as NDJSON; or delete some."""
    history = open_engine().history
    if options.action == "forget":
        if (options.id is None) == (not options.everything):
            fail("give a call's number from callboard history, or --all")
        if options.everything:
            history.forget_all()
        elif not history.forget(options.id):
            fail(f"unknown call {options.id}")
        remark("History cleared." if options.everything else f"Deleted call {options.id} from the history.")
        return ExitCode.OK
    wanted = parse_search(options.search, time.time())
    if wanted.problem:
        fail(wanted.problem)
    entries = history.search(wanted, options.most)
    for entry in entries:
        if options.json:
            say_json(entry.as_line())
        else:
            say(_line(entry))
    if not entries:
        remark("No matching calls." if options.search else "No calls yet.")
    return ExitCode.OK


def _line(entry: Entry) -> str:
    at = datetime.fromtimestamp(entry.at)
    parts = [f"{entry.id:>6}", f"{at:%Y-%m-%d %H:%M:%S}", _SIGNS[entry.outcome].ljust(11), entry.tool]
    parts += [visible_line(entry.subject)] * bool(entry.subject)
    return "  ".join([*parts, visible_line(entry.connection)])
