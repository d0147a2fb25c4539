"""The exit code of a board; the same for the command line and the HTTP server."""

from __future__ import annotations

from registry.oncall.board import Board
from registry.oncall.evidence import evidence

TRIGGERED, UNREACHED, UNSURE, QUIET = 10, 3, 1, 0
"""At least one triggered incident; the service was not reached or refused the credential; incidents were not read completely,
or are contradicted; incidents are complete, not contradicted, and none is triggered."""

WORST_FIRST = (TRIGGERED, UNREACHED, UNSURE, QUIET)


def code_of(made: Board, interval: float) -> int:
    """The exit code of `callboard oncall` for a board. `interval`: seconds between two refreshes."""
    found = evidence(made, made.now, interval)
    if made.verdict.triggered:
        return TRIGGERED
    if found.unreached:
        return UNREACHED
    return QUIET if found.trusted and not made.verdict.unreadable else UNSURE
