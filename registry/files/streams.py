"""Prepares the standard streams so that no output is lost.

The caller of a program decides what its streams are: a terminal, a pipe whose reader exits, a full disk, or closed.
After `prepare` all three can be used as usual, wherever the program writes:

- A closed stream gets the null device, before any file is opened: otherwise the history's file could get its number, and
  printed text would be written into it. `closed` records this.
- Standard output fails with `OutputFailed`, which differs from all other errors of files. A character that the terminal's
  character set lacks is written as its escape.
- Standard error never fails, because there is no other stream to report to.
"""

import io
import os
import select
import sys
from typing import Any

OUT = 1
closed: set[int] = set()
"""The numbers of the standard streams that were closed at the program's start."""


class OutputFailed(OSError):
    """Standard output cannot be written."""


class Output(io.FileIO):
    """Standard output, unbuffered; waits if a non-blocking pipe is full."""

    def write(self, data: Any, /) -> int:
        """Write, and return the number of bytes written.

        Raises:
            BrokenPipeError: the reader has closed the pipe.
            OutputFailed: it cannot be written, for instance because the disk is full.
        """
        while True:
            try:
                written: int | None = super().write(data)
            except BrokenPipeError:
                raise
            except OSError as error:
                raise OutputFailed(error.errno, error.strerror) from None
            if written is not None:
                return written
            select.select([], [self], [])


class Errors(Output):
    """Standard error, unbuffered; output that cannot be written is dropped."""

    def write(self, data: Any, /) -> int:
        """Write as much as possible."""
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


def prepare() -> None:
    """Prepare the standard streams; call it before any file is opened."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number, which is this one
            closed.add(number)
    if sys.stdin is None:
        sys.stdin = open(0, closefd=False, errors="surrogateescape")  # noqa: SIM115  (open as long as the program)
    elif isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="surrogateescape")  # bytes that are no text are an error of what reads them, with its name
    sys.stdout = _text(Output(OUT, "wb", closefd=False), sys.stdout)
    sys.stderr = _text(Errors(2, "wb", closefd=False), sys.stderr, always=True)


def give_up() -> None:
    """Discard unwritten output: otherwise Python would report an error at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), OUT)


def _text(raw: io.FileIO, before: object, *, always: bool = False) -> io.TextIOWrapper:
    """A text stream. A terminal keeps its character set; other targets get UTF-8. On a terminal, lines are written at once."""
    terminal = raw.isatty()
    encoding = getattr(before, "encoding", None) if terminal else None
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding or "utf-8", "backslashreplace", line_buffering=terminal or always)
