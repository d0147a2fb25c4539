"""Alarms: the reasons between two boards, each once; and the user's command for them.

The command is split into words once, at the start, as a shell would, and run with only those words. Titles from outside reach
it as values of variables and as JSON, never as a part of a command line. One runs at a time; alarms in the meantime are passed
to the next run together, and those beyond the limit are only counted. A command that runs too long is killed. The board never
waits for it.
"""

import asyncio
import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping
from tempfile import TemporaryFile

from msgspec import Struct

from registry.oncall.board import Board, IncidentRow
from registry.oncall.model import MINUTE, TRIGGERED, iso
from registry.oncall.scope import Scope
from registry.text.shown import shortened, visible_json, visible_line

STALE_FOR = 3 * MINUTE
PATIENCE = 30.0  # seconds after which a command is killed
MOST_TOLD = 50  # alarms that one run of the command gets; it also gets the number of further ones
_ALL_TEAMS = Scope()
_LONGEST, _LONGEST_VALUE = 160, 500


class Alarm(Struct, frozen=True):
    """A reason for an alarm: its key, and words that are safe to show."""

    key: str
    words: str

    @property
    def kind(self) -> str:
        """Its kind: the first part of its key."""
        return self.key.partition(" ")[0]


class Alarms:
    """Finds what is new between two boards. Reasons that were reported, or were there at first, are not reported again."""

    def __init__(self) -> None:
        self._announced: set[str] = set()
        self._last: Board | None = None
        self._stale = False

    def look(self, board: Board, now: float, scope: Scope = _ALL_TEAMS) -> list[Alarm]:
        """The alarms that are new on this board, which has all open incidents, also those that a filter hides on screen.

        Incidents of teams outside the scope give an alarm only if they are mine.
        """
        read = board.facts.panel("incidents").at
        news: list[Alarm] = []
        # The same board is checked again each second, and may have thousands of rows: it has nothing new.
        if read is not None and board is not self._last:
            found = {key: (lead, row.mine, row.incident) for key, lead, row in _of(board) if key not in self._announced}
            self._announced |= found.keys()
            if self._last is not None:
                news = [
                    Alarm(key, f"{lead}: {shortened(visible_line(f'{one.service.name}: {one.title}'), _LONGEST)}")
                    for key, (lead, mine, one) in found.items()
                    if mine or scope.of_teams(one.teams)
                ]
            self._last = board
        stale = read is not None and now - read >= STALE_FOR
        if stale and not self._stale:
            news.append(Alarm("stale", f"Callboard: incidents not updated for {int((now - (read or now)) // MINUTE)} min"))
        self._stale = stale
        return news


def _of(board: Board) -> Iterator[tuple[str, str, IncidentRow]]:
    """All reasons on a board: key, first words and row. Keys contain the time, so that a repeated event rings again."""
    for row in board.rows:
        one = row.incident
        if one.high and one.status == TRIGGERED:
            if one.changed > one.created + 1:
                yield f"back {one.id} {one.changed}", "Triggered again", row
            else:
                yield f"new {one.id}", "New", row
        if row.mine and one.status == TRIGGERED:
            since = max((at for ref, at in one.assigned if ref.id == board.me), default=0.0)
            if since > one.created + 1:
                yield f"mine {one.id} {since}", "Escalated to you", row
        if row.next.kind == "exhausted":
            yield f"exhausted {one.id} {one.since}", "Escalation exhausted, nobody left to page", row


class Ring(Struct, frozen=True):
    """New alarms, with their account, the board's verdict in words, and the time in Unix seconds."""

    account: str
    verdict: str
    at: float
    alarms: tuple[Alarm, ...]


class WrongCommand(ValueError):
    """The command cannot be run; the text says why and what to write instead."""


class AlarmCommand:
    """Runs the command as typed.

    Args:
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
        tell: Callable[[str], object] = lambda _: None,
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
        process = self._started(*_data(rings))
        ended = asyncio.create_task(asyncio.to_thread(process.wait))
        try:
            await asyncio.wait_for(asyncio.shield(ended), self._patience)
        except TimeoutError:
            self.tell(f"the alarm command was stopped after {self._patience:.0f} s")
        finally:
            if not ended.done():
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)  # it leads its own process group
                await asyncio.shield(ended)
        if process.returncode and process.returncode > 0:
            self.tell(f"the alarm command exited with status {process.returncode}")

    def _started(self, data: bytes, variables: Mapping[str, str]) -> subprocess.Popen[bytes]:
        """The running command. It reads a file: a program that it leaves behind could hold a pipe open, and us with it."""
        with TemporaryFile() as stdin:
            stdin.write(data)
            stdin.seek(0)
            return subprocess.Popen(  # noqa: S603 (the user's own command)
                [self._program, *self._words[1:]],
                stdin=stdin,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**self._environment, **variables},
                start_new_session=True,
            )


def _data(rings: list[Ring]) -> tuple[bytes, dict[str, str]]:
    """The input of a run: JSON for its stdin, and variables."""
    last = rings[-1]
    alarms = [alarm for ring in rings for alarm in ring.alarms]
    passed, at = alarms[:MOST_TOLD], iso(last.at)
    told = [{"kind": alarm.kind, "words": alarm.words} for alarm in passed]
    common = {"at": at, "account": last.account, "verdict": last.verdict}
    first = {"": passed[0].words, "_kind": passed[0].kind, "_count": str(len(alarms))}
    variables = first | {f"_{name}": value for name, value in common.items()}
    data = visible_json(json.dumps({**common, "alarms": told, "more": len(alarms) - len(passed)}, ensure_ascii=False)) + "\n"
    return data.encode(), {
        f"CALLBOARD_ALARM{name.upper()}": shortened(visible_line(value), _LONGEST_VALUE) for name, value in variables.items()
    }
