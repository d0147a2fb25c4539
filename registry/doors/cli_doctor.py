"""``callboard doctor``: everything needed to find out why something does not work, safe to paste into a ticket."""

from __future__ import annotations

import argparse
import json

from registry.doors import ending
from registry.doors.common_options import Commands
from registry.doors.doctor.report import examine as report
from registry.doors.doctor.report import lines
from registry.doors.output import ExitCode, complain, flush, remark, say
from registry.files.streams import OutputFailed


def add(commands: Commands) -> None:
    """The command and its options."""
    doctor = commands.add_parser(
        "doctor",
        help="check how this computer and the accounts are set up; prints no secrets",
        description=(
            "Show versions, terminal, files, proxies, and for each account where its credential comes from and "
            "which hosts it is sent to. Contacts each host for its time, without a credential. Prints no secrets. Exit "
            "codes: 0 no problems, 1 problems found."
        ),
    )
    doctor.add_argument("--json", action="store_true", help="print JSON")
    doctor.add_argument("--offline", action="store_true", help="contact no host")


def run(options: argparse.Namespace) -> int:
    """Print the report; the exit code says whether there are problems."""
    found = ending.run(report(offline=options.offline))
    try:
        say(json.dumps(found, indent=2) if options.json else "\n".join(lines(found)))
        flush()
    except OutputFailed:  # a full disk may be what the report is wanted for
        for problem in found["problems"]:
            complain(problem)
        raise
    if problems := len(found["problems"]):
        remark(f"{problems} {'problem' if problems == 1 else 'problems'} found; see the end of the report.")
    return ExitCode.SERVICE if found["problems"] else ExitCode.OK
