"""What the command line prints, and its exit codes: the only module of the command line that writes to the terminal.

Messages are for eyes. Data is exact where standard output is a file or a pipe, and for eyes where it is a terminal.
"""

from __future__ import annotations

import re
import sys
from enum import IntEnum
from typing import TYPE_CHECKING, NoReturn

from registry.display.safe_text import exact_json, visible, visible_json, visible_line

if TYPE_CHECKING:
    from registry.calling.result import Failure


_BLANKS = re.compile(r"[^\S\r\n]{3,}")


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
    """Print words to standard output: a line, or several."""
    sys.stdout.write(visible(text) + "\n")


def say_json(text: str, *, end: str = "\n") -> None:
    """Print JSON to standard output."""
    sys.stdout.write((visible_json(text) if sys.stdout.isatty() else exact_json(text)) + end)


def say_rows(text: str) -> None:
    """Print CSV, as `registry.export` makes it, to standard output."""
    sys.stdout.write((visible(text.replace("\r\n", "\n")) if sys.stdout.isatty() else text) + "\n")


def flush() -> None:
    """Let a program that reads standard output have what was printed."""
    sys.stdout.flush()


def complain(text: str) -> None:
    """Print a line of its own to standard error, whatever is in the text: no part of it can pass for another message."""
    sys.stderr.write(f"callboard: {visible_line(text)}\n")


def remark(text: str) -> None:
    """Print something worth knowing to standard error, in a line of its own."""
    sys.stderr.write(visible_line(text) + "\n")


def tell_failure(failure: Failure, *facts: str | None) -> None:
    """Say why there is no answer: title, cause, way out, and the service's own terms.

    Args:
        failure: what went wrong.
        facts: what else is known of the call, for instance its status.
    """
    complain(failure.title)
    # The service's words stay in a line; many blanks in a row would bring some of them to the start of the next one on screen.
    told = [_BLANKS.sub(" ", one) for one in (failure.cause, *failure.details)]
    lines = [*told, f"→ {failure.next_step}"]
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
