"""Prints for the command line, and defines its exit codes: the only module of the command line that writes to the terminal.

Messages are made safe to display. Data is exact if standard output is a file or a pipe, and made safe if it is a
terminal. Errors are sentences for people, or with ``--json-errors`` JSON for programs: standard error then has one JSON object
per line, an error with its title and cause, or a note. ``docs/exit-codes.md`` lists the codes and the properties.
"""

import json
import re
import shutil
import sys
from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import Any, NoReturn

from registry.calling.result import Failure
from registry.calling.sending import Progress
from registry.files.crash_report import EXIT_CODE, put_down
from registry.text.shown import exact_json, visible, visible_json, visible_line

JSON_ERRORS = "--json-errors"
_LONGEST_MESSAGE, _MOST_DETAILS = 4_000, 50
"""Characters of one message of a service, and messages; their beginning says what is wrong."""

_MOST_TYPED = 10_000_000
"""Characters of standard input; what has no end, such as a device, must not fill the memory."""

_QUOTED = re.compile(r'"[^"]*"')
_BLANKS = re.compile(r"[^\S\r\n]{3,}")


class ExitCode(IntEnum):
    """The outcome of a command."""

    OK = 0
    """Done."""
    SERVICE = 1
    """The service returned an error, or its response could not be used."""
    USAGE = 2
    """The command or its arguments are wrong; nothing was sent."""
    CONNECTION = 3
    """The service was not reached, or rejects the credential."""
    INCOMPLETE = 4
    """The result is incomplete."""
    LOCAL = 5
    """A file, a folder or the output on this machine could not be read or written."""


_TITLES: dict[int | None, str] = {
    ExitCode.SERVICE: "The service returned an error, or nothing was found",
    ExitCode.USAGE: "Invalid command or arguments",
    ExitCode.CONNECTION: "Cannot reach the service",
    ExitCode.LOCAL: "Cannot use a file or the output",
}
_FIELD = re.compile(r"(?:argument )?(--[a-z][\w.-]*|[A-Z][A-Z0-9]*_[A-Z0-9_]+)(?=[ :,=]|$)")


errors_as_json = False
"""Whether errors and notes are printed as JSON; the command line sets it."""


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of texts as lines with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(part.ljust(width) for part, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def say(text: str) -> int:
    """Print one or more lines of text to standard output; returns the exit code OK, as all that print a result or a note do."""
    sys.stdout.write(visible(text) + "\n")
    return ExitCode.OK


def say_json(text: str, *, end: str = "\n") -> int:
    """Print JSON to standard output."""
    sys.stdout.write((visible_json(text) if sys.stdout.isatty() else exact_json(text)) + end)
    return ExitCode.OK


def say_values(values: object, *, line: bool = False) -> int:
    """Print JSON values to standard output, laid out or as one line, which is written at once."""
    say_json(json.dumps(values, ensure_ascii=False, indent=None if line else 2))
    if line:
        flush()
    return ExitCode.OK


def say_rows(text: str) -> None:
    """Print CSV from `registry.results.saving` to standard output."""
    if sys.stdout.isatty():
        # A line break inside a value would begin a line of its own, which could look like another message.
        text = visible(_QUOTED.sub(lambda value: visible_line(value[0]), text).replace("\r\n", "\n"))
    sys.stdout.write(text + "\n")


def is_terminal() -> bool:
    """Whether a person sits at a terminal, in which a screen can be shown."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def line_width() -> int:
    """Columns of a line on standard output: as many as the terminal has, and any number in a file or a pipe."""
    return shutil.get_terminal_size((100, 24)).columns if sys.stdout.isatty() else sys.maxsize


def flush() -> None:
    """Flush standard output."""
    sys.stdout.flush()


def print_waiting(progress: Progress) -> None:
    """Print that a request waits for its next attempt, and why."""
    if progress.waiting is not None:
        remark(f"{progress.reason}; retrying in {progress.waiting:.1f} s (attempt {progress.attempt + 1})")


def complain(
    text: str,
    *,
    short: str = "",
    title: str | None = None,
    field: str | None = None,
    way_out: str | None = None,
    see: str = "callboard --help",
    code: int | None = None,
) -> int:
    """Print an error to standard error: a sentence on a line of its own, or all facts as JSON; returns the exit code.

    No part of `text` can look like another message; for people who have just read it, `short` is printed. `title` is by default
    that of the exit code, and `field`, the option, argument or variable at fault, the one at the start of the text. `way_out`
    follows the text; without one, JSON names the command to `see`. Without a `code` it is only a part of what went wrong.
    """
    if not errors_as_json:
        text, then = short or text, visible_line(way_out or "")
        if then and text.endswith((".", "?")):  # what to do next is a sentence of its own
            then = f" {then[:1].upper()}{then[1:]}"
        elif then:
            then = f"; {then}"
        sys.stderr.write(f"callboard: {visible_line(text)}{then}\n")
        return ExitCode.SERVICE if code is None else code
    named = _FIELD.match(text)
    field = field or (named.group(1) if named else None)
    way_out = way_out or (f"See {see}." if code == ExitCode.USAGE else None)
    return _error(title or _TITLES.get(code, "Error"), text, field, way_out, code)


def _error(title: str, cause: str, field: str | None, way_out: str | None, exit_code: int | None, **more: object) -> int:
    facts = {"title": title, "cause": cause, "field": field, "status": None, "request_id": None, "way_out": way_out}
    sys.stderr.write(json.dumps({**facts, "exit_code": exit_code, **more}) + "\n")
    return ExitCode.SERVICE if exit_code is None else exit_code


def remark(text: str) -> int:
    """Print a note to standard error."""
    sys.stderr.write((json.dumps({"note": text}) if errors_as_json else visible_line(text)) + "\n")
    return ExitCode.OK


def print_failure(
    failure: Failure, *facts: str | None, status: int | None = None, request_id: str | None = None, code: int | None = None
) -> int:
    """Print why a call failed: title, cause, next step, the service's own terms, and further facts; returns the exit code.

    `status` and `request_id` are the response's; `code` is the command's exit code, by default the failure's.
    """
    code = code_of(failure) if code is None else code
    if errors_as_json:
        own: dict[str, Any] = {name: getattr(failure, name) for name in ("type", "code", "documentation")}
        own |= {"details": list(failure.details), "status": status, "request_id": request_id}
        return _error(failure.title, failure.cause, failure.parameter, failure.next_step, code, **own)
    complain(failure.title)
    further, parameter = len(failure.details) - _MOST_DETAILS, failure.parameter and f"parameter {failure.parameter}"
    # The error of an MCP server has no HTTP status of its own.
    http = f"HTTP {status}" if status and (failure.kind != "service" or status >= 300) else None
    lines = (
        *(_readable(one) for one in (failure.cause, *failure.details[:_MOST_DETAILS])),
        f"… and {further:,} more messages ({JSON_ERRORS} prints all)" if further > 0 else "",
        f"→ {failure.next_step}",
        " · ".join(filter(None, (failure.type, failure.code, parameter, *facts, http, request_id))),
        failure.documentation,
    )
    for line in filter(None, lines):
        remark(f"  {line}")
    return code


def _readable(text: str) -> str:
    """A text of a service on one line, cut to a readable length.

    Many blanks in a row could move part of it to the start of the next line on screen.
    """
    cut = f"… ({len(text):,} characters; {JSON_ERRORS} prints all)" if len(text) > _LONGEST_MESSAGE else ""
    return _BLANKS.sub(" ", text[:_LONGEST_MESSAGE] + cut)


def complain_crash(error: Exception, where: str) -> int:
    """Write a report of an unexpected error, and say so; returns the exit code."""
    happened, report = put_down(error, where).split("\n", 1)
    code = complain(happened.removeprefix("callboard: "), title="Unexpected error", code=EXIT_CODE)
    remark(report)
    return code


def print_notes(notes: Iterable[str]) -> None:
    """Print what a result says besides its data."""
    for note in notes:
        remark(f"note: {note}")


def read_text(field: str) -> str:
    """All of standard input, for an option or argument. Fails if it is too long."""
    text = sys.stdin.read(_MOST_TYPED + 1)
    if len(text) > _MOST_TYPED:
        fail(f"{field}: standard input has more than {_MOST_TYPED:,} characters", field=field, way_out="pass less")
    return text


def confirmed(question: str, *, yes: bool) -> bool:
    """Whether the user agrees: with ``--yes`` at once, otherwise by typing y. Fails without a terminal to ask at."""
    if yes:
        return True
    if not sys.stdin.isatty():
        fail(f"{question} Nobody can be asked", way_out="add --yes to confirm")
    try:
        return prompt(f"{question} [y/N]").strip().casefold() in ("y", "yes")
    except EOFError:
        return False


def prompt(text: str) -> str:
    """Ask a question on standard error and return the typed line. Blocks; raises EOFError at the end of standard input."""
    sys.stderr.write(visible_line(text.rstrip()) + " ")
    sys.stderr.flush()
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.rstrip("\n")


def code_of(failure: Failure) -> ExitCode:
    """The exit code of a failure."""
    kinds = {"connection": ExitCode.CONNECTION, "authentication": ExitCode.CONNECTION, "local": ExitCode.LOCAL}
    return kinds.get(failure.kind, ExitCode.SERVICE)


def fail(
    text: str, code: int = ExitCode.USAGE, *, title: str | None = None, field: str | None = None, way_out: str | None = None
) -> NoReturn:
    """Print an error, as `complain` does, and end with the code; by default the one for wrong usage."""
    raise SystemExit(complain(text, title=title, field=field, way_out=way_out, code=code))
