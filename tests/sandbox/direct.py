"""Requests to an ASGI application without a server, one after the other, for tests that are no coroutines themselves.

The application gets a request as from a server, without an HTTP client and without threads: both take longer than most
responses of the sandbox, and some tests send thousands.
"""

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from json import dumps
from types import TracebackType
from typing import Any, Self, TypeVar, TypeVarTuple, Unpack
from urllib.parse import quote, unquote, urlsplit
from weakref import finalize

import httpx
from starlette.types import ASGIApp, Message

_Made = TypeVar("_Made")
_Words = TypeVarTuple("_Words")
_PLAIN = "/?:@!$&'()*+,;=~%"
"""Characters that are not escaped in the URL of a test."""


class _OneThread(asyncio.SelectorEventLoop):
    """Does at once what others do in threads: nothing else is to be done meanwhile."""

    def run_in_executor(
        self, executor: Executor | None, func: Callable[[Unpack[_Words]], _Made], *args: *_Words
    ) -> asyncio.Future[_Made]:
        done: asyncio.Future[_Made] = self.create_future()
        try:
            done.set_result(func(*args))
        except Exception as error:
            done.set_exception(error)
        return done


class Direct:
    """A client of one application.

    Args:
        app: the application.
        base: the base URL; the host does not matter.
        headers: sent with every request.
    """

    def __init__(self, app: ASGIApp, base: str, **headers: str) -> None:
        self._app = app
        self._host, self._below = urlsplit(base).netloc, urlsplit(base).path
        self._headers = {"accept": "*/*"} | _by_lower_name(headers)
        self._loop = _OneThread()
        finalize(self, self._loop.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._loop.close()

    def send(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        json: Any = None,
        content: bytes | None = None,
    ) -> httpx.Response:
        """The response to one request, with JSON or bytes as its body."""
        body = content if json is None else dumps(json).encode()
        return self._loop.run_until_complete(self._answered(method, path, params or {}, headers or {}, body))

    def get(self, path: str, **params: Any) -> Any:
        """The JSON of a successful response."""
        response = self.send("GET", path, params=params)
        assert response.status_code == 200, (path, params, response.text)
        return response.json()

    async def _answered(
        self, method: str, address: str, params: Mapping[str, Any], headers: Mapping[str, str], content: bytes | None
    ) -> httpx.Response:
        path, _, query = address.partition("?")
        assert not (query and params), address
        body = content or b""
        sent = {"host": self._host} | self._headers | _by_lower_name(headers)
        if content is not None:
            sent |= {"content-type": "application/json"}
        if method not in ("GET", "HEAD", "DELETE") or body:
            sent |= {"content-length": str(len(body))}
        raw_path = quote(self._below + path, safe=_PLAIN)
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "headers": [(name.encode(), value.encode()) for name, value in sent.items()],
            "scheme": "http",
            "path": unquote(raw_path),
            "raw_path": raw_path.encode(),
            "query_string": (str(httpx.QueryParams(params)) if params else quote(query, safe=_PLAIN)).encode(),
            "server": (self._host, None),
            "client": ("127.0.0.1", 123),
            "root_path": "",
        }
        told: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
        begun: Message = {}
        chunks: list[bytes] = []

        async def receive() -> Message:
            if told:
                return told.pop()
            await asyncio.Event().wait()  # the client neither goes nor says anything more
            raise AssertionError

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                begun.update(message)
            elif method != "HEAD":
                chunks.append(message.get("body", b""))

        await self._app(scope, receive, send)
        return httpx.Response(begun["status"], headers=begun.get("headers"), content=b"".join(chunks))


def _by_lower_name(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}
