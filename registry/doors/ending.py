"""Ends a command on a signal or at its deadline: running work is settled first, and the outcome is printed.

A read is cancelled. The request of a change is cancelled too, but a read then finds out its outcome; a second signal ends
that as well. The exit code is 128 plus the signal's number, as in shells.
"""

import asyncio
import signal
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext, suppress
from typing import Any, TypeVar

from registry.doors.output import ExitCode, complain

Value = TypeVar("Value")
Engine = AbstractAsyncContextManager[object]
_NONE: Engine = nullcontext()

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
"""The signals that end a program: from Ctrl+C, another program, the closed terminal, Ctrl+\\."""


class DeadlinePassed(Exception):
    """The command took longer than its deadline, so many seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"it took longer than {seconds:g} s")
        self.seconds = seconds


def exit_code(error: KeyboardInterrupt) -> int:
    """The exit code of a command that a signal ended: the error's argument, or Ctrl+C."""
    return 128 + int(error.args[0] if error.args else signal.SIGINT)


def words(error: KeyboardInterrupt) -> str:
    """Why a command ended, in a few words."""
    number = exit_code(error) - 128
    return "interrupted" if number == signal.SIGINT else f"ended by {signal.Signals(number).name}"


def listen() -> None:
    """From now on, signals that end the program raise KeyboardInterrupt with their number. Ignored signals stay ignored."""
    for number in SIGNALS[1:]:
        with suppress(ValueError):  # not the main thread, which decides about signals
            if signal.getsignal(number) == signal.SIG_DFL:
                signal.signal(number, _raise)


def _raise(number: int, _: object) -> None:
    raise KeyboardInterrupt(number)


class Ending:
    """How one command ends: by signals, and after `deadline` seconds, if that is given.

    `came` are the reasons to end so far, in order: signal numbers, 0 for the deadline.
    """

    def __init__(self, deadline: float | None = None) -> None:
        self._deadline = deadline
        self._settle: Callable[[], object] | None = None
        self._task: asyncio.Task[Any] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self.came: list[int] = []

    @contextmanager
    def settling(self, settle: Callable[[], object]) -> Iterator[None]:
        """Within this context, the first signal calls `settle` instead of cancelling; the second cancels.

        After it, the deadline ends nothing any more: its result would be lost.
        """
        self._settle = settle
        try:
            yield
        finally:
            self._settle = None
            if self._timer is not None:
                self._timer.cancel()

    @property
    def passed(self) -> DeadlinePassed:
        """The error for the passed deadline."""
        return DeadlinePassed(self._deadline or 0)

    def raise_if_ended(self) -> None:
        """Raise KeyboardInterrupt with its number if a signal has ended the command."""
        if number := next((one for one in self.came if one), None):
            raise KeyboardInterrupt(number)

    def run(self, work: Coroutine[Any, Any, Value], engine: Engine = _NONE) -> Value:
        """The result of the work of an engine, which is closed after it.

        Raises:
            KeyboardInterrupt: a signal ended it; the argument is its number.
            DeadlinePassed: it took longer than the deadline.
        """
        try:
            return asyncio.run(self._run(work, engine))
        except (asyncio.CancelledError, KeyboardInterrupt):
            if not self.came:
                raise
            self.raise_if_ended()
            raise self.passed from None
        finally:
            listen()

    async def _run(self, work: Coroutine[Any, Any, Value], engine: Engine) -> Value:
        loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        heard = []
        for number in SIGNALS:
            with suppress(RuntimeError, ValueError):  # only possible in the main thread
                if signal.getsignal(number) != signal.SIG_IGN:
                    loop.add_signal_handler(number, self._end, int(number))
                    heard.append(number)
        if self._deadline is not None:
            self._timer = loop.call_later(self._deadline, self._end, 0)
        try:
            async with engine:
                return await work
        finally:
            if self._timer is not None:
                self._timer.cancel()
            for number in heard:
                loop.remove_signal_handler(number)

    def _end(self, number: int) -> None:
        self.came.append(number)
        if self._settle is not None:
            settle, self._settle = self._settle, None
            settle()
        elif self._task is not None:
            self._task.cancel()


def run(work: Coroutine[Any, Any, Value], engine: Engine = _NONE) -> Value:
    """Like `Ending.run`, without a deadline."""
    return Ending().run(work, engine)


def print_deadline(error: DeadlinePassed) -> int:
    """Print that the deadline has passed; returns the exit code."""
    way_out = "request less data, or set a longer --deadline"
    return complain(str(error), title="Deadline exceeded", field="--deadline", way_out=way_out, code=ExitCode.CONNECTION)
