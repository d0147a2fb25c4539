"""A real terminal for tests. The program runs in a pty. Its output is kept as bytes and drawn by an emulator."""

import contextlib
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
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self

from pyte import ByteStream as Stream
from pyte import Screen
from rich.cells import cell_len

ROOT = Path(__file__).parent.parent
KEYS = {"enter": "\r", "escape": "\x1b", "tab": "\t", "up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D"}
KEYS |= {"end": "\x1b[F", "home": "\x1b[H", "backspace": "\x7f"}
KEYS |= {
    "f1": "\x1bOP",
    "f2": "\x1bOQ",
    "f3": "\x1bOR",
    "f4": "\x1bOS",
    "f5": "\x1b[15~",
    "f6": "\x1b[17~",
    "f8": "\x1b[19~",
    "f11": "\x1b[23~",
    "f12": "\x1b[24~",
}
_PATIENCE = 60.0
_COLOUR = re.compile(rb"\x1b\[[0-9;:]*m")
"""No test looks at colours here, and the emulator takes most of its time for them."""


class Terminal:
    """Runs a command in a pty of a given size. It is a context manager, and the command ends with the context.

    The program gets its own home, which is deleted afterwards, unless the environment names one.

    Attributes:
        written: all output so far.
        peak: the most memory that it used, in bytes; set when the context ends.
    """

    def __init__(
        self,
        command: Sequence[str] = (sys.executable, "-m", "tui"),
        *,
        columns: int = 120,
        lines: int = 40,
        environment: Mapping[str, str] | None = None,
        folder: Path = ROOT,
    ) -> None:
        self._folder = folder
        self.written = b""
        self._unfed = b""
        self._text = ""
        self._lines = dict.fromkeys(range(lines), "")
        self.screen = Screen(columns, lines)
        self._stream = Stream(self.screen)
        self._command = list(command)
        self._size = struct.pack("HHHH", lines, columns, 0, 0)
        self._environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            # The emulator does not know this protocol and would draw its sequences.
            "TEXTUAL_DISABLE_KITTY_KEY": "1",
            "TEXTUAL_ANIMATIONS": "none",
            **(environment or {}),
        }

    def __enter__(self) -> Self:
        self._home = TemporaryDirectory(prefix="callboard-home-")
        self._environment = {"HOME": self._home.name, **self._environment}
        self._process, self._descriptor = pty.fork()
        if self._process == 0:
            # Before the program runs: otherwise it could read another size than the emulator's and draw for that.
            fcntl.ioctl(0, termios.TIOCSWINSZ, self._size)
            # It handles every signal, even if the tests run with some ignored (as in the background of a shell).
            for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_DFL)
            os.chdir(self._folder)
            os.execvpe(self._command[0], self._command, self._environment)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is not None:
            sys.stderr.write(self.text + "\n")
        # A pty's child leads its own session, so this also ends every process that the program started and did not end.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process, signal.SIGKILL)
        self.peak = os.wait4(self._process, 0)[2].ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        _wait_for_end_of_group(self._process)
        os.close(self._descriptor)
        self._home.cleanup()

    @property
    def text(self) -> str:
        """What is on screen."""
        self._feed()
        if self.screen.dirty:
            for line in self.screen.dirty & self._lines.keys():
                self._lines[line] = self._line(line)
            self.screen.dirty.clear()
            self._text = "\n".join(self._lines.values())
        return self._text

    def _line(self, line: int) -> str:
        """A line of the screen.

        The second half of a wide letter is empty, and it stays empty when another letter replaces the first half. A terminal
        shows a blank there. The emulator's own drawing fails on it.
        """
        row, letters = self.screen.buffer[line], list[str]()
        for letter in [row[column].data for column in range(self.screen.columns)]:
            if letter or not (letters and cell_len(letters[-1]) == 2):
                letters.append(letter or " ")
        return "".join(letters)

    def _feed(self) -> None:
        """Have the emulator draw the output read so far. It is slow, and most frames are never looked at."""
        if self._unfed:
            chunk, self._unfed = self._unfed, b""
            self._stream.feed(_COLOUR.sub(b"", chunk))

    def type(self, text: str) -> None:
        """Type a text letter by letter."""
        for letter in text:
            os.write(self._descriptor, letter.encode())

    def press(self, *keys: str) -> None:
        """Press keys by name."""
        for key in keys:
            self.press_at_once(key)
            if key == "escape":
                # A key right after an Escape would be read as one key with it.
                self.rest(0.2)

    def press_deliberately(self, key: str) -> None:
        """Press a key after a pause. The program may treat a key that comes at once as an accident."""
        self.rest(0.8)
        self.press(key)

    def rest(self, seconds: float) -> None:
        """Send no keys for some seconds, and read the output."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.read(left)

    def press_at_once(self, *keys: str) -> None:
        """Press keys by name, or type texts, so fast that the program reads all of them at once."""
        codes = (KEYS.get(key) or (chr(ord(key[5:]) & 31) if key.startswith("ctrl+") else key) for key in keys)
        os.write(self._descriptor, "".join(codes).encode())

    def paste(self, text: str) -> None:
        """Paste a text as terminals do."""
        os.write(self._descriptor, b"\x1b[200~" + text.encode("utf-8", "replace") + b"\x1b[201~")

    def resize(self, columns: int, lines: int) -> None:
        """Resize the window."""
        # Output for the old size is drawn at the old size.
        while self.read(0):
            pass
        self._feed()
        self.screen.resize(lines, columns)
        self._lines = dict.fromkeys(range(lines), "")
        self.screen.dirty.update(self._lines)
        fcntl.ioctl(self._descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        os.kill(self._process, signal.SIGWINCH)

    def wait_for(self, condition: str | Callable[[str], bool]) -> str:
        """Read until the screen shows a text or fulfils a condition. Returns the screen."""
        holds = condition if callable(condition) else (lambda text: condition in text)
        end = time.monotonic() + _PATIENCE
        while not holds(self.text):
            assert time.monotonic() < end, f"not on screen after {_PATIENCE} s: {condition}\n{self.text}"
            if self.read(0.5) is None:
                assert holds(self.text), f"the program ended before this was on screen: {condition}\n{self.text}"
                break
            while self.read(0):
                pass  # a frame comes in several pieces: check when all of them have arrived
        return self.text

    def press_until(self, key: str, condition: str) -> str:
        """Press a key again and again until the screen shows a text. Returns the screen."""
        end = time.monotonic() + _PATIENCE
        while condition not in self.text:
            assert time.monotonic() < end, f"not on screen after {_PATIENCE} s: {condition}\n{self.text}"
            self.press(key)
            self.rest(0.2)
        return self.text

    def wait_for_end(self) -> bytes:
        """Read until the program ends. Returns everything that it wrote."""
        end = time.monotonic() + _PATIENCE
        while self.read(0.5) is not None:
            assert time.monotonic() < end, "the program did not end"
        return self.written

    def read(self, patience: float) -> bytes | None:
        """The program's next output: empty when there is none in that time, None when the program has ended."""
        chunk = self._read_chunk(patience)
        if chunk:
            self.written += chunk
            self._unfed += chunk
        return chunk

    def _read_chunk(self, patience: float) -> bytes | None:
        ready, _, _ = select.select([self._descriptor], [], [], patience)
        if not ready:
            return b""
        try:
            chunk = os.read(self._descriptor, 65_536)
        except OSError:
            return None
        return chunk or None


def _wait_for_end_of_group(group: int) -> None:
    """Wait until the processes of a killed group are gone, at most a second: a zombie may stay longer."""
    end = time.monotonic() + 1
    with contextlib.suppress(ProcessLookupError):
        while time.monotonic() < end:
            os.killpg(group, 0)
            time.sleep(0.005)


def choose_account(terminal: Terminal) -> None:
    """Send the calls of the explorer, which has just started, to the first account that is no sandbox."""
    terminal.wait_for("Ask, or paste")
    terminal.press("f6")
    terminal.wait_for("Choose accounts")
    terminal.press("down", "enter", "escape")
    terminal.wait_for(lambda text: "Choose accounts" not in text)


def open_tool(terminal: Terminal, name: str, shown: str) -> None:
    """Find a tool by its name, and open it; waits until its form shows a text."""
    terminal.press("ctrl+f", "ctrl+u")
    terminal.type(name)
    terminal.wait_for(lambda text: name in text.replace(f"» {name}", ""))
    terminal.press("enter")
    terminal.wait_for(shown)
