"""Sending requests and reading answers: connections, retries, and an account of everything that was sent."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from registry.calling.failures import connection_failure, failure_of
from registry.calling.request import PlannedRequest, build
from registry.calling.result import Exchange, Failure
from registry.calling.retrying import wait_before_retry
from registry.calling.sandboxed import sandbox_application
from registry.catalog.model import Tool
from registry.connections.profiles import SANDBOX_URL, Connection

if TYPE_CHECKING:
    from types import TracebackType

    import httpx

Sleep = Callable[[float], Awaitable[None]]
_CHUNK_REPORTS = 262_144


@dataclass(frozen=True, slots=True)
class Progress:
    """How a call is getting on: which request is under way, what was received of it, and what it is waiting for.

    Attributes:
        request: number of the request, from 1.
        attempt: number of the attempt at it, from 1.
        received: bytes of the answer so far.
        expected: bytes of the whole answer, where the service says so.
        waiting: seconds until the next attempt; None while a request is under way.
        reason: why it waits, in words.
    """

    request: int
    attempt: int
    received: int = 0
    expected: int | None = None
    waiting: float | None = None
    reason: str = ""


Observer = Callable[[Progress], None]


class CallFailed(Exception):
    """A call that cannot give an answer. `failure` says why; `answer` is what came, if anything."""

    def __init__(self, failure: Failure, answer: Answer | None = None) -> None:
        super().__init__(failure.title)
        self.failure = failure
        self.answer = answer


@dataclass(frozen=True, slots=True)
class Answer:
    """A successful answer as it came: status, headers by lower-case name, and the body."""

    status: int
    headers: dict[str, str]
    body: bytes


class Network:
    """The connections that all calls share: one pool to the outside, and one way into the embedded sandbox.

    Both are made when they are first needed. Connections are kept alive between calls.
    """

    def __init__(self) -> None:
        self._outside: httpx.AsyncClient | None = None
        self._inside: httpx.AsyncClient | None = None

    async def __aenter__(self) -> Network:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close every connection."""
        for client in (self._outside, self._inside):
            if client is not None:
                await client.aclose()

    def client_for(self, url: str) -> httpx.AsyncClient:
        """The client that reaches an address."""
        import httpx

        timeout = httpx.Timeout(60.0, connect=10.0)
        if url.startswith(SANDBOX_URL + "/"):
            if self._inside is None:
                transport = httpx.ASGITransport(sandbox_application(), raise_app_exceptions=False)
                self._inside = httpx.AsyncClient(transport=transport, timeout=timeout)
            return self._inside
        if self._outside is None:
            self._outside = httpx.AsyncClient(timeout=timeout, follow_redirects=False)
        return self._outside


@dataclass
class Sender:
    """Makes the requests of one call, one after the other, and keeps an account of them."""

    network: Network
    tool: Tool
    connection: Connection
    observer: Observer | None = None
    sleep: Sleep = asyncio.sleep
    exchanges: list[Exchange] = field(default_factory=list)
    _requests: int = 0

    async def send(self, planned: PlannedRequest) -> Answer:
        """Send one request; repeat a read as long as that is worth it.

        Raises:
            CallFailed: the service said no, or no answer came.
        """
        self._requests += 1
        attempt = 0
        while True:
            attempt += 1
            self._report(Progress(self._requests, attempt))
            answer, failure = await self._once(planned, attempt)
            if failure is None and answer is not None:
                return answer
            assert failure is not None
            wait = None
            if planned.method == "GET":
                status, headers = (answer.status, answer.headers) if answer else (None, {})
                wait = wait_before_retry(attempt, status, headers)
            if wait is None:
                raise CallFailed(failure, answer)
            self._report(Progress(self._requests, attempt, waiting=wait, reason=failure.title))
            await self.sleep(wait)

    async def _once(self, planned: PlannedRequest, attempt: int) -> tuple[Answer | None, Failure | None]:
        import httpx

        endpoint = self.connection.endpoint(self.tool.toolkit)
        url = planned.url(endpoint)
        shown = planned.url(endpoint, masked=True)
        started = time.perf_counter()
        try:
            request = build(planned, endpoint)
            response = await self.network.client_for(url).send(request, stream=True)
            try:
                body = await self._read(response, attempt)
            finally:
                await response.aclose()
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            failure = connection_failure(self.tool, error, url.split("/")[2])
            elapsed = time.perf_counter() - started
            self.exchanges.append(Exchange(planned.method, shown, None, elapsed, fault=failure.cause))
            return None, failure
        except asyncio.CancelledError:
            elapsed = time.perf_counter() - started
            self.exchanges.append(Exchange(planned.method, shown, None, elapsed, fault="Cancelled."))
            raise
        answer = Answer(response.status_code, {name.lower(): value for name, value in response.headers.items()}, body)
        elapsed = time.perf_counter() - started
        request_id = next((answer.headers[name] for name in _REQUEST_IDS if name in answer.headers), None)
        self.exchanges.append(Exchange(planned.method, shown, answer.status, elapsed, len(body), request_id))
        return answer, failure_of(self.tool, answer.status, answer.headers, body)

    async def _read(self, response: httpx.Response, attempt: int) -> bytes:
        expected = response.headers.get("content-length", "")
        total = int(expected) if expected.isdigit() else None
        chunks: list[bytes] = []
        received = reported = 0
        async for chunk in response.aiter_bytes():
            chunks.append(chunk)
            received += len(chunk)
            if received - reported >= _CHUNK_REPORTS:
                reported = received
                self._report(Progress(self._requests, attempt, received, total))
        return b"".join(chunks)

    def _report(self, progress: Progress) -> None:
        if self.observer is not None:
            self.observer(progress)


_REQUEST_IDS = ("request-id", "x-request-id", "x-hubspot-correlation-id", "x-trace-id")
