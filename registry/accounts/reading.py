"""Reading secrets beside an event loop: in a thread, until nobody waits for it any more.

A keyring or a command may ask its user first, for up to a minute. Whoever ends the program meanwhile does not wait for that.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import ContextVar
from threading import Event
from typing import TypeVar

Value = TypeVar("Value")

STEP = 0.1
"""Seconds after which whoever waits for a secret looks whether anybody wants it still."""

_given_up: ContextVar[Event | None] = ContextVar("given_up", default=None)


async def read_in_thread(read: Callable[[], Value]) -> Value:
    """What a function gives that reads secrets and blocks. When this is cancelled, what it waits for is ended."""
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
    """Whether nobody waits any more for what this thread reads."""
    event = _given_up.get()
    return event is not None and event.is_set()
