"""Prepares the standard streams so that no output is lost.

The caller of a program decides what its streams are: a terminal, a pipe whose reader goes away, a full disk, nothing at all.
After `prepare` all three can be used as usual, wherever the program writes:

- A stream that is closed gets the null device, before anything else is opened: the history would get its number otherwise, and
  what is printed would be written into it. `closed` remembers it.
- Standard output fails with `OutputFailed`, apart from any other error of a file. A character that the terminal's character set
  does not have is written as its escape.
- Standard error never fails, because there is no other stream to report to.
"""

from __future__ import annotations

import io
import os
import select
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

OUT = 1
closed: set[int] = set()
"""The numbers of the standard streams that were closed when the program was started."""


class OutputFailed(OSError):
    """Standard output does not take what is written to it."""


class Output(io.FileIO):
    """Standard output, unbuffered; waits where a pipe that does not block is full."""

    def write(self, data: ReadableBuffer, /) -> int:
        """Write, and return how many bytes were taken.

        Raises:
            BrokenPipeError: the reader has gone.
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

    def write(self, data: ReadableBuffer, /) -> int:
        """Write what can be written."""
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


def prepare() -> None:
    """Make the standard streams fit to be used; call it before any file is opened."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
            closed.add(number)
    if sys.stdin is None:
        sys.stdin = open(0, closefd=False, errors="surrogateescape")  # noqa: SIM115  (open as long as the program)
    sys.stdout = _text(Output(OUT, "wb", closefd=False), sys.stdout)
    sys.stderr = _text(Errors(2, "wb", closefd=False), sys.stderr, always=True)


def give_up() -> None:
    """Discard unwritten output: Python would report an error about it while it shuts down."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), OUT)


def _text(raw: io.FileIO, before: object, *, always: bool = False) -> io.TextIOWrapper:
    """A text stream. A terminal keeps its character set; for programs it is UTF-8. A line for people is written at once."""
    terminal = raw.isatty()
    encoding = getattr(before, "encoding", None) if terminal else "utf-8"
    return io.TextIOWrapper(
        io.BufferedWriter(raw), encoding=encoding or "utf-8", errors="backslashreplace", line_buffering=terminal or always
    )
