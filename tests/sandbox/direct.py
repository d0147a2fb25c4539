"""Requests to an ASGI application without a server, one after the other, for tests that are no coroutines themselves."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Any, Self

import httpx
from starlette.types import ASGIApp


class Direct:
    """A client of one application.

    Args:
        app: the application.
        base: the base URL; the host does not matter.
        headers: sent with every request.
    """

    def __init__(self, app: ASGIApp, base: str, **headers: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._client = httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url=base, headers=headers)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._loop.run_until_complete(self._client.aclose())
        self._loop.close()

    def send(self, method: str, path: str, **options: Any) -> httpx.Response:
        """The answer to one request; `options` are those of httpx."""
        return self._loop.run_until_complete(self._client.request(method, path, **options))

    def get(self, path: str, **params: Any) -> Any:
        """The JSON of a successful answer."""
        answer = self.send("GET", path, params=params or None)
        assert answer.status_code == 200, (path, params, answer.text)
        return answer.json()
