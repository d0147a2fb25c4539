"""Work that blocks, in a thread that neither the event loop nor the end of the program waits for."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

Value = TypeVar("Value")


def in_daemon(work: Callable[[], Value], name: str) -> asyncio.Future[Value]:
    """The result of some work in a daemon thread. The work goes on if the future is cancelled.

    Use it for what may wait for a person or for another program: the threads of `asyncio.to_thread` are waited for when the
    program ends.
    """
    return asyncio.wrap_future(started(work, name))


def started(work: Callable[[], Value], name: str) -> Future[Value]:
    """The same for a thread that may wait itself."""
    done: Future[Value] = Future()
    done.set_running_or_notify_cancel()  # from here on, cancelling what is awaited leaves the thread's own future alone

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:
            done.set_exception(error)

    threading.Thread(target=run, name=name, daemon=True).start()
    return done
