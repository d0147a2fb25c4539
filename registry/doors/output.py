"""What the command line prints, and its exit codes. Text from outside is made visible before it is printed."""

from __future__ import annotations

import sys
from enum import IntEnum
from typing import NoReturn

from registry.text import visible


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


def fail(text: str) -> NoReturn:
    """Say what is wrong with the command and end.

    Raises:
        SystemExit: always, with the code for wrong usage.
    """
    complain(text)
    raise SystemExit(ExitCode.USAGE)
