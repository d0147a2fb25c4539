"""What a board means to a script, in one number; the same wherever it is asked."""

from __future__ import annotations

from registry.oncall.board import Board

TRIGGERED, UNREACHED, UNSURE, QUIET = 10, 3, 1, 0
"""Something is triggered; the service was not reached or refuses the credential; incidents are not known; none is triggered."""

WORST_FIRST = (TRIGGERED, UNREACHED, UNSURE, QUIET)


def code_of(made: Board) -> int:
    """The exit code of `callboard oncall` for a board."""
    read = made.facts.panel("incidents")
    if read.at is None or read.trouble is not None:
        cause = read.trouble.cause if read.trouble else ""
        return UNREACHED if cause.startswith(("network", "401", "403")) else UNSURE
    return TRIGGERED if made.verdict.triggered else QUIET
