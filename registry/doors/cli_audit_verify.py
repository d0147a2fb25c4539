"""``callboard audit verify``: whether the audit log is as it was written."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from registry.doors.output import ExitCode, remark, say, say_json

if TYPE_CHECKING:
    from registry.journal.verifying import Fault, Verified

_MOST_TOLD = 50


def add_verify(actions: argparse._SubParsersAction[Any]) -> None:
    """The options of the action."""
    verifying = actions.add_parser(
        "verify",
        help="check that no entry of the log was edited, removed or inserted",
        description="Check the hash chain of the audit log, and each entry against it. Exit codes: 0 nothing was found, "
        "1 something was edited, removed, inserted or exchanged, 5 the log cannot be read.",
    )
    verifying.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print one JSON object")


def verify(*, as_json: bool) -> int:
    """Check the log, and say what was found.

    Raises:
        sqlite3.Error, OSError: the log cannot be read.
    """
    from registry.engine import open_engine

    found = open_engine().audit.verify()
    faults = found.faults
    if as_json:
        say_json(_json(found, faults))
    else:
        say(f"Chain {found.chain or 'not begun'}: {_count(found.rows, 'row')}, {_count(found.entries, 'entry', 'entries')}")
        _tell(faults)
        remark("Without a copy on a server, nothing shows whether the end was cut off or the whole chain made anew.")
    return ExitCode.SERVICE if faults else ExitCode.OK


def _tell(faults: list[Fault]) -> None:
    """Say what is wrong, a line each."""
    for fault in faults[:_MOST_TOLD]:
        say(f"  ✗ {'on the server: ' if fault.where == 'server' else ''}{fault.words}")
    if len(faults) > _MOST_TOLD:
        say(f"  ✗ and {len(faults) - _MOST_TOLD} more; --json prints all")
    if not faults:
        say("  ✓ Nothing was edited, removed, inserted or exchanged.")


def _json(found: Verified, faults: list[Fault]) -> str:
    from registry.calling.exact_json import dumps

    told = {"chain": found.chain, "rows": found.rows, "entries": found.entries, "faults": [asdict(one) for one in faults]}
    return dumps(told)


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
