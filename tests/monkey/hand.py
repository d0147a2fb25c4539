"""The monkey's hand: sends actions as bytes, in a terminal that keeps the output and draws it only for a report."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pyte

from tests.monkey.household import NOWHERE
from tests.monkey.visits import Action
from tests.terminal import KEYS, Terminal
from tui.keyboard.key_names import spelled

_KEYS = KEYS | {
    "pageup": "\x1b[5~",
    "pagedown": "\x1b[6~",
    "delete": "\x1b[3~",
    "shift+tab": "\x1b[Z",
    "ctrl+space": "\x00",
    "f7": "\x1b[18~",
    "f9": "\x1b[20~",
    "f10": "\x1b[21~",
    "f12": "\x1b[24~",
    # Other names for some keys; the bytes are the same.
    **dict.fromkeys(("shift+f1", "f13"), "\x1b[1;2P"),
    **dict.fromkeys(("shift+f2", "f14"), "\x1b[1;2Q"),
    **dict.fromkeys(("shift+f5", "f17"), "\x1b[15;2~"),
    **dict.fromkeys(("shift+f9", "f21"), "\x1b[20;2~"),
    **dict.fromkeys(("shift+f10", "f22"), "\x1b[21;2~"),
}
_ARROWS = {"up": "A", "down": "B", "right": "C", "left": "D", "home": "H", "end": "F"}
_MODIFIED = {"shift": 2, "alt": 3, "ctrl": 5}
_PATIENCE = 30.0
_QUIET = 0.02


class Ended(Exception):
    """The program has ended."""


class Frozen(Exception):
    """The screen stopped reacting."""


def code_of(key: str) -> str:
    """The bytes that a terminal sends for a key."""
    if key in _KEYS:
        return _KEYS[key]
    modifier, _, name = key.partition("+")
    if name in _ARROWS:
        return f"\x1b[1;{_MODIFIED[modifier]}{_ARROWS[name]}"
    if modifier == "ctrl" and len(name) == 1:
        return chr(ord(name) & 31)
    if modifier == "alt" and len(name) == 1:
        return f"\x1b{name}"
    letter = " " if key == "space" else spelled(key)
    assert len(letter) == 1, key
    return letter


class Hand(Terminal):
    """A terminal with keys, mouse and sizes. Output since the last full repaint is drawn only when `text` is read."""

    def __init__(
        self,
        home: Path,
        command: Sequence[str] = (sys.executable, "-m", "tui", "explore", "--world", "rough"),
        *,
        columns: int = 120,
        lines: int = 40,
        patience: float = _PATIENCE,
    ) -> None:
        environment = {
            "HOME": str(home),
            "SSH_CLIENT": "the terminal's clipboard is used",
            # Programs that the program starts must not react to the keys meant for it.
            "PAGER": "cat",
            "EDITOR": "true",
            "VISUAL": "true",
            "BROWSER": "true",
            # Nothing leaves this machine, whatever address is typed.
            "HTTP_PROXY": NOWHERE,
            "HTTPS_PROXY": NOWHERE,
            "ALL_PROXY": NOWHERE,
        }
        super().__init__(command, columns=columns, lines=lines, environment=environment, folder=home)
        self._across, self._down = columns, lines
        self._painted = b""
        self._patience = patience

    @property
    def text(self) -> str:
        """The screen, drawn from the output since the last full repaint."""
        screen = pyte.Screen(self._across, self._down)
        pyte.ByteStream(screen).feed(self._painted)
        return "\n".join(line.rstrip() for line in screen.display)

    def read(self, patience: float) -> bytes | None:
        """The program's next output, as in `Terminal.read`."""
        chunk = self._read_chunk(patience)
        if chunk:
            self._painted += chunk
        return chunk

    def do(self, action: Action) -> None:
        """Do one action, and read the output until there is none for a moment."""
        numbers = action.words.split(" ")
        match action.kind:
            case "key":
                self._write(code_of(action.words))
            case "text":
                self._write(action.words)
            case "paste":
                self._write(f"\x1b[200~{action.words}\x1b[201~")
            case "click":
                x, y = self._place(numbers[0], numbers[1])
                for _ in range(int(numbers[2])):
                    self._write(f"\x1b[<0;{x};{y}M\x1b[<0;{x};{y}m")
            case "drag":
                (x, y), (to_x, to_y) = self._place(*numbers[:2]), self._place(*numbers[2:])
                self._write(f"\x1b[<0;{x};{y}M\x1b[<32;{(x + to_x) // 2};{y}M\x1b[<32;{to_x};{to_y}M\x1b[<0;{to_x};{to_y}m")
            case "wheel":
                x, y = self._place(numbers[0], numbers[1])
                self._write(f"\x1b[<{64 if int(numbers[2]) < 0 else 65};{x};{y}M" * abs(int(numbers[2])))
            case "resize":
                self.resize(int(numbers[0]), int(numbers[1]))
        self._drain(0.25 if action.words == "escape" else _QUIET)

    def resize(self, columns: int, lines: int) -> None:
        """Resize the window."""
        self._across, self._down = columns, lines
        with contextlib.suppress(ProcessLookupError):
            super().resize(columns, lines)

    def answers(self) -> None:
        """Change the height by a line and back, and wait for a full repaint each time. A frozen screen does not repaint.

        Raises:
            Frozen: there was no repaint in time.
            Ended: the program has ended.
        """
        across, down = max(self._across, 40), max(self._down, 10)
        for lines in (down + 1, down):
            self._drain(_QUIET)
            self._painted = b""
            self.resize(across, lines)
            # A full repaint moves the cursor to the last line too.
            wanted, end = f"\x1b[{lines};1H".encode(), time.monotonic() + self._patience
            while wanted not in self._painted and len(self._painted) < across * lines:
                if time.monotonic() > end:
                    raise Frozen
                self._drain(0.05)

    def exit_code(self) -> int:
        """The program's exit code, or the negative number of the signal that ended it.

        Raises:
            Frozen: it has left its terminal but does not end.
        """
        end = time.monotonic() + self._patience
        while (ended := os.waitpid(self._process, os.WNOHANG)) == (0, 0):
            if time.monotonic() > end:
                raise Frozen
            time.sleep(0.01)
        _, status = ended
        # Leaving the context waits for a process, so this one takes the place of the one that ended.
        self._process = os.spawnlp(os.P_NOWAIT, "true", "true")
        return os.waitstatus_to_exitcode(status)

    def _place(self, x: str, y: str) -> tuple[int, int]:
        return 1 + int(float(x) * self._across), 1 + int(float(y) * self._down)

    def _write(self, text: str) -> None:
        data = text.encode("utf-8", "replace")
        try:
            while data:
                data = data[os.write(self._descriptor, data[:512]) :]
                if data:
                    self._drain(0)
        except OSError:
            raise Ended from None

    def _drain(self, patience: float) -> None:
        while True:
            chunk = self.read(patience)
            if chunk is None:
                raise Ended
            if not chunk:
                return
