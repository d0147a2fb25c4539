"""Times of a program in a terminal: to its first frame, to its last output, and from a key to its echo."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType

from tests.bench.table import at_home
from tests.terminal import ROOT

_STILL, _PATIENCE = 0.25, 60.0
_SEQUENCE = re.compile(rb"\x1b\[[0-9;?<=>]*[A-Za-z]")


@dataclass
class Times:
    """Seconds from the start to the first frame and to the last output, and from each key to the first output."""

    first_frame: float
    still: float
    echoes: list[float]


class StoppedAnswering(Exception):
    """A screen did not show the expected text in time."""


class Running:
    """A command in its own terminal and home. It runs as long as the context.

    Attributes:
        peak: the most memory that it used, in bytes; set when the context ends.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        self.peak = 0
        self._environment = dict(environment or {})
        self._command = list(command)
        self._written = b""

    def __enter__(self) -> "Running":
        self._home = TemporaryDirectory(prefix="callboard-bench-", ignore_cleanup_errors=True)
        environment = {
            **at_home(self._home.name),
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "TEXTUAL_ANIMATIONS": "none",
            **self._environment,
        }
        self.started = time.perf_counter()
        self._process, self._descriptor = pty.fork()
        if self._process == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
            os.chdir(ROOT)
            os.execvpe(self._command[0], self._command, environment)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        os.kill(self._process, signal.SIGKILL)
        used = os.wait4(self._process, 0)[2]
        self.peak = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        os.close(self._descriptor)
        self._home.cleanup()

    def until(self, mark: bytes) -> float:
        """Seconds from the start until a mark was written."""
        self._written = _until(self._descriptor, mark, self._written)
        return time.perf_counter() - self.started

    def until_still(self) -> float:
        """Seconds from the start to the last output before a pause."""
        return _until_still(self._descriptor, time.perf_counter()) - self.started

    def press(self, keys: str, mark: bytes = b"") -> float:
        """Type keys at once. Returns the seconds until the first output, or until a mark was written."""
        self._written = b""
        pressed = time.perf_counter()
        os.write(self._descriptor, keys.encode())
        if not (chunk := _read(self._descriptor, _PATIENCE)):
            raise StoppedAnswering(f"{keys!r} had no answer within {_PATIENCE:g} s")
        self._written = _until(self._descriptor, mark, chunk)
        return time.perf_counter() - pressed

    def cpu(self) -> float:
        """The CPU seconds used so far. Raises `OSError` on systems without ``/proc``."""
        fields = Path(f"/proc/{self._process}/stat").read_text("ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def rest(self, seconds: float) -> None:
        """Send no keys for `seconds`, and read the output."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            _read(self._descriptor, left)

    def press_until(self, key: str, mark: bytes) -> None:
        """Type a key again and again until a mark was written."""
        end, self._written = time.monotonic() + _PATIENCE, b""
        while mark not in self._written:
            if time.monotonic() > end:
                raise StoppedAnswering(f"{key!r} did not lead to {mark!r} within {_PATIENCE:g} s")
            os.write(self._descriptor, key.encode())
            while mark not in self._written and (chunk := _read(self._descriptor, _STILL)):
                self._written += chunk

    def press_and_settle(self, keys: str) -> float:
        """Type keys at once, and read until the last output before a pause. Returns the seconds until the first output."""
        echo = self.press(keys)
        self.until_still()
        return echo


def program(name: str, *words: str) -> list[str]:
    """The command that runs a program of `tests.bench.programs`."""
    return [sys.executable, "-m", "tests.bench.programs", name, *words]


def measure(name: str, first: bytes, last: bytes = b"", keys: str = "") -> Times:
    """Start a program of `tests.bench.programs` and type keys one by one after its first frame.

    Args:
        name: its name.
        first: a text in its first frame.
        last: a text that appears only when all of the screen is drawn.
        keys: what to type.
    """
    with Running(program(name)) as running:
        first_frame = running.until(first)
        running.until(last)
        still = running.until_still()
        return Times(first_frame, still, [running.press_and_settle(key) for key in keys])


def _until(descriptor: int, mark: bytes, written: bytes) -> bytes:
    """All output until a mark is in it."""
    end = time.monotonic() + _PATIENCE  # a spinner can write forever, so a pause is not enough
    while mark not in written:
        if time.monotonic() > end or not (chunk := _read(descriptor, _PATIENCE)):
            last = _SEQUENCE.sub(b"", written).split()[-40:]
            raise StoppedAnswering(f"{mark!r} was not painted within {_PATIENCE:g} s; the last that was: {b' '.join(last)!r}")
        written += chunk
    return written


def _until_still(descriptor: int, last: float) -> float:
    """When the last output before a pause came."""
    while _read(descriptor, _STILL):
        last = time.perf_counter()
    return last


def _read(descriptor: int, patience: float) -> bytes:
    ready, _, _ = select.select([descriptor], [], [], patience)
    return os.read(descriptor, 1 << 20) if ready else b""
