"""Ends a command on a signal or at its deadline: what runs is settled first, and the outcome is printed.

A read is dropped. A change is not: its request is dropped, and its outcome is found out by reading; a second signal ends that
as well. The exit code is 128 and the signal's number, as shells have it.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn, TypeVar

from registry.doors.output import ExitCode, complain

Value = TypeVar("Value")

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT") if hasattr(signal, name))
"""What asks a program to end: Ctrl+C, another program, the terminal's end, Ctrl+\\."""


class Ended(KeyboardInterrupt):
    """A signal asked the program to end. `number` is the signal's."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


class DeadlinePassed(Exception):
    """The command took longer than it may. `seconds` is how long that is."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"it took longer than {seconds:g} s")
        self.seconds = seconds


def exit_code(error: KeyboardInterrupt) -> int:
    """The exit code of a command that a signal has ended."""
    return 128 + (error.number if isinstance(error, Ended) else int(signal.SIGINT))


def words(error: KeyboardInterrupt) -> str:
    """The reason why a command ended, in a word or two."""
    number = error.number if isinstance(error, Ended) else signal.SIGINT
    return "interrupted" if number == signal.SIGINT else f"ended by {signal.Signals(number).name}"


def listen() -> None:
    """From now on, signals that ask the program to end raise `Ended`, as Ctrl+C does. One that is ignored stays so."""
    for number in SIGNALS[1:]:
        with suppress(ValueError):  # not the main thread: whoever has that decides
            if signal.getsignal(number) == signal.SIG_DFL:
                signal.signal(number, _raise)


def _raise(number: int, _: object) -> None:
    raise Ended(number)


class Ending:
    """How one command ends.

    Args:
        deadline: seconds after which it is ended; None for none.

    Attributes:
        came: what has ended it so far, in order: numbers of signals, 0 for the deadline.
    """

    def __init__(self, deadline: float | None = None) -> None:
        self._deadline = deadline
        self._settle: Callable[[], object] | None = None
        self._task: asyncio.Task[Any] | None = None
        self.came: list[int] = []

    @contextmanager
    def settling(self, settle: Callable[[], object]) -> Iterator[None]:
        """Within this context, the first signal calls `settle` instead of cancelling; the second cancels."""
        self._settle = settle
        try:
            yield
        finally:
            self._settle = None

    @property
    def passed(self) -> DeadlinePassed:
        """That the deadline has passed."""
        return DeadlinePassed(self._deadline or 0)

    def raise_if_ended(self) -> None:
        """Go on only if nothing has ended the command.

        Raises:
            Ended: a signal has.
        """
        if number := next((one for one in self.came if one), None):
            raise Ended(number)

    def end_at_once(self) -> NoReturn:
        """End the process as the signal that came asks for, without waiting for threads: one of them cannot be ended."""
        error = Ended(next((one for one in self.came if one), signal.SIGINT))
        complain(words(error), title="Interrupted", code=exit_code(error))
        with suppress(OSError):
            sys.stdout.flush()
        os._exit(exit_code(error))

    def run(self, work: Coroutine[Any, Any, Value]) -> Value:
        """What the work gives.

        Raises:
            Ended: a signal has ended it.
            DeadlinePassed: its deadline has.
        """
        try:
            return asyncio.run(self._run(work))
        except (asyncio.CancelledError, KeyboardInterrupt):
            if not self.came:
                raise
            self.raise_if_ended()
            raise self.passed from None
        finally:
            listen()

    async def _run(self, work: Coroutine[Any, Any, Value]) -> Value:
        loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        heard = []
        for number in SIGNALS:
            # Only where the program runs in the main thread of a system that has such signals.
            with suppress(NotImplementedError, RuntimeError, ValueError):
                if signal.getsignal(number) != signal.SIG_IGN:
                    loop.add_signal_handler(number, self._end, int(number))
                    heard.append(number)
        timer = loop.call_later(self._deadline, self._end, 0) if self._deadline is not None else None
        try:
            return await work
        finally:
            if timer is not None:
                timer.cancel()
            for number in heard:
                loop.remove_signal_handler(number)

    def _end(self, number: int) -> None:
        self.came.append(number)
        if self._settle is not None:
            settle, self._settle = self._settle, None
            settle()
        elif self._task is not None:
            self._task.cancel()


def run(work: Coroutine[Any, Any, Value]) -> Value:
    """`asyncio.run`, ended by every signal that asks for it as by Ctrl+C.

    Raises:
        Ended: a signal has ended it.
    """
    return Ending().run(work)


def tell_deadline(error: DeadlinePassed) -> int:
    """Say that the deadline has passed; the exit code."""
    way_out = "request less data, or set a longer --deadline"
    complain(str(error), title="Deadline exceeded", field="--deadline", way_out=way_out, code=ExitCode.CONNECTION)
    return ExitCode.CONNECTION
