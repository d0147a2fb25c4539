"""A server that is a program: started in its own process session, read and written in lines, ended with all its processes."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

import anyio
import mcp_types as types
import msgspec
from mcp.shared.message import SessionMessage

from registry.mcp_client.values import Program, ServerProblem
from registry.text.safe_text import shortened, visible_line

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

    Streams = tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]

_VARIABLES = ("HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER")
_WINDOWS = ("APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "USERPROFILE")
_PATIENCE = 2.0
"""Seconds for a program to exit by itself, and again after SIGTERM."""
_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)
_READ_AT_ONCE, _KEPT, _MOST_GARBAGE = 262_144, 2_000, 1_000_000


class ProgramStreams:
    """The streams of a program.

    Args:
        program: the program to start.
        largest: the size limit of a message in bytes.
        ended: called when no more messages will come.

    Attributes:
        problem: why no more messages come; None while all is well.
    """

    def __init__(self, program: Program, largest: int, ended: Callable[[], None]) -> None:
        self._program = program
        self._largest = largest
        self._ended = ended
        self._wrote: deque[bytes] = deque(maxlen=20)
        self._garbage = b""
        self._garbage_size = 0
        self.problem: ServerProblem | None = None
        self._process: asyncio.subprocess.Process | None = None

    @property
    def hint(self) -> str:
        """The last line of the program's standard error, for the end of an error message; may be empty."""
        said = b"".join(self._wrote)[-_KEPT:].decode("utf-8", "replace").strip().splitlines()
        if said:
            return f" It wrote: “{shortened(visible_line(said[-1].strip()), 200)}”."
        if self._garbage:
            words = shortened(visible_line(self._garbage.decode("utf-8", "replace").strip()), 120)
            return f" It printed something that is not an MCP message: “{words}”."
        return ""

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Streams]:
        """Start the program; end it at the end.

        Raises:
            ServerProblem: it cannot be started.
        """
        process = self._process = await self._start()
        inbox, messages = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        outbox, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
        tasks = [
            asyncio.create_task(self._read(process, inbox)),
            asyncio.create_task(self._write(process, outgoing)),
            asyncio.create_task(self._listen(process)),
        ]
        try:
            yield messages, outbox
        finally:
            for stream in (messages, outbox):
                stream.close()
            stopping = asyncio.create_task(_stop(process))
            try:
                await asyncio.shield(stopping)
            except asyncio.CancelledError:
                await stopping  # a cancelled command must not leave the program behind
                raise
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _start(self) -> asyncio.subprocess.Process:
        names = (*_VARIABLES, *(_WINDOWS if sys.platform == "win32" else ()))
        usual = {name: value for name in names if (value := os.environ.get(name)) is not None}
        folder, name = self._program.folder or None, self._program.command[0]
        if folder is not None and not await asyncio.to_thread(os.path.isdir, folder):
            raise ServerProblem("not found", f"The folder {visible_line(folder)} is not there, in which {name} is started.")
        try:
            return await asyncio.create_subprocess_exec(
                *self._program.command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=usual | dict(self._program.environment),
                cwd=folder,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            reason = "there is no such program" if isinstance(error, FileNotFoundError) else _reason(error)
            raise ServerProblem("not found", f"Cannot start {shortened(visible_line(name), 100)}: {reason}.") from None

    async def _read(
        self, process: asyncio.subprocess.Process, inbox: MemoryObjectSendStream[SessionMessage | Exception]
    ) -> None:
        assert process.stdout is not None
        line = bytearray()
        try:
            while chunk := await process.stdout.read(_READ_AT_ONCE):
                first, *others = chunk.split(b"\n")
                line += first
                for following in others:
                    await self._take(bytes(line), inbox)
                    line = bytearray(following)
                if len(line) > self._largest:
                    size = f"{self._largest / 1_000_000:.3g} MB"
                    raise ServerProblem("too large", f"The server sent a message that exceeds the limit of {size}.", sent=True)
            code = await process.wait()
            how = f"with exit code {code}" if code >= 0 else f"by {signal.Signals(-code).name}"
            raise ServerProblem("ended", f"The server ended {how}.", sent=True)
        except ServerProblem as problem:
            self.problem = self.problem or problem
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            pass  # nobody reads any more
        finally:
            inbox.close()
            self._ended()
        while await process.stdout.read(_READ_AT_ONCE):
            pass  # keep reading: a program that still writes could not end otherwise

    async def _take(self, line: bytes, inbox: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        if not line.strip():
            return
        try:
            message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
        except (ValueError, RecursionError):
            self._refuse(line)
        else:
            await inbox.send(SessionMessage(message))

    def _refuse(self, line: bytes) -> None:
        """Note a line that is not a message. Programs may print text between messages, but half a message is an error.

        Raises:
            ServerProblem: it looks like a damaged message, or there is too much such text.
        """
        self._garbage = self._garbage or line[:300]
        self._garbage_size += len(line)
        try:
            value = msgspec.json.decode(line)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            is_message = line.lstrip().startswith(b"{")
        else:
            is_message = isinstance(value, dict) and "jsonrpc" in value
        if is_message or self._garbage_size > _MOST_GARBAGE:
            raise ServerProblem("no MCP", "The server sent something that is not an MCP message.", sent=True)

    async def _write(self, process: asyncio.subprocess.Process, outgoing: MemoryObjectReceiveStream[SessionMessage]) -> None:
        assert process.stdin is not None
        async with outgoing:
            with suppress(OSError):
                async for one in outgoing:
                    text = one.message.model_dump_json(by_alias=True, exclude_unset=True).encode()
                    process.stdin.write(text + b"\n")
                    await process.stdin.drain()

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        while chunk := await process.stderr.read(4_096):
            self._wrote.append(chunk)


async def _stop(process: asyncio.subprocess.Process) -> None:
    """End a program and its processes: close its input, then send SIGTERM, then kill it."""
    assert process.stdin is not None
    with suppress(OSError):
        process.stdin.close()
    for number in (None, signal.SIGTERM, _KILL):
        if number is not None:
            _signal(process, number)
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                await _exited(process)
            break
    # Processes that it started and that still run.
    if _signal(process, signal.SIGTERM):
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                while _signal(process, 0):  # noqa: ASYNC110 - there is no event for the end of a process that is not our child
                    await asyncio.sleep(0.01)
        _signal(process, _KILL)


async def _exited(process: asyncio.subprocess.Process) -> None:
    # Not `wait`, which also waits for the end of its streams, and its child processes may keep these open.
    while process.returncode is None:  # noqa: ASYNC110
        await asyncio.sleep(0.01)


def _signal(process: asyncio.subprocess.Process, number: int) -> bool:
    """Send a signal to a program and all processes that it started; returns whether any of them still ran."""
    try:
        if sys.platform == "win32":
            process.send_signal(number)
        else:
            os.killpg(process.pid, number)
    except (ProcessLookupError, PermissionError):
        return False
    return sys.platform != "win32"


def _reason(error: OSError | ValueError) -> str:
    return str(getattr(error, "strerror", None) or error)
