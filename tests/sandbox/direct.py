"""Requests to an ASGI application without a server, one after the other, for tests that are no coroutines themselves."""

from __future__ import annotations

import asyncio
import threading
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
        # One task that lasts: the threads in which the application answers end with the task that they were first used in.
        self._loop = asyncio.new_event_loop()
        self._over = asyncio.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._over.wait(),), daemon=True)
        self._thread.start()
        self._client = httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url=base, headers=headers)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self._client.aclose(), self._loop).result()
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()
        self._loop.close()

    def send(self, method: str, path: str, **options: Any) -> httpx.Response:
        """The answer to one request; `options` are those of httpx."""
        return asyncio.run_coroutine_threadsafe(self._client.request(method, path, **options), self._loop).result()

    def get(self, path: str, **params: Any) -> Any:
        """The JSON of a successful answer."""
        answer = self.send("GET", path, params=params or None)
        assert answer.status_code == 200, (path, params, answer.text)
        return answer.json()
