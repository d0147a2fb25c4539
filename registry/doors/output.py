"""What the command line prints, and its exit codes. Text from outside is made visible before it is printed."""

from __future__ import annotations

import sys
from enum import IntEnum
from typing import TYPE_CHECKING, NoReturn

from registry.display.safe_text import visible

if TYPE_CHECKING:
    from registry.calling.result import Failure


class ExitCode(IntEnum):
    """What became of a command."""

    OK = 0
    """Done."""
    SERVICE = 1
    """The service said no, or its answer is of no use."""
    USAGE = 2
    """The command or its arguments are wrong; nothing was sent."""
    CONNECTION = 3
    """The service was not reached, or does not accept the credential."""
    INCOMPLETE = 4
    """A part of what was asked for came, and there is more."""
    INTERRUPTED = 130
    """The user stopped it."""


def say(text: str) -> None:
    """Print a line, or several, to standard output."""
    sys.stdout.write(text + "\n")


def complain(text: str) -> None:
    """Print a line, or several, to standard error."""
    sys.stderr.write(f"callboard: {visible(text)}\n")


def remark(text: str) -> None:
    """Print something worth knowing to standard error."""
    sys.stderr.write(visible(text) + "\n")


def tell_failure(failure: Failure, *facts: str | None) -> None:
    """Say why there is no answer: title, cause, way out, and the service's own terms.

    Args:
        failure: what went wrong.
        facts: what else is known of the call, for instance its status.
    """
    complain(failure.title)
    lines = [failure.cause, *failure.details, f"→ {failure.next_step}"]
    named = [failure.type, failure.code, f"parameter {failure.parameter}" if failure.parameter else None, *facts]
    lines.append(" · ".join(fact for fact in named if fact))
    if failure.documentation:
        lines.append(failure.documentation)
    for line in lines:
        if line:
            remark(f"  {line}")


def fail(text: str) -> NoReturn:
    """Say what is wrong with the command and end.

    Raises:
        SystemExit: always, with the code for wrong usage.
    """
    complain(text)
    raise SystemExit(ExitCode.USAGE)
