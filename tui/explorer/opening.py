"""Waits for a tool that is being opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.worker import WorkerError

if TYPE_CHECKING:
    from textual.worker import Worker


async def opened(opening: Worker[None]) -> bool:
    """Wait until a tool is open; returns False if another one was opened in its place."""
    try:
        await opening.wait()
    except WorkerError:
        return False
    return True
