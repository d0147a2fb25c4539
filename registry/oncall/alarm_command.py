"""The user's command for alarms. It runs without a shell: alarms are passed as data, in the environment and on stdin.

The command is split into words once, at the start, as a shell would, and run with only those words. Titles from outside reach
it as values of variables and as JSON, never as a part of a command line. One runs at a time; alarms in the meantime are passed
to the next run together, and those beyond the limit are only counted. A command that runs too long is killed. The board never
waits for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shlex
import shutil
import signal
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from registry.oncall.alarms import Alarm
from registry.oncall.as_json import iso_or_none
from registry.text.safe_text import shortened, visible_json, visible_line

PATIENCE = 30.0
"""Seconds after which a command is killed."""
MOST_TOLD = 50
"""Alarms that one run of the command gets; it also gets the number of further ones."""
_LONGEST = 500


class WrongCommand(ValueError):
    """The command cannot be run; the text says why and what to write instead."""


@dataclass(frozen=True, slots=True)
class Ring:
    """New alarms, with their account, the board's verdict in words, and the time in Unix seconds."""

    account: str
    verdict: str
    at: float
    alarms: tuple[Alarm, ...]


class AlarmCommand:
    """Runs the command.

    Args:
        command: the command line as typed.
        environment: the variables that the command gets, without those that hold credentials.
        tell: called with a description when the command fails.
        patience: seconds after which a run is killed.

    Raises:
        WrongCommand: it cannot be run.
    """

    def __init__(
        self,
        command: str,
        environment: Mapping[str, str],
        tell: Callable[[str], None] = lambda _: None,
        patience: float = PATIENCE,
    ) -> None:
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            raise WrongCommand(f"--on-alarm: {command!r} cannot be split into words: {str(error).lower()}") from None
        if not self._words or not self._words[0]:
            raise WrongCommand("--on-alarm needs a command, for example 'notify-send Callboard'")
        program = shutil.which(self._words[0], path=environment.get("PATH"))
        if program is None:
            raise WrongCommand(f"--on-alarm: no program {self._words[0]!r} found")
        self.tell = tell
        self._program = program
        self._environment = dict(environment)
        self._patience = patience
        self._waiting: list[Ring] = []
        self._running: asyncio.Task[None] | None = None

    def ring(self, ring: Ring) -> None:
        """Run the command soon, for these alarms and those already waiting. Returns at once."""
        if not ring.alarms:
            return
        self._waiting.append(ring)
        if self._running is None or self._running.done():
            self._running = asyncio.get_running_loop().create_task(self._run_all(), name="alarm command")

    async def aclose(self) -> None:
        """Kill the running command, and drop waiting alarms."""
        self._waiting.clear()
        if self._running is not None:
            self._running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._running

    async def done(self) -> None:
        """Wait until no command runs and no alarm waits."""
        while self._running is not None and not self._running.done():
            await asyncio.wait([self._running])

    async def _run_all(self) -> None:
        while self._waiting:
            first = self._waiting[0].account
            rings = [ring for ring in self._waiting if ring.account == first]
            self._waiting = [ring for ring in self._waiting if ring.account != first]
            try:
                await self._run(rings)
            except OSError as error:
                self.tell(f"could not run the alarm command: {error.strerror or error}")

    async def _run(self, rings: list[Ring]) -> None:
        data, variables = _data(rings)
        process = await asyncio.create_subprocess_exec(
            self._program,
            *self._words[1:],
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            env={**self._environment, **variables},
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(self._patience):
                await process.communicate(data)
        except TimeoutError:
            self.tell(f"the alarm command was stopped after {self._patience:.0f} s")
        except (BrokenPipeError, ConnectionResetError):
            await process.wait()  # the command did not read its stdin
        finally:
            if process.returncode is None:
                _end(process)
                await asyncio.shield(process.wait())
        if process.returncode and process.returncode > 0:
            self.tell(f"the alarm command exited with status {process.returncode}")


def environment_without(secrets: frozenset[str], environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment variables of this process, without those named, which hold credentials."""
    found = os.environ if environment is None else environment
    return {name: value for name, value in found.items() if name not in secrets}


def _data(rings: list[Ring]) -> tuple[bytes, dict[str, str]]:
    """The input of a run: JSON for its stdin, and variables."""
    last = rings[-1]
    alarms = [alarm for ring in rings for alarm in ring.alarms]
    passed = alarms[:MOST_TOLD]
    values = {
        "at": iso_or_none(last.at),
        "account": last.account,
        "verdict": last.verdict,
        "alarms": [{"kind": alarm.kind, "words": alarm.words} for alarm in passed],
        "more": len(alarms) - len(passed),
    }
    variables = {
        "CALLBOARD_ALARM": passed[0].words,
        "CALLBOARD_ALARM_KIND": passed[0].kind,
        "CALLBOARD_ALARM_COUNT": str(len(alarms)),
        "CALLBOARD_ALARM_ACCOUNT": last.account,
        "CALLBOARD_ALARM_VERDICT": last.verdict,
        "CALLBOARD_ALARM_AT": str(values["at"]),
    }
    data = visible_json(json.dumps(values, ensure_ascii=False)) + "\n"
    return data.encode(), {name: shortened(visible_line(value), _LONGEST) for name, value in variables.items()}


def _end(process: asyncio.subprocess.Process) -> None:
    """Kill a command and the processes it started: it leads its own process group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
