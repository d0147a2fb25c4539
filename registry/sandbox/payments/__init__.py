"""The payments service of the sandbox: an API and a files host over one world of objects.

Making the two applications costs next to nothing; the service behind them, and the world's content, are made when the first
request arrives.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from registry.sandbox.database import Database
from registry.sandbox.payments.builder import Dataset
from registry.sandbox.payments.datasets import DATASETS
from registry.sandbox.payments.service import Service
from registry.sandbox.threads import endpoint
from registry.sandbox.world import World

_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]


def services(world: World, datasets: Iterable[Dataset] = DATASETS, database: Database | None = None) -> tuple[ASGIApp, ASGIApp]:
    """The API (paths from ``/v1`` on) and the files host of one world.

    Args:
        world: what all objects are derived from.
        datasets: the content; the sandbox's own when not given.
        database: where its state is kept; in memory when not given.
    """
    made: list[Service] = []
    lock = threading.Lock()

    def service() -> Service:
        with lock:
            if not made:
                made.append(Service(world, datasets, database))
            return made[0]

    def app(handler: Callable[[Request], Response]) -> ASGIApp:
        return Starlette(routes=[Route("/{path:path}", endpoint(handler), methods=_METHODS)])

    return app(lambda request: service().api(request)), app(lambda request: service().files(request))
