"""Runs endpoints of the sandbox in threads, so that they do not block the event loop that they share.

Starlette's own threads load parts of anyio that nothing else here needs, which takes longer than most responses.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

from starlette.requests import Request
from starlette.responses import Response

_Made = TypeVar("_Made")
_MOST = 40
"""Threads at most; as many as Starlette would use."""


async def in_thread(make: Callable[..., _Made], *arguments: object) -> _Made:
    """What a function returns, called in a thread."""
    return await asyncio.get_running_loop().run_in_executor(_pool(), make, *arguments)


def endpoint(handler: Callable[[Request], Response]) -> Callable[[Request], Awaitable[Response]]:
    """An endpoint whose responses are made in threads."""

    async def threaded(request: Request) -> Response:
        return await in_thread(handler, request)

    return threaded


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_MOST, "sandbox")
