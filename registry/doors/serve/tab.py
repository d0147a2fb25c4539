"""Tabs: programs in pseudo-terminals, opened within the limits, found again by their visitors, ended when unused.

The program runs on while no page shows it; its output is dropped then, and redrawn for the next page. A page that reads
too slowly gets the redrawn screen in place of a backlog.
"""

import asyncio
import contextlib
import fcntl
import os
import pty
import secrets
import signal
import struct
import sys
import termios
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Literal

from registry.text.shown import counted

Shows = Literal["explore", "oncall"]
_LAUNCH = Path(__file__).with_name("child.py")
_LOOK_EVERY = 1.0
_READ = 65_536
LONGEST_MESSAGE = 65_536
"""Bytes in one message of a page."""

_WAITING = 1_048_576
"""Bytes that wait to be shown or read; further output is dropped, and the screen is redrawn."""

_LARGEST_FILE = 512_000_000
"""Bytes in one file that a tab writes."""

_ENDING = 20.0
"""Seconds that a program has to settle its work after its terminal was closed."""

_WIDEST, _HIGHEST = 500, 200
"""The most columns and lines of a terminal."""


class Tab:
    """A program and its terminal; its page finds it again by the id. The folder for its files exists as long as it does.

    By the loop's clock, `touched` is when the last key was pressed, `left` when the last page disconnected; None while one is
    connected. `why` says why the server ended it; empty if the program ended by itself. `offered` are the files reported to a
    page, by name, each with its size and time of writing.
    """

    def __init__(self, id_: str, owner: str, folder: Path) -> None:
        self.id, self.owner, self.folder, self.files = id_, owner, folder, folder / "files"
        self.ended = asyncio.Event()
        self.code: int | None = None
        self.why = ""
        self._loop = asyncio.get_running_loop()
        self.touched = self._loop.time()
        self.left: float | None = self.touched
        self._terminal = -1
        self._process: asyncio.subprocess.Process | None = None
        self._keys = bytearray()
        self._taken = asyncio.Event()
        self._drawn = bytearray()
        self._news = asyncio.Event()
        self._torn = False
        self._page: object | None = None
        self._size = (0, 0)
        self._waiter: asyncio.Task[None] | None = None
        self.offered: dict[str, tuple[int, int]] = {}

    async def start(self, command: Sequence[str], environment: Mapping[str, str], columns: int, lines: int) -> None:
        """Start the program. Raises OSError if it cannot be started."""
        self._terminal, theirs = pty.openpty()
        try:
            self.resize(columns, lines)
            os.set_blocking(self._terminal, False)
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-I", "-S", str(_LAUNCH), str(_LARGEST_FILE), *command),
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
        self._signal(signal.SIGKILL)  # processes that it left running in its group
        self.ended.set()
        self._news.set()
        self._taken.set()

    # Input

    async def type(self, keys: bytes) -> None:
        """Send keys to the program; waits while it reads none."""
        self.touched = self._loop.time()
        self._keys += keys
        self._write()
        while len(self._keys) > _WAITING and not self.ended.is_set():
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
        size = max(20, min(columns, _WIDEST)), max(5, min(lines, _HIGHEST))
        if self._terminal >= 0 and size != self._size:
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
        if self._page is None:
            return
        if not self._torn:
            self._drawn += drawn
            if len(self._drawn) > _WAITING:
                self._drawn.clear()
                self._torn = True
        self._news.set()

    async def show(self, send: Callable[[bytes], Awaitable[None]], columns: int, lines: int) -> bool:
        """Show the program on a page until it ends, or another page takes over; returns whether it ended. Redraws it first."""
        page = self._page = object()
        self.left = None
        self._news.set()  # wakes an earlier page, which then lets go
        self._drawn.clear()
        self._torn = False
        try:
            self.resize(columns, lines)
            self._redraw()
            while True:
                self._news.clear()
                if self._page is not page:
                    return False
                if self._drawn:
                    drawn, self._drawn = bytes(self._drawn), bytearray()
                    await send(drawn)
                elif self._torn:
                    self._torn = False
                    self._redraw()
                elif self.ended.is_set():
                    return True
                else:
                    await self._news.wait()
        finally:
            if self._page is page:
                self._page = None
                self._drawn.clear()
                self.left = self._loop.time()

    def _redraw(self) -> None:
        """Make the program redraw everything, even if the size has not changed."""
        if not self.ended.is_set():
            self._signal(signal.SIGWINCH)

    # The end

    async def close(self) -> None:
        """Close the terminal (SIGHUP); kill the processes that still run after `_ENDING` seconds; delete the folder."""
        self._hang_up()
        try:
            if self._waiter is not None:
                async with asyncio.timeout(_ENDING):
                    await self.ended.wait()
        except TimeoutError:
            self._signal(signal.SIGKILL)
            await self.ended.wait()
        finally:
            with contextlib.suppress(OSError):
                await asyncio.to_thread(rmtree, self.folder, ignore_errors=True)

    def _hang_up(self) -> None:
        if self._terminal >= 0:
            self._loop.remove_reader(self._terminal)
            self._loop.remove_writer(self._terminal)
            os.close(self._terminal)
            self._terminal = -1

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, number)


class TooMany(Exception):
    """There are too many tabs; the text gives the limit."""


class Tabs:
    """The tabs of one server, so many at the same time for all visitors.

    A tab ends after `idle` seconds without a key, and `away` seconds after its page was closed, reloaded or lost.
    """

    def __init__(
        self,
        command: Callable[[Shows], Sequence[str]],
        environment: Callable[[Path], Mapping[str, str]],
        *,
        most: int = 20,
        idle: float = 3600.0,
        away: float = 300.0,
    ) -> None:
        self._command, self._environment = command, environment
        self._most, self._idle, self._away = most, idle, away
        self._tabs: dict[str, Tab] = {}
        self._closing: set[asyncio.Task[None]] = set()
        self._over = False

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Tabs can be opened within this context; at its end all are ended, and their folders deleted."""
        sweeper = asyncio.create_task(self._sweep())
        try:
            yield
        finally:
            self._over = True
            sweeper.cancel()
            for tab in list(self._tabs.values()):
                self.close(tab)
            await asyncio.gather(sweeper, *self._closing, return_exceptions=True)

    async def open(self, visitor: str, shows: Shows, columns: int, lines: int) -> Tab:
        """A new tab. Raises `TooMany` at the limit, and OSError if the program cannot be started."""
        if self._over or len(self._tabs) + len(self._closing) >= self._most:
            raise TooMany(f"No more than {self._most} tabs at a time. Close one that is not needed.")
        folder = Path(mkdtemp(prefix="callboard-tab-"))
        tab = Tab(secrets.token_urlsafe(16), visitor, folder)
        self._tabs[tab.id] = tab
        try:
            environment = await asyncio.to_thread(self._environment, folder)
            await tab.start(self._command(shows), environment, columns, lines)
        except BaseException:
            self.close(tab)
            raise
        return tab

    def find(self, id_: str, visitor: str) -> Tab | None:
        """A visitor's tab; None if there is none, or it has ended."""
        tab = self._tabs.get(id_)
        return tab if tab is not None and tab.owner == visitor and not tab.ended.is_set() else None

    def close(self, tab: Tab) -> None:
        """End a tab and delete its folder, once."""
        if self._tabs.pop(tab.id, None) is not None:
            closing = asyncio.create_task(tab.close())
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    async def _sweep(self) -> None:
        """End the tabs that were not used for too long, and remove those that have ended."""
        while True:
            await asyncio.sleep(_LOOK_EVERY)
            now = asyncio.get_running_loop().time()
            for tab in list(self._tabs.values()):
                if tab.ended.is_set():
                    unused = tab.left is not None  # a page that is connected removes it itself
                elif unused := tab.left is not None and now - tab.left > self._away:
                    tab.why = f"Its page was closed or not connected for {counted(round(self._away / 60), 'minute')}."
                elif unused := now - tab.touched > self._idle:
                    tab.why = f"No key was pressed for {counted(round(self._idle / 60), 'minute')}."
                if unused:
                    self.close(tab)
