"""The terminal: Textual's driver for it, with what a program that may be stopped, hung up on and pasted into needs.

Lines and signs are replaced by similar characters, letters lose their accents, and anything else becomes ``?``. No character
changes its width, so nothing moves. Copied and saved text is not changed.
"""

import asyncio
import os
import selectors
import signal
import unicodedata
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any, cast

from rich.cells import cell_len
from rich.segment import Segment
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.color import Color
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.filter import LineFilter
from textual.message import Message
from textual.messages import InBandWindowResize

from registry.files.folders import served_folder
from tui.terminal.crash_guard import CrashGuard

_SIGNS = str.maketrans(
    "·•✗✓†∅★▾▸▼►▲◆◌⚒↻⌫␛€£¥₹₩▶…‹›↑↓←→↕≈⏎–—“”‘’■□●▪○◦◐◷√»«≥≤⚠×" + "▁▂▃▄▅▆▇" + "│┃║▏▕▌▐▎▊▍▋▉" + "─━═╌┄▔" + "█▀▓▒░",
    ".*Xv%0*-+-+^*o%@<^ELYRW>~<>^v<>%~<--\"\"''$#@#oooov><><!x" + "_,-=+*%" + "|" * 12 + "-" * 6 + "#" * 5,
)
"""Signs; bars in eight steps, which keep their steps; upright lines, level lines, and filled cells."""


class Ascii(LineFilter):
    """Replaces every other character by ASCII."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """A line with ASCII characters only, with the same width."""
        return [Segment(plain(text), style, control) for text, style, control in segments]


@lru_cache(maxsize=4096)
def plain(text: str) -> str:
    """A text in ASCII with the same width in cells."""
    return text if text.isascii() else "".join(_plain(letter) for letter in text.replace(" ⏎ ", "<- ").translate(_SIGNS))


def _plain(letter: str) -> str:
    if letter.isascii():
        return letter
    if "\u2800" <= letter <= "\u28ff":
        return "*"  # the turning dots of a progress sign
    if "\u2500" <= letter <= "\u257f":
        return "+"  # corners of boxes
    width = cell_len(letter)
    base = unicodedata.normalize("NFKD", letter)[:1]
    return base if base.isascii() and base.isprintable() and width == 1 else "?" * width


# Textual's own reader of keys ends at a byte that is not UTF-8, and lets pasted text press keys. Its parser has no public name.


_START, _END = "\x1b[200~", "\x1b[201~"
_ESCAPE, _SHOWN = "\x1b", "\N{SYMBOL FOR ESCAPE}"
_MODES = "\x1b[?1049h\x1b[2J\x1b[?1000h\x1b[?1003h\x1b[?1015h\x1b[?1006h\x1b[?25l\x1b[?1004h\x1b[?2026$p\x1b[?2004h\x1b[?7l"
"""Full screen, mouse, no cursor, focus, synchronised output, marked pastes, no line wrap: as at the start of the program."""

SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_PIECE = 4_096


class OnTerminal(CrashGuard):
    """An application that knows its terminal, has a clipboard of its own, and can be asked to quit."""

    terminal: Driver | None = None
    """The driver of the terminal; None without one, as in tests."""

    copied = ""

    def get_driver_class(self) -> type[Driver]:
        """A driver that handles signals; in a browser, one that can draw again."""
        return BrowserDriver if served_folder() is not None else TerminalDriver

    @property
    def clipboard(self) -> str:
        """What was copied in the program last."""
        return self.copied

    def write_to_terminal(self, sequence: str) -> None:
        if self.terminal is not None:
            self.terminal.write(sequence)
            self.terminal.flush()

    def leave(self, number: int) -> None:
        """Settle running work, and quit. `number` is the signal's."""
        raise NotImplementedError


class PastedText:
    """Takes what a terminal sends, piece by piece; the marks of a paste may be split between two pieces."""

    def __init__(self) -> None:
        self._inside = False
        self._last = ""  # the beginning of a mark at the end of the last piece; inside a paste it was not returned yet

    def harmless(self, text: str) -> str:
        """The text with each escape character inside a paste replaced by its symbol."""
        done: list[str] = []
        while text or not done:
            whole, mark = self._last + text, _END if self._inside else _START
            place = whole.find(mark)
            self._last = _beginning(whole, mark) if place < 0 else ""
            end = place + len(mark) if place >= 0 else len(whole)
            if self._inside:
                pasted = whole[:place] if place >= 0 else whole[: len(whole) - len(self._last)]
                done.append(pasted.replace(_ESCAPE, _SHOWN) + (mark if place >= 0 else ""))
            else:
                done.append(whole[:end][len(whole) - len(text) :])
            text = whole[end:]
            self._inside ^= place >= 0
        return "".join(done)


def _beginning(text: str, mark: str) -> str:
    """The longest end of a text with which a mark begins."""
    return next((mark[:length] for length in range(len(mark) - 1, 0, -1) if text.endswith(mark[:length])), "")


class TerminalDriver(LinuxDriver):
    """Textual's driver for POSIX systems, for an application that can be asked to quit."""

    def __init__(self, app: App[Any], **options: Any) -> None:
        super().__init__(app, **options)
        self._file = cast(Any, _Tolerant(self._file))  # Textual takes no other stream, and its writer ends at the first error
        self._owner = cast(OnTerminal, app)
        self._owner.terminal = self
        self._events: asyncio.AbstractEventLoop | None = None
        self._uses_terminal = self._is_lent = False
        signal.signal(signal.SIGTSTP, lambda *_: self._asked_to_stop())
        signal.signal(signal.SIGCONT, lambda *_: self._soon(self._go_on))

    def start_application_mode(self) -> None:
        """Start to use the terminal, and handle signals that end the program."""
        if self._events is None:
            self._events = asyncio.get_running_loop()
            for number in SIGNALS:
                with suppress(ValueError, RuntimeError):  # not in the main thread
                    if signal.getsignal(number) is not signal.SIG_IGN:
                        self._events.add_signal_handler(number, self._owner.leave, int(number))
        self._uses_terminal = True
        super().start_application_mode()  # type: ignore[no-untyped-call]

    def stop_application_mode(self) -> None:
        """Stop using the terminal. Textual leaves the mouse in pixels."""
        self._uses_terminal = False
        self.write("\x1b[?1016l")
        super().stop_application_mode()

    @contextmanager
    def no_automatic_restart(self) -> Iterator[None]:
        """While another program has the terminal."""
        self._is_lent = True
        with super().no_automatic_restart():
            yield
        self._is_lent = False

    def _asked_to_stop(self) -> None:
        if self._is_lent:
            os.kill(os.getpid(), signal.SIGSTOP)  # with the program that has the terminal
        else:  # not between any two instructions: this thread may hold the lock of the one that writes
            self._soon(self._stop)

    def _stop(self) -> None:
        if self._uses_terminal:
            self.suspend_application_mode()
        os.kill(os.getpid(), signal.SIGSTOP)

    def _go_on(self) -> None:
        """Use the terminal again. A program that was not stopped is told so too, as when its terminal goes away."""
        if self._is_lent or self._owner.is_ending:
            return
        if self._uses_terminal:  # its threads end first: one that nobody waits for would keep the program from ending
            self.suspend_application_mode()
        self.resume_application_mode()

    def _soon(self, step: Callable[[], None]) -> None:
        """Take a step in the event loop, from a signal's handler or another thread; not before it runs or after it ended."""
        if self._events is not None:
            with suppress(RuntimeError):
                self._events.call_soon_threadsafe(step)

    def run_input_thread(self) -> None:
        """Read from the terminal, and pass on what it means, until the terminal or the program ends."""
        parser, pasted = XTermParser(), PastedText()
        decode = getincrementaldecoder("utf-8")("replace").decode
        with suppress(OSError), selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if selector.select(0.1):
                    if not (read := os.read(self.fileno, _PIECE)):
                        break
                    if text := pasted.harmless(decode(read)):
                        for message in parser.feed(text):
                            self.process_message(message)
                for message in parser.tick():
                    self.process_message(message)
        if not self.exit_event.is_set():  # the terminal is gone
            self._soon(lambda: self._owner.leave(int(signal.SIGHUP)))


class _Tolerant:
    """A stream to a terminal that may be gone; then output is discarded."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def write(self, text: str) -> int:
        with suppress(OSError):
            self._file.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._file.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


class BrowserDriver(TerminalDriver):
    """The driver for a page in a browser. When the page is loaded again, its terminal has lost its contents and modes."""

    def start_application_mode(self) -> None:
        """Start to use the terminal, and handle the signal of a new page."""
        super().start_application_mode()
        changed = signal.getsignal(signal.SIGWINCH)

        def look_again() -> None:
            self.write(_MODES)
            if callable(changed):
                changed(signal.SIGWINCH, None)
            for screen in self._owner.screen_stack:
                screen.refresh(layout=True)

        asyncio.get_running_loop().add_signal_handler(signal.SIGWINCH, look_again)

    def process_message(self, message: Message) -> None:
        """Pass a message on. Sizes are told by the signal: a new page would not know that the old one told them itself."""
        if not isinstance(message, InBandWindowResize):
            super().process_message(message)
