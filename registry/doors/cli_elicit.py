"""Questions of an MCP server during a call: asked line by line at a terminal, else declined."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from registry.doors.line_mode.eliciting import answer, question
from registry.doors.output import prompt, remark
from registry.engine import Answered, Unattended

if TYPE_CHECKING:
    from registry.engine import Elicitation, Waiting

Value = TypeVar("Value")


class AtTerminal(Unattended):
    """Asks the user where standard input and standard error are a terminal."""

    async def wait(self, waiting: Waiting) -> None:
        """Say what the second person does."""
        remark(f"{waiting.words}. Ctrl+C withdraws it.")
        await super().wait(waiting)

    async def elicit(self, elicitation: Elicitation) -> Answered:
        """The user's answers; ``decline`` without a terminal."""
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            remark(question(elicitation))
            remark("Declined: there is no terminal to answer at. Run the tool at a terminal, or in the explorer.")
            return Answered("decline")
        return await _in_thread(lambda: answer(elicitation, lambda words, _: prompt(words), remark))


async def _in_thread(work: Callable[[], Value]) -> Value:
    """The result of work that waits for a line. It runs in a daemon thread, which ends with the command."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Value] = loop.create_future()

    def settle(value: Value | None, error: BaseException | None) -> None:
        if done.done():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(value)  # type: ignore[arg-type]

    def run() -> None:
        try:
            found, problem = work(), None
        except BaseException as error:  # whatever it is, it belongs to whoever waits
            found, problem = None, error
        with suppress(RuntimeError):  # the command has ended
            loop.call_soon_threadsafe(settle, found, problem)

    threading.Thread(target=run, name="question of a server", daemon=True).start()
    return await done
