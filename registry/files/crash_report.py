"""The report of an unexpected error: written to a file without secrets, with two lines about it on the terminal.

A traceback with the values of variables would show the user's data and credentials, on shared screens and in reports that are
passed on. So a report has the location and the environment, but no values: the stack as files, lines and functions; the error's
type; and its message with everything masked that may be data.

It has no slow imports, so that it is loaded before anything else may fail.
"""

import os
import platform
import re
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from traceback import walk_tb
from types import TracebackType

from platformdirs import user_state_path

from registry import __version__
from registry.files.folders import private_folder, replace_text

EXIT_CODE = 70
"""EX_SOFTWARE of sysexits.h: an error inside the program."""

MOST_REPORTS = 20
_LONGEST_MESSAGE, _LONGEST_STACK, _LONGEST_CHAIN = 300, 120, 8
# Compiled only for a report: every command imports this module.
_QUOTED = r"""(?s:'[^']*'|"[^"]*"|`[^`]*`|“[^”]*”|\{.*\}|\[.*\])"""
_DATA = r"\S*[\d@/\\_=]\S*|(?<=\S )\S*[A-Z]\S*|\S{25,}"
_CREDENTIAL = r"(?i:KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL)"
_PLAIN = r"[^\x20-\x7e]+"
_TERMINAL = ("TERM", "COLORTERM", "TERM_PROGRAM", "LANG")


def masked(message: str) -> str:
    """An error's message, shortened, without parts that may be data.

    Data may be quoted text, and words that are long, have digits or signs, or begin with a capital inside a sentence.
    """
    text = re.sub(_PLAIN, " ", message[:10_000])
    for name, value in os.environ.items():
        if len(value) > 3 and re.search(_CREDENTIAL, name):
            text = text.replace(value, "…")
    text = re.sub(_DATA, "…", re.sub(_QUOTED, "…", text))
    return re.sub(r"(… ?){2,}", "… ", text)[:_LONGEST_MESSAGE].strip()


def report(error: BaseException, where: str, commands: Sequence[str] = (), facts: Mapping[str, str] | None = None) -> str:
    """A report as text: the part of the program, ids of the last commands, and further facts about the environment."""
    terminal = {name: re.sub(_PLAIN, "", os.environ.get(name, ""))[:40] for name in _TERMINAL}
    rows = {
        "time": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        "callboard": __version__,
        "python": platform.python_version(),
        "textual": version("textual"),
        "httpx": version("httpx"),
        "platform": platform.platform(),
        "terminal": " ".join(f"{name}={value}" for name, value in terminal.items() if value),
        "where": where,
        "commands": ", ".join(commands) or "none",
        **(facts or {}),
    }
    lines = ["Callboard crash report. Contains no arguments, responses or credentials.", ""]
    lines += [f"{name.ljust(10)} {value}" for name, value in rows.items()]
    # The error and its causes; of a group, also its parts.
    found: list[BaseException] = []
    waiting: list[object] = [error]
    while waiting and len(found) < _LONGEST_CHAIN:
        first = waiting.pop(0)
        if isinstance(first, BaseException) and first not in found:
            found.append(first)
            waiting.append(getattr(first, "error", None))  # of a worker that failed
            waiting += first.exceptions if isinstance(first, BaseExceptionGroup) else ()
            waiting.append(first.__cause__ or (None if first.__suppress_context__ else first.__context__))
    for place, one in enumerate(found):
        lines += ["", ("" if not place else "caused by ") + f"{type(one).__module__}.{type(one).__qualname__}"]
        with suppress(Exception):
            lines += [f"  message (redacted): {message}"] if (message := masked(str(one))) else []
        lines += [f"  {step}" for step in _stack(one.__traceback__)]
    return "\n".join(lines) + "\n"


def put_down(error: BaseException, where: str, commands: Sequence[str] = (), facts: Mapping[str, str] | None = None) -> str:
    """Write a report, and delete the oldest ones; returns two lines about it that are safe to show. Never raises."""
    try:
        folder = private_folder(user_state_path("callboard") / "crashes")
        file = folder / f"crash-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}-{os.getpid()}.txt"
        replace_text(file, report(error, where, commands, facts))
        for old in sorted(folder.glob("crash-*.txt"), key=lambda one: one.name)[:-MOST_REPORTS]:
            with suppress(OSError):
                old.unlink()
        saved = f"Crash report (contains none of your data): {file}"
    except Exception as trouble:  # a failure to write the report must not hide the error
        saved = f"The crash report could not be saved ({type(trouble).__name__})."
    return f"callboard: unexpected error: {type(error).__name__}\n{saved}"


def catch_in_threads(tell: Callable[[str], None], commands: Callable[[], Sequence[str]] = list) -> None:
    """From now on, report errors that end a thread, each in two lines."""

    def ended(args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None and not isinstance(args.exc_value, SystemExit):
            tell(put_down(args.exc_value, f"thread {args.thread.name if args.thread else 'unknown'}", commands()))

    threading.excepthook = ended


def _stack(trace: TracebackType | None) -> list[str]:
    """The stack of an error: file, line and function, without values, source code, and the folders around the program."""
    roots = sorted({*filter(None, sys.path), str(Path(__file__).parents[2])}, key=len, reverse=True)
    steps = []
    for frame, line in walk_tb(trace):
        file = frame.f_code.co_filename
        short = next((file.removeprefix(f"{root}/") for root in roots if file.startswith(f"{root}/")), Path(file).name)
        steps.append(f"{short}:{line} in {frame.f_code.co_qualname}")
    left, half = len(steps) - _LONGEST_STACK, _LONGEST_STACK // 2
    return steps if left <= 0 else [*steps[:half], f"… {left} more …", *steps[-half:]]
