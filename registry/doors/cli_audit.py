"""``callboard audit``: prints changes and deletions, and checks the outcome of changes that were cut off."""

from __future__ import annotations

import argparse
import sqlite3
import time
from collections.abc import Sequence

from registry.doors import ending
from registry.doors.common_options import Commands, count, flag, option
from registry.doors.output import ExitCode, aligned, counted, fail, remark, say, say_json
from registry.engine import Change, Settings, Settled, open_engine
from registry.files.reasons import reason
from registry.journal.store import audit_file
from registry.text.safe_text import shortened, visible_line

_SIGNS = {"done": "✓ done", "refused": "✗ refused", "not done": "✗ not done", "unknown": "? unknown", "sent": "… sent"}


_MOST = 1_000


def add(commands: Commands) -> None:
    """The command and its options."""
    command = commands.add_parser(
        "audit",
        help="print the audit log; check interrupted changes",
        description="Print the audit log, newest first: one line per write or delete.",
    )
    option(command, "--most", "N", f"print at most N entries (default {_MOST})", type=count, default=_MOST)
    flag(command, "--json", "print one JSON object per line, with the object as it was")
    actions = command.add_subparsers(dest="action", metavar="[ACTION]")
    settling = actions.add_parser(
        "settle",
        help="check whether interrupted changes were made",
        description="Check every change whose outcome is unknown, by reading with the account that it was sent to. "
        "Sends no change. Exit codes: 0 all outcomes are known, 4 some are not.",
    )
    flag(settling, "--json", "print one JSON object per line", default=argparse.SUPPRESS)


def run(options: argparse.Namespace) -> int:
    """Print the last changes, newest first, as a table or one line of JSON each; or settle those that were cut off."""
    try:
        return _settle(as_json=options.json) if options.action == "settle" else _print(options.most, as_json=options.json)
    except (sqlite3.Error, OSError) as error:
        fail(f"cannot read the audit log: {reason(error, audit_file())}", ExitCode.LOCAL)


def _print(most: int, *, as_json: bool) -> int:
    log = open_engine().audit
    changes = log.changes(most)
    if as_json:
        for change in changes:
            say_json(change.as_line())
    elif changes:
        say("\n".join(aligned(list(map(_cells, changes)))))
    if not changes:
        remark("The audit log is empty.")
    elif left := len(log.unsettled()):
        remark(f"{counted(left, 'change is', 'changes are')} not settled; callboard audit settle checks them.")
    return ExitCode.OK


def _settle(*, as_json: bool) -> int:
    async def run() -> Sequence[Settled]:
        async with open_engine(Settings(journal=False)) as engine:
            return await engine.settle(again=True)

    settled = ending.run(run())
    known = {one.id: one for one in open_engine().audit.changes(-1)}
    for one in settled:
        change = known.get(one.change.id, one.change)
        if as_json:
            say_json(change.as_line())
        else:
            say(f"{aligned([_cells(change)])[0]}\n        {visible_line(one.words)}")
    if not settled:
        remark("Every change is settled.")
    return ExitCode.INCOMPLETE if any(one.became == "unknown" for one in settled) else ExitCode.OK


def _cells(one: Change) -> tuple[str, ...]:
    """An entry: number, time, its outcome, tool, what it was about, account and mode, HTTP status. Safe to print."""
    at = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(one.at))
    status = f"HTTP {one.status}" if one.status is not None else "by reading" if one.looked is not None else ""
    account = visible_line(one.connection) + (f" ({visible_line(one.mode)})" if one.mode != one.connection else "")
    account += f" by {shortened(visible_line(one.caller), 40)}" if one.caller else ""
    subject = shortened(visible_line(one.subject), 40)
    return (str(one.id).rjust(6), at, _SIGNS[one.state], visible_line(one.tool), subject, account, status)
