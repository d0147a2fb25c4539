"""Waits for a tool that is being opened."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual.worker import WorkerError

if TYPE_CHECKING:
    from textual.worker import Worker


async def opened(opening: Worker[None]) -> bool:
    """Wait until a tool is open; returns False if another one was opened in its place."""
    # Without the shield, cancelling what waits would cancel the opening in its place.
    return await asyncio.shield(_ended(opening))


async def _ended(opening: Worker[None]) -> bool:
    try:
        await opening.wait()
    except WorkerError:
        return False
    return True
