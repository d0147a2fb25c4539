"""``callboard history`` and ``callboard audit``: past calls, and changes with what became of them."""

import argparse
import time

from msgspec.structs import asdict

from registry.doors import ending
from registry.doors.cli_parser import Options
from registry.doors.output import ExitCode, aligned, fail, remark, say, say_json
from registry.engine import Change, Settings, open_engine
from registry.journal.entries import parse_search
from registry.json_text import dumps
from registry.text.shown import counted, shortened, visible_line

_MOST = 1_000
_OUTCOMES = {"ok": "✓ ok", "failed": "✗ failed", "cancelled": "◌ cancelled"}
_STATES = {"done": "✓ done", "refused": "✗ refused", "not done": "✗ not done", "unknown": "? unknown", "sent": "… sent"}


OPTIONS: Options = {
    "history": {"--most": {"default": _MOST}, "--search": {"default": ""}, "--all": {"dest": "everything"}},
    "audit": {"--most": {"default": _MOST}},
}


def run(options: argparse.Namespace) -> int:
    """Print calls or changes, newest first, one line each, with ``--json`` as NDJSON; delete calls, or settle changes."""
    if options.command == "history":
        return _forget(options) if options.action == "forget" else _calls(options)
    return _settle(as_json=options.json) if options.action == "settle" else _changes(options.most, as_json=options.json)


def _calls(options: argparse.Namespace) -> int:
    wanted = parse_search(options.search, time.time())
    if wanted.problem:
        fail(wanted.problem)
    entries = open_engine().history.search(wanted, options.most)
    for entry in entries:
        if options.json:
            say_json(dumps(asdict(entry)))
        else:
            parts = [f"{entry.id:>6}", _moment(entry.at), _OUTCOMES[entry.outcome].ljust(11), entry.tool]
            say("  ".join([*parts, *filter(None, (visible_line(entry.subject), visible_line(entry.connection)))]))
    if not entries:
        remark("No matching calls." if options.search else "No calls yet.")
    return ExitCode.OK


def _moment(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))


def _forget(options: argparse.Namespace) -> int:
    history = open_engine().history
    if (options.id is None) == (not options.everything):
        fail("give a call's number from callboard history, or --all")
    if options.everything:
        history.forget_all()
    elif not history.forget(options.id):
        fail(f"unknown call {options.id}")
    return remark("History cleared." if options.everything else f"Deleted call {options.id} from the history.")


def _changes(most: int, *, as_json: bool) -> int:
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
    engine = open_engine(Settings(journal=False))
    settled = ending.run(engine.settle(again=True), engine)
    known = {one.id: one for one in open_engine().audit.changes(-1)}
    for change, outcome in settled:
        change = known.get(change.id, change)
        if as_json:
            say_json(change.as_line())
        else:
            say(f"{aligned([_cells(change)])[0]}\n        {visible_line(outcome.words)}")
    if not settled:
        remark("Every change is settled.")
    return ExitCode.INCOMPLETE if any(outcome.became == "unknown" for _, outcome in settled) else ExitCode.OK


def _cells(one: Change) -> tuple[str, ...]:
    """An entry: number, time, its outcome, tool, what it was about, account and mode, HTTP status. Safe to print."""
    status = f"HTTP {one.status}" if one.status is not None else "by reading" if one.looked is not None else ""
    account = visible_line(one.connection) + (f" ({visible_line(one.mode)})" if one.mode != one.connection else "")
    account += f" by {shortened(visible_line(one.caller), 40)}" if one.caller else ""
    return (
        str(one.id).rjust(6),
        _moment(one.at),
        _STATES[one.state],
        visible_line(one.tool),
        shortened(visible_line(one.subject), 40),
        account,
        status,
    )
