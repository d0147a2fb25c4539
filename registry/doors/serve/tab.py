"""One tab: a program in a pseudo-terminal, and the page that currently shows it, if any.

The program runs on while no page shows it; its output is dropped then, and redrawn for the next page. A page that reads
too slowly gets the redrawn screen in place of a backlog.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import contextlib
import fcntl
import os
import pty
import re
import signal
import struct
import sys
import termios
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from registry.doors.serve.limits import Limits

_LONGEST = 131_072
"""Bytes of a sequence that are kept; the program never writes more in one."""

_CONTROLS = rb"[\x00-\x17\x19\x1c-\x1f\x7f]"  # a terminal ignores them between ESC and what follows
_BEGIN = re.compile(rb"\x1b" + _CONTROLS + rb"*\]|\xc2\x9d")
_END = re.compile(rb"[\x07\x18\x1a]|(?=\x1b)|\xc2\x9c")  # of ESC \ the terminal reads the rest, which has no effect
_CUT = re.compile(rb"(?:\x1b" + _CONTROLS + rb"*|\xc2)\Z")
_COPYING = re.compile(rb"0*52;[^;]*;([A-Za-z0-9+/=]*)")


class Commands:
    """Splits a program's output into text for the terminal and texts to copy."""

    def __init__(self) -> None:
        self._copied: str | None = None
        self._cut = b""
        self._inside: bytearray | None = None

    def without(self, written: bytes) -> bytes:
        """The next piece without its commands; if its last bytes may begin a command, they are returned with the next piece."""
        rest, kept = self._cut + written, bytearray()
        self._cut = b""
        while rest:
            if self._inside is None:
                if (begin := _BEGIN.search(rest)) is None:
                    return bytes(kept + self._up_to_cut(rest))
                kept += rest[: begin.start()]
                rest, self._inside = rest[begin.end() :], bytearray()
            elif (end := _END.search(rest)) is None:
                self._keep(self._up_to_cut(rest))
                break
            else:
                self._keep(rest[: end.start()])
                rest = rest[end.end() :]
                self._finish(bytes(self._inside))
                self._inside = None
        return bytes(kept)

    def take_copied(self) -> str | None:
        """The last text to copy, once; None if there is none."""
        copied, self._copied = self._copied, None
        return copied

    def _up_to_cut(self, piece: bytes) -> bytes:
        if (cut := _CUT.search(piece)) is None:
            return piece
        self._cut = cut[0]
        return piece[: cut.start()]

    def _keep(self, piece: bytes) -> None:
        assert self._inside is not None
        self._inside += piece[: _LONGEST + 1 - len(self._inside)]

    def _finish(self, command: bytes) -> None:
        if len(command) <= _LONGEST and (found := _COPYING.fullmatch(command)) is not None:
            try:
                self._copied = base64.b64decode(found[1], validate=True).decode("utf-8", "replace")
            except binascii.Error:
                return


_LAUNCH = Path(__file__).with_name("child.py")
_READ = 65_536

Show = Callable[[bytes], Awaitable[None]]
"""Sends a program's output to a page."""

Copy = Callable[[str], Awaitable[None]]
"""Lets a page copy a text."""


class Tab:
    """A program and its terminal.

    Args:
        id: the id by which the page finds it again.
        owner: the visitor who owns it.
        folder: for its files; exists as long as the tab.
        limits: its limits.

    Attributes:
        touched: when the last key was pressed, by the loop's clock.
        left: when the last page disconnected; None while one is connected.
        ended: set when the program has ended.
        code: its exit code, then.
        why: a sentence, why the server ended it; empty if the program ended by itself.
        offered: the files reported to a page, by name, each with its size and time of writing.
    """

    def __init__(self, id_: str, owner: str, folder: Path, limits: Limits) -> None:
        self.id = id_
        self.owner = owner
        self.folder = folder
        self.ended = asyncio.Event()
        self.code: int | None = None
        self.why = ""
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self.touched = self._loop.time()
        self.left: float | None = self.touched
        self._terminal = -1
        self._process: asyncio.subprocess.Process | None = None
        self._keys = bytearray()
        self._taken = asyncio.Event()
        self._drawn = bytearray()
        self._commands = Commands()
        self._news = asyncio.Event()
        self._torn = False
        self._page: object | None = None
        self._size = (0, 0)
        self._waiter: asyncio.Task[None] | None = None
        self.offered: dict[str, tuple[int, int]] = {}

    async def start(self, command: Sequence[str], environment: Mapping[str, str], columns: int, lines: int) -> None:
        """Start the program.

        Raises:
            OSError: it cannot be started.
        """
        self._terminal, theirs = pty.openpty()
        try:
            self._resize(columns, lines)
            os.set_blocking(self._terminal, False)
            launch = [sys.executable, "-I", "-S", str(_LAUNCH), str(self._limits.file), *command]
            self._process = await asyncio.create_subprocess_exec(
                *launch,
                stdin=theirs,
                stdout=theirs,
                stderr=theirs,
                env=dict(environment),
                cwd=self.folder,
                start_new_session=True,
            )
        except BaseException:
            self._hang_up()
            raise
        finally:
            os.close(theirs)
        self._loop.add_reader(self._terminal, self._read)
        self._waiter = asyncio.create_task(self._wait())

    async def _wait(self) -> None:
        assert self._process is not None
        self.code = await self._process.wait()
        self._read()  # the remaining output
        self._hang_up()
        self._kill()  # processes that it left running in its group
        self.ended.set()
        self._news.set()
        self._taken.set()

    # Input

    async def type(self, keys: bytes) -> None:
        """Send keys to the program; waits while it reads none."""
        self.touched = self._loop.time()
        self._keys += keys
        self._write()
        while len(self._keys) > self._limits.waiting and not self.ended.is_set():
            self._taken.clear()
            await self._taken.wait()

    def _write(self) -> None:
        if self._terminal < 0:
            self._keys.clear()
            return
        with contextlib.suppress(BlockingIOError, OSError):
            while self._keys:
                done = os.write(self._terminal, self._keys)
                del self._keys[:done]
        if self._keys:
            self._loop.add_writer(self._terminal, self._write)
        else:
            self._loop.remove_writer(self._terminal)
        self._taken.set()

    def resize(self, columns: int, lines: int) -> None:
        """Set the terminal's size, within the limits."""
        if self._terminal >= 0:
            self._resize(columns, lines)

    def _resize(self, columns: int, lines: int) -> None:
        size = max(20, min(columns, self._limits.columns)), max(5, min(lines, self._limits.lines))
        if size != self._size:
            self._size = size
            fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))

    # Output

    def _read(self) -> None:
        if self._terminal < 0:
            return
        try:
            drawn = os.read(self._terminal, _READ)
        except BlockingIOError:
            return
        except OSError:  # the program has ended
            drawn = b""
        if not drawn:
            self._loop.remove_reader(self._terminal)
            return
        drawn = self._commands.without(drawn)
        if self._page is None:
            return
        if not self._torn:
            self._drawn += drawn
            if len(self._drawn) > self._limits.waiting:
                self._drawn.clear()
                self._torn = True
        self._news.set()

    async def show(self, send: Show, copy: Copy, columns: int, lines: int) -> None:
        """Show the program on a page until the program ends or another page takes over; redraws everything first.

        Raises:
            Taken: another page shows it now.
        """
        page = self._page = object()
        self.left = None
        self._news.set()  # wakes an earlier page, which then raises Taken
        self._drawn.clear()
        self._commands.take_copied()  # copied while no page was connected
        self._torn = False
        try:
            self.resize(columns, lines)
            self._redraw()
            while True:
                self._news.clear()
                if self._page is not page:
                    raise Taken
                if self._drawn:
                    drawn, self._drawn = bytes(self._drawn), bytearray()
                    await send(drawn)
                elif (text := self._commands.take_copied()) is not None:
                    await copy(text)
                elif self._torn:
                    self._torn = False
                    self._redraw()
                elif self.ended.is_set():
                    return
                else:
                    await self._news.wait()
        finally:
            if self._page is page:
                self._page = None
                self._drawn.clear()
                self.left = self._loop.time()

    def _redraw(self) -> None:
        """Make the program redraw everything, even if the size has not changed."""
        if self._process is not None and not self.ended.is_set():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGWINCH)

    # The end

    async def close(self) -> None:
        """Close the terminal (SIGHUP); kill the processes that still run after `Limits.ending` seconds."""
        self._hang_up()
        if self._waiter is None:
            return
        try:
            async with asyncio.timeout(self._limits.ending):
                await self.ended.wait()
        except TimeoutError:
            self._kill()
            await self.ended.wait()

    def _hang_up(self) -> None:
        if self._terminal >= 0:
            self._loop.remove_reader(self._terminal)
            self._loop.remove_writer(self._terminal)
            os.close(self._terminal)
            self._terminal = -1

    def _kill(self) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)


class Taken(Exception):
    """Another page shows the tab."""
