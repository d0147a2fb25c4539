"""Times of a program in a terminal: to its first frame, until it is still, from a key to its echo."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from dataclasses import dataclass

from tests.terminal import ROOT

_STILL, _PATIENCE = 0.25, 20.0


@dataclass
class Times:
    """Seconds: from the start to the first frame and until all is still; of each key, to the first and the last write."""

    first_frame: float
    still: float
    echoes: list[float]
    settled: list[float]


def measure(program: str, first: bytes, last: bytes = b"", keys: str = "", *, lines: int = 40, columns: int = 120) -> Times:
    """Start a program of `tests.bench.programs` and type keys one by one once it is there.

    Args:
        program: its name.
        first: what its first frame shows.
        last: what shows only when all of it is there.
        keys: what to type.
        lines: height of the terminal.
        columns: width of the terminal.
    """
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONDONTWRITEBYTECODE", "TEXTUAL_FPS")}
    environment |= {"TERM": "xterm-256color", "COLORTERM": "truecolor", "TEXTUAL_ANIMATIONS": "none", "HOME": "/nonexistent"}
    started = time.perf_counter()
    process, descriptor = pty.fork()
    if process == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        os.chdir(ROOT)
        os.execve(sys.executable, [sys.executable, "-m", "tests.bench.programs", program], environment)
    try:
        written = b""
        written = _until(descriptor, first, written)
        first_frame = time.perf_counter() - started
        _until(descriptor, last, written)
        still = _until_still(descriptor, time.perf_counter()) - started
        echoes, settled = [], []
        for key in keys:
            pressed = time.perf_counter()
            os.write(descriptor, key.encode())
            assert _read(descriptor, _PATIENCE)
            echoes.append(time.perf_counter() - pressed)
            settled.append(_until_still(descriptor, time.perf_counter()) - pressed)
        return Times(first_frame, still, echoes, settled)
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(descriptor)


def _until(descriptor: int, mark: bytes, written: bytes) -> bytes:
    """Everything written until a mark was in it."""
    while mark not in written:
        chunk = _read(descriptor, _PATIENCE)
        assert chunk, f"{mark!r} was not painted"
        written += chunk
    return written


def _until_still(descriptor: int, last: float) -> float:
    """The moment of the last write before a silence."""
    while _read(descriptor, _STILL):
        last = time.perf_counter()
    return last


def _read(descriptor: int, patience: float) -> bytes:
    ready, _, _ = select.select([descriptor], [], [], patience)
    return os.read(descriptor, 1 << 20) if ready else b""
