"""Reads secrets in a thread, so that an event loop can go on; ends the read when nobody waits for it any more.

A keyring or a command may ask its user first, for up to a minute. Ending the program must not wait for that.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import ContextVar
from threading import Event
from typing import TypeVar

Value = TypeVar("Value")

STEP = 0.1
"""Seconds between checks whether anybody still waits for a secret."""

_given_up: ContextVar[Event | None] = ContextVar("given_up", default=None)


async def read_in_thread(read: Callable[[], Value]) -> Value:
    """The result of a function that reads secrets and blocks. Cancelling this ends the read."""
    event = Event()
    before = _given_up.set(event)
    try:
        return await asyncio.to_thread(read)
    except asyncio.CancelledError:
        event.set()
        raise
    finally:
        _given_up.reset(before)


def nobody_waits() -> bool:
    """Whether nobody waits any more for the secret that this thread reads."""
    event = _given_up.get()
    return event is not None and event.is_set()
