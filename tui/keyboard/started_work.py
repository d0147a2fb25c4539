"""Waits for a tool that is being opened, and for other work that keys have started."""

import asyncio
from typing import Any

from textual.worker import Worker, WorkerError
from textual.worker_manager import WorkerManager

MARK = "mark"
"""The group of the workers with which a key waits for what it acts on; keys pressed later wait for these (`key_order`)."""


async def done(work: Worker[Any]) -> bool:
    """Wait until some work has ended; returns False if it was cancelled or has failed."""
    # Without the shield, cancelling what waits would cancel the work in its place.
    return await asyncio.shield(_ended(work))


async def none_left_in(group: str, workers: WorkerManager) -> None:
    """Wait until no work of a group is running. More of it may begin meanwhile, as when somebody goes on typing."""
    while work := [one for one in workers if one.group == group and not one.is_finished]:
        await done(work[-1])


async def _ended(work: Worker[Any]) -> bool:
    try:
        await work.wait()
    except WorkerError:
        return False
    return True
