"""Work that blocks, in a thread that neither the event loop nor the end of the program waits for."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

Value = TypeVar("Value")


def in_daemon(work: Callable[[], Value], name: str) -> asyncio.Future[Value]:
    """The result of some work in a daemon thread. The work goes on if the future is cancelled.

    Use it for what may wait for a person or for another program: the threads of `asyncio.to_thread` are waited for when the
    program ends.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Value] = loop.create_future()

    def tell(set_it: Callable[[Any], None], what: object) -> None:
        def told() -> None:
            if not done.done():
                set_it(what)

        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(told)

    def run() -> None:
        try:
            tell(done.set_result, work())
        except BaseException as error:
            tell(done.set_exception, error)

    threading.Thread(target=run, name=name, daemon=True).start()
    return done
