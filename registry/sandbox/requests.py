"""What the services have in common in taking requests: threads, the address by which they were reached, and JSON.

Endpoints run in threads, so that they do not block the event loop that they share. Starlette's own threads load parts of anyio
that nothing else here needs, which takes longer than most responses.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

_Made = TypeVar("_Made")
_BELOW = "callboard.below"


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
    return ThreadPoolExecutor(40, "sandbox")  # as many as Starlette would use


def placed(scope: Scope, below: str) -> Scope:
    """A request to a service's own port, changed to a request to that service's path on the joint port."""
    raw = scope.get("raw_path")
    moved = {**scope, "path": below + scope["path"], _BELOW: below}
    return moved if raw is None else {**moved, "raw_path": below.encode() + raw}


def address(request: Request) -> str:
    """The base URL by which the service was reached, without a slash at its end.

    On a service's own port it has no path, as that of the real service has none.
    """
    below = request.scope.get("root_path", "").removeprefix(request.scope.get(_BELOW, ""))
    return f"{request.url.scheme}://{request.url.netloc}{below}"


class NotJson(ValueError):
    """Bytes that are not JSON; the message says why."""


def loads(content: bytes) -> Any:
    """The values of a JSON text.

    Raises:
        NotJson: it is none, or cannot be read.
    """
    try:
        return json.loads(content)
    except json.JSONDecodeError as error:
        raise NotJson(f"an error in line {error.lineno}, column {error.colno}") from error
    except UnicodeDecodeError as error:
        raise NotJson("it is not UTF-8") from error
    except RecursionError:
        raise NotJson("it is nested too deeply") from None
    except ValueError:
        raise NotJson("a number has too many digits") from None
