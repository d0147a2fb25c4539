"""``callboard doctor``: what is needed to understand why something does not work, fit to be pasted into a ticket."""

from __future__ import annotations

import argparse
from typing import Any

from registry.doors.output import ExitCode, remark, say


def add_doctor(commands: argparse._SubParsersAction[Any]) -> None:
    """The command and its options."""
    doctor = commands.add_parser(
        "doctor",
        help="tell how this machine and the accounts are set up, without any secret",
        description="Tell versions, terminal, files, proxies, and for each account where its credential comes from and to "
        "which hosts it travels. Asks each host for its time, without a credential. Holds no secret. Exit codes: 0, or 1 where "
        "something is wrong.",
    )
    doctor.add_argument("--json", action="store_true", help="as JSON")
    doctor.add_argument("--offline", action="store_true", help="ask no host")


def examine(options: argparse.Namespace) -> int:
    """Print the report; the exit code tells whether something is wrong."""
    import json

    from registry.doctor.report import examine as report
    from registry.doctor.report import lines
    from registry.doors import ending

    found = ending.run(report(offline=options.offline))
    say(json.dumps(found, indent=2) if options.json else "\n".join(lines(found)))
    if problems := len(found["problems"]):
        remark(f"{problems} {'problem' if problems == 1 else 'problems'} found; the report ends with them.")
    return ExitCode.SERVICE if found["problems"] else ExitCode.OK
