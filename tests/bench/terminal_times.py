"""Times of a program in a terminal: to its first frame, to its last output, and from a key to its echo."""

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Self

from tests.terminal import Terminal

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


class Running(Terminal):
    """A command in its own terminal and home; its screen is not drawn."""

    def __enter__(self) -> Self:
        self.started = time.perf_counter()
        return super().__enter__()

    def until(self, mark: bytes) -> float:
        """Seconds from the start until a mark was written."""
        end = time.monotonic() + _PATIENCE  # a spinner can write forever, so a pause is not enough
        while mark not in self.written:
            if time.monotonic() > end or not self.read(_PATIENCE):
                raise TimeoutError(f"{mark!r} was not painted within {_PATIENCE:g} s; the last: {self.written[-300:]!r}")
        return time.perf_counter() - self.started

    def until_still(self) -> float:
        """Seconds from the start to the last output before a pause."""
        last = time.perf_counter()
        while self.read(_STILL):
            last = time.perf_counter()
        return last - self.started

    def send(self, keys: str, mark: bytes = b"") -> float:
        """Type keys at once. Returns the seconds until the first output, or until a mark was written."""
        self.written, pressed = b"", time.perf_counter()
        self.press_at_once(keys)
        if not self.read(_PATIENCE):
            raise TimeoutError(f"{keys!r} had no answer within {_PATIENCE:g} s")
        self.until(mark)
        return time.perf_counter() - pressed

    def send_and_settle(self, keys: str) -> float:
        """Type keys at once, and read until the last output before a pause. Returns the seconds until the first output."""
        echo = self.send(keys)
        self.until_still()
        return echo

    def cpu(self) -> float:
        """The CPU seconds used so far. Raises `OSError` on systems without ``/proc``."""
        fields = Path(f"/proc/{self._process}/stat").read_text("ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def variant(what: str, count: int) -> list[str]:
    """The command that runs a program of `tests.bench.programs`."""
    return [sys.executable, "-m", "tests.bench.programs", what, str(count)]


def measure(command: Sequence[str], first: bytes, last: bytes = b"", keys: str = "") -> Times:
    """Start a program, wait for a text in its first frame and for one that appears last, and type keys one by one."""
    with Running(command) as running:
        first_frame, at_last, still = running.until(first), running.until(last), running.until_still()
        return Times(first_frame, at_last, still, [running.send_and_settle(key) for key in keys])
