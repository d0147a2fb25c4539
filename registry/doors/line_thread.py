"""Waits for a line of standard input next to an event loop, without keeping a command from ending."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

Value = TypeVar("Value")


async def in_thread(work: Callable[[], Value]) -> Value:
    """The result of work that waits for a line. It runs in a daemon thread, which ends with the process."""
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
        except BaseException as error:  # every error is passed on to the caller that waits
            found, problem = None, error
        with suppress(RuntimeError):  # the command has ended
            loop.call_soon_threadsafe(settle, found, problem)

    threading.Thread(target=run, name="waits for a line", daemon=True).start()
    return await done
