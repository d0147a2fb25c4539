"""The payments service of the sandbox: an API and a files host over one world of objects.

Making the two applications costs next to nothing; the service behind them, and the world's content, are made when the first
request arrives.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from registry.sandbox.database import Database
from registry.sandbox.payments.datasets import DATASETS
from registry.sandbox.payments.service import Service
from registry.sandbox.threads import endpoint
from registry.sandbox.world import World

if TYPE_CHECKING:
    from registry.sandbox.payments.builder import Dataset
    from registry.sandbox.payments.service import Service

_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]


def services(
    world: World, datasets: Iterable[Dataset] | None = None, database: Database | None = None
) -> tuple[ASGIApp, ASGIApp]:
    """The API (paths from ``/v1`` on) and the files host of one world.

    Args:
        world: what all objects are derived from.
        datasets: the content; the sandbox's own when not given.
        database: where its state is kept; in memory when not given.
    """
    behind = _Lazy(world, datasets, database)
    return _app(lambda request: behind.service.api(request)), _app(lambda request: behind.service.files(request))


def _app(handler: Callable[[Request], Response]) -> ASGIApp:
    return Starlette(routes=[Route("/{path:path}", endpoint(handler), methods=_METHODS)])


class _Lazy:
    def __init__(self, world: World, datasets: Iterable[Dataset] | None, database: Database | None) -> None:
        self._world = world
        self._database = database
        self._datasets = datasets
        self._lock = threading.Lock()
        self._service: Service | None = None

    @property
    def service(self) -> Service:
        with self._lock:
            if self._service is None:
                if self._datasets is None:
                    self._datasets = DATASETS
                self._service = Service(self._world, self._datasets, self._database)
            return self._service
