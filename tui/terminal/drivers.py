"""Chooses the driver for the terminal."""

from __future__ import annotations

import asyncio
import os
import select
import selectors
import signal
from codecs import getincrementaldecoder
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Any, Protocol, cast

from textual._xterm_parser import XTermParser
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver

from registry.files.served import served_folder

_START, _END = "\x1b[200~", "\x1b[201~"
_ESCAPE, _SHOWN = "\x1b", "\N{SYMBOL FOR ESCAPE}"


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


SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_PIECE = 4_096
_LOOK_EVERY = 1.0
"""Seconds between two checks whether the terminal is still there; not every system sends a signal."""


class Leaving(Protocol):
    """An application that can be asked to quit."""

    def leave(self, number: int) -> None:
        """Settle running work, and quit. `number` is the signal's."""


class TerminalDriver(LinuxDriver):
    """Textual's driver for POSIX systems, for an application that can be asked to quit."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        assert self._file is not None, "the explorer needs a terminal"
        self._file = cast(Any, _Tolerant(self._file))
        self._leaving: asyncio.AbstractEventLoop | None = None
        self._hear: Callable[[int], None] = lambda _: None

    def start_application_mode(self) -> None:
        """Start to use the terminal, and handle signals that end the program."""
        loop = asyncio.get_running_loop()
        if self._leaving is None:
            self._leaving, self._hear = loop, cast(Leaving, self._app).leave
            for number in SIGNALS:
                with suppress(ValueError, RuntimeError):  # not in the main thread
                    if signal.getsignal(number) is not signal.SIG_IGN:
                        loop.add_signal_handler(number, self._hear, int(number))
            loop.call_later(_LOOK_EVERY, self._look)
        super().start_application_mode()  # type: ignore[no-untyped-call]

    def _look(self) -> None:
        """Quit if the terminal is gone, else check again later."""
        if self._leaving is None or self._leaving.is_closed():
            return
        watch = select.poll()
        watch.register(self.fileno, 0)  # no events: a hang-up is always reported
        if watch.poll(0):
            self._hear(int(signal.SIGHUP))
        else:
            self._leaving.call_later(_LOOK_EVERY, self._look)

    def _sigtstp_application(self, *_: object) -> None:
        stop = super()._sigtstp_application
        if self._leaving is None or not self._auto_restart:  # another program has the terminal
            stop()
        else:
            # Not between any two instructions: this thread may hold the lock of the one that writes.
            self._soon(stop)

    def _sigcont_application(self, *_: object) -> None:
        self._soon(self._go_on)

    def _soon(self, step: Callable[[], None]) -> None:
        """Take a step in the event loop, from a signal's handler or another thread; not before it runs or after it ended."""
        if self._leaving is not None:
            with suppress(RuntimeError):
                self._leaving.call_soon_threadsafe(step)

    def _go_on(self) -> None:
        """Use the terminal again. A program that nobody stopped is asked for it too, as when its terminal goes away.

        Its threads end first: one that nobody waits for any more would keep the program from ending.
        """
        reading = self._key_thread is not None and self._key_thread.is_alive()
        if not self._auto_restart or not (reading or self._must_signal_resume):
            return  # another program has the terminal, or the explorer is quitting
        if reading:
            self.suspend_application_mode()
        self.resume_application_mode()

    def _run_input_thread(self) -> None:
        with suppress(OSError):
            self.run_input_thread()
        if not self.exit_event.is_set():  # the terminal is gone
            self._soon(lambda: self._hear(int(signal.SIGHUP)))

    def run_input_thread(self) -> None:
        """Read from the terminal, and pass on what it means, until the terminal or the program ends.

        Textual's own reader ends at a byte that is not UTF-8, so that no key would work any more, and lets pasted text press
        keys.
        """
        parser, pasted = XTermParser(self._debug), PastedText()
        decode = getincrementaldecoder("utf-8")("replace").decode
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if selector.select(0.1):
                    if not (read := os.read(self.fileno, _PIECE)):
                        return
                    if text := pasted.harmless(decode(read)):
                        for message in parser.feed(text):
                            self.process_message(message)
                for message in parser.tick():
                    self.process_message(message)

    def _disable_mouse_support(self) -> None:
        if self._mouse_pixels:
            self.write("\x1b[?1016l")
        super()._disable_mouse_support()


class _Tolerant:
    """A stream to a terminal that may be gone; then output is discarded."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def write(self, text: str) -> int:
        """Write, if the terminal is still there."""
        with suppress(OSError):
            return self._file.write(text)
        return len(text)

    def flush(self) -> None:
        """Flush, if the terminal is still there."""
        with suppress(OSError):
            self._file.flush()

    def fileno(self) -> int:
        """The terminal's file descriptor."""
        return self._file.fileno()

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return self._file.isatty()


class BrowserDriver(TerminalDriver):
    """Textual's driver, for a terminal that may lose its contents and modes."""

    def start_application_mode(self) -> None:
        """Start to use the terminal, and handle the signal of a new page."""
        super().start_application_mode()
        changed = signal.getsignal(signal.SIGWINCH)

        def look_again() -> None:
            if self._writer_thread is None:
                return  # another program has the terminal
            self._take_page()
            if callable(changed):
                changed(signal.SIGWINCH, None)
            for screen in (*self._app._background_screens, *self._app.screen_stack[-1:]):
                screen.refresh(layout=True)

        asyncio.get_running_loop().add_signal_handler(signal.SIGWINCH, look_again)

    def _take_page(self) -> None:
        """Set the modes of the page's terminal, as at the start."""
        self.write("\x1b[?1049h\x1b[2J")
        self._enable_mouse_support()
        self.write("\x1b[?25l\x1b[?1004h")
        self._request_terminal_sync_mode_support()
        self._enable_bracketed_paste()
        self._disable_line_wrap()
        self.flush()

    def _query_in_band_window_resize(self) -> None:
        """Do nothing: a new page would not know that this mode was agreed with the old one."""


def driver_class() -> type[Driver]:
    """The driver class for this terminal: one that handles signals on POSIX; in a browser, one that can draw again."""
    return BrowserDriver if served_folder() is not None else TerminalDriver
