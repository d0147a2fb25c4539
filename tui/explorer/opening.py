"""Waits for a tool that is being opened, and for other work that keys have started."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from textual.worker import WorkerError

if TYPE_CHECKING:
    from textual.worker import Worker


async def opened(opening: Worker[None]) -> bool:
    """Wait until a tool is open; returns False if another one was opened in its place."""
    return await done(opening)


async def done(work: Worker[Any]) -> bool:
    """Wait until some work has ended; returns False if it was cancelled or has failed."""
    # Without the shield, cancelling what waits would cancel the work in its place.
    return await asyncio.shield(_ended(work))


async def _ended(work: Worker[Any]) -> bool:
    try:
        await work.wait()
    except WorkerError:
        return False
    return True
