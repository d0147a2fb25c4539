"""Times of a program in a terminal: to its first frame, to its last output, and from a key to its echo."""

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.bench.table import at_home
from tests.terminal import ROOT

_STILL, _PATIENCE = 0.25, 60.0
BARE = [sys.executable, "-m", "tests.bench.bare"]
INPUT = [*BARE, "input"]
EXPLORER = [sys.executable, "-m", "tui"]


class Times(NamedTuple):
    """Seconds from the start to the first frame, the last mark and the last output, and from each key to the first output."""

    first_frame: float
    last: float
    still: float
    echoes: list[float]


class Running:
    """A command in its own terminal and home. It runs as long as the context.

    Attributes:
        peak: the most memory that it used, in bytes; set when the context ends.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        self._environment = dict(environment or {})
        self._command = list(command)
        self._written = b""

    def __enter__(self) -> "Running":
        self._home = TemporaryDirectory(prefix="callboard-bench-", ignore_cleanup_errors=True)
        terminal = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "TEXTUAL_ANIMATIONS": "none"}
        self.started = time.perf_counter()
        self._process, self._descriptor = pty.fork()
        if self._process == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
            os.chdir(ROOT)
            os.execvpe(self._command[0], self._command, {**at_home(self._home.name), **terminal, **self._environment})
        return self

    def __exit__(self, *error: object) -> None:
        os.kill(self._process, signal.SIGKILL)
        self.peak = os.wait4(self._process, 0)[2].ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        os.close(self._descriptor)
        self._home.cleanup()

    def until(self, mark: bytes) -> float:
        """Seconds from the start until a mark was written."""
        end = time.monotonic() + _PATIENCE  # a spinner can write forever, so a pause is not enough
        while mark not in self._written:
            if time.monotonic() > end or not (chunk := self._read(_PATIENCE)):
                raise TimeoutError(f"{mark!r} was not painted within {_PATIENCE:g} s; the last: {self._written[-300:]!r}")
            self._written += chunk
        return time.perf_counter() - self.started

    def until_still(self) -> float:
        """Seconds from the start to the last output before a pause."""
        last = time.perf_counter()
        while self._read(_STILL):
            last = time.perf_counter()
        return last - self.started

    def press(self, keys: str, mark: bytes = b"") -> float:
        """Type keys at once. Returns the seconds until the first output, or until a mark was written."""
        pressed = time.perf_counter()
        os.write(self._descriptor, keys.encode())
        if not (chunk := self._read(_PATIENCE)):
            raise TimeoutError(f"{keys!r} had no answer within {_PATIENCE:g} s")
        self._written = chunk
        self.until(mark)
        return time.perf_counter() - pressed

    def cpu(self) -> float:
        """The CPU seconds used so far. Raises `OSError` on systems without ``/proc``."""
        fields = Path(f"/proc/{self._process}/stat").read_text("ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def rest(self, seconds: float) -> None:
        """Send no keys for `seconds`, and read the output."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self._read(left)

    def press_until(self, key: str, mark: bytes) -> None:
        """Type a key again and again until a mark was written."""
        end, self._written = time.monotonic() + _PATIENCE, b""
        while mark not in self._written:
            if time.monotonic() > end:
                raise TimeoutError(f"{key!r} did not lead to {mark!r} within {_PATIENCE:g} s")
            os.write(self._descriptor, key.encode())
            while mark not in self._written and (chunk := self._read(_STILL)):
                self._written += chunk

    def press_and_settle(self, keys: str) -> float:
        """Type keys at once, and read until the last output before a pause. Returns the seconds until the first output."""
        echo = self.press(keys)
        self.until_still()
        return echo

    def _read(self, patience: float) -> bytes:
        ready, _, _ = select.select([self._descriptor], [], [], patience)
        return os.read(self._descriptor, 1 << 20) if ready else b""


def variant(what: str, count: int) -> list[str]:
    """The command that runs a program of `tests.bench.programs`."""
    return [sys.executable, "-m", "tests.bench.programs", what, str(count)]


def measure(command: Sequence[str], first: bytes, last: bytes = b"", keys: str = "") -> Times:
    """Start a program, wait for a text in its first frame and for one that appears last, and type keys one by one."""
    with Running(command) as running:
        first_frame, at_last, still = running.until(first), running.until(last), running.until_still()
        return Times(first_frame, at_last, still, [running.press_and_settle(key) for key in keys])
