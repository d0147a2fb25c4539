"""Sends requests and reads responses, with retries, and records everything that was sent.

Time and memory are bounded: `ResponseLimits` says how long a service may be silent, how long one response may take in all, and
how large it may be.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

import httpx
import msgspec

from registry.accounts.connection import Connection, Endpoint
from registry.accounts.problems import CredentialProblem
from registry.accounts.secrets import RenewedSecret
from registry.calling.failures import (
    NO_RESPONSE,
    CallFailed,
    TooLarge,
    failure_of,
    no_credential,
    not_of_a_change,
    without_response,
)
from registry.calling.mcp_gateway import CALL, McpCall
from registry.calling.receiving import Response, ResponseLimits, receive
from registry.calling.request import PlannedRequest, build
from registry.calling.result import Exchange, Failure
from registry.calling.retrying import wait_before_retry
from registry.calling.tracing import Attempt, Trace, Traces
from registry.catalog.model import SAFE_METHODS, Tool
from registry.mcp_client.values import Elicit

Sleep = Callable[[float], Awaitable[None]]
_BYTES_BETWEEN_REPORTS, _SECONDS_BETWEEN_REPORTS = 262_144, 0.25
_PART = 1 << 20
"""Bytes of a body that are kept as one part while more are received."""

_LARGE = 200_000
"""Size in bytes above which searching a body would block the screen noticeably."""


class Progress(msgspec.Struct, frozen=True):
    """The progress of a call: the current request, how much was received, and what it is waiting for.

    Attributes:
        request: number of the request, from 1.
        attempt: number of the attempt at it, from 1.
        received: bytes of the response so far.
        expected: bytes of the whole response, if the service says so.
        waiting: seconds until the next attempt; None during a request.
        reason: why it waits, in words.
        done: the progress that the service reports, in its own units; None if it reports none.
        total: the number of units in all, if it says so.
        words: what the service says that it is doing.
    """

    request: int
    attempt: int
    received: int = 0
    expected: int | None = None
    waiting: float | None = None
    reason: str = ""
    done: float | None = None
    total: float | None = None
    words: str = ""


Observer = Callable[[Progress], None]


class HttpClients(Protocol):
    """The HTTP clients that requests go through, and the limits of a response."""

    bounds: ResponseLimits

    def client_for(self, url: str) -> httpx.AsyncClient:
        """The client for an address."""

    @property
    def mcp_client(self) -> httpx.AsyncClient:
        """The client for MCP servers, at any address."""


@dataclass
class Sender:
    """Sends the requests of one call, one after the other, and records them.

    Attributes:
        traces: keeps every attempt, to show why a call is slow.
        unasked: the program makes the call by itself.
    """

    network: HttpClients
    tool: Tool
    connection: Connection
    observer: Observer | None = None
    sleep: Sleep = asyncio.sleep
    traces: Traces = field(default_factory=Traces)
    unasked: bool = False
    elicit: Elicit | None = None
    exchanges: list[Exchange] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    files: list[tuple[str, bytes]] = field(default_factory=list)
    _requests: int = 0
    _call: int = field(init=False)

    def __post_init__(self) -> None:
        self._call = self.traces.new_call()

    async def send(self, planned: PlannedRequest) -> Response:
        """Send one request; repeat a read as long as that may help.

        Raises:
            CallFailed: the service returned an error, or there was no response.
        """
        self._requests += 1
        attempt, renewed = 0, False
        while True:
            attempt += 1
            self._report(Progress(self._requests, attempt))
            used = await self._credential()
            response, failure, watch = await self._once(planned, attempt)
            if failure is None and response is not None:
                service = self.connection.endpoint(self.tool.toolkit).service
                if self._changes(planned) and (odd := not_of_a_change(service, response)):
                    raise CallFailed(odd, response)
                return response
            assert failure is not None
            # A request that is refused with 401 was not carried out (RFC 9110, 15.5.2), so even a change may be sent again.
            if response is not None and response.status == 401 and not renewed and await self._renewed(used, response):
                renewed = True
                continue
            wait = None
            if planned.method in SAFE_METHODS:
                status, headers = (response.status, response.headers) if response else (None, {})
                rules = self.connection.endpoint(self.tool.toolkit).service.response.retry
                wait = wait_before_retry(attempt, status, headers, rules)
            if wait is None:
                raise CallFailed(failure, response)
            self._report(Progress(self._requests, attempt, waiting=wait, reason=failure.title))
            watch.repeated(wait, failure.title)
            await self.sleep(wait)

    def _changes(self, planned: PlannedRequest) -> bool:
        """Whether a request changes something, and is not a read that prepares the change."""
        return self.tool.effect != "read" and (self.tool.composed is None or planned.method not in SAFE_METHODS)

    async def _credential(self) -> str:
        """Renew a credential that is about to expire; returns the text that will be sent, empty if it cannot be renewed.

        Raises:
            CallFailed: there is no valid credential.
        """
        credential = self.connection.endpoint(self.tool.toolkit).credential
        if not isinstance(credential, RenewedSecret):
            return ""
        try:
            await credential.ready()
        except CredentialProblem as problem:
            raise CallFailed(no_credential(problem)) from None
        return credential.reveal()

    async def _renewed(self, refused: str, response: Response) -> bool:
        """Whether there is now another credential than the refused one.

        Raises:
            CallFailed: the credential could not be renewed.
        """
        credential = self.connection.endpoint(self.tool.toolkit).credential
        if not isinstance(credential, RenewedSecret):
            return False
        try:
            return await credential.renewed(refused)
        except CredentialProblem as problem:
            raise CallFailed(no_credential(problem), response) from None

    async def _once(self, planned: PlannedRequest, attempt: int) -> tuple[Response | None, Failure | None, Attempt]:
        """One attempt: a response, with a failure if it is an error; or only the failure if there was no response.

        Raises:
            CallFailed: the response exceeds the limits, as the next one would; or it cannot be sent.
        """
        endpoint, bounds = self.connection.endpoint(self.tool.toolkit), self.network.bounds
        url = planned.url(endpoint)

        # Some services, and proxies in front of them, echo what they received: secrets in it must go no further.
        def hide(text: bytes) -> bytes:
            return endpoint.hide(text, planned.secrets)

        watch = self._attempt(planned, endpoint, attempt, hide)
        try:
            request = await asyncio.to_thread(build, planned, endpoint) if planned.has_files else build(planned, endpoint)
            watch.sends(request, body=planned.body is not None)
            mcp_call = self._mcp_call(request, attempt)
            # An MCP server may ask the user meanwhile: its gateway bounds how long it may be silent.
            async with asyncio.timeout(bounds.whole if mcp_call is None else None):
                client = self.network.client_for(url) if mcp_call is None else self.network.mcp_client
                response = await client.send(request, stream=True)
                watch.answered(response)
                try:
                    body = await self._read(response, attempt)
                finally:
                    await response.aclose()
            watch.received()
        except asyncio.CancelledError:
            self.exchanges.append(watch.ended(fault="Cancelled."))
            raise
        except NO_RESPONSE as error:
            failure = without_response(self.tool, error, url.split("/")[2], bounds, hide)
            self.exchanges.append(watch.ended(fault=failure.cause))
            if isinstance(error, httpx.HTTPError):
                return None, failure, watch
            raise CallFailed(failure) from None
        came = partial(receive, response.status_code, response.headers, body, hide, is_file=self.tool.returns.kind == "file")
        received = await asyncio.to_thread(came) if len(body) > _LARGE else came()
        self.exchanges.append(watch.ended(received.body, size=len(body)))
        if mcp_call is not None:
            self.notes += mcp_call.notes
            self.files += mcp_call.files
            return received, mcp_call.failure, watch
        return received, failure_of(self.tool, endpoint.service, received), watch

    def _attempt(self, planned: PlannedRequest, endpoint: Endpoint, number: int, hide: Callable[[bytes], bytes]) -> Attempt:
        """The record of an attempt that begins."""
        shown = hide(planned.url(endpoint, masked=True).encode()).decode()
        names = self.tool.name, self.connection.name, planned.method, shown
        trace = Trace(0, self._call, time.time(), *names, self._requests, number, style=endpoint.service.response)
        carriers = {name.lower() for name in (*endpoint.authentication.carriers, *planned.secret_in("header"))}
        return Attempt(self.traces, trace, hide, carriers, unasked=self.unasked)

    def _mcp_call(self, request: httpx.Request, attempt: int) -> McpCall | None:
        """The context of a request to an MCP server; None for any other request."""
        endpoint = self.connection.endpoint(self.tool.toolkit)
        if endpoint.service.mcp is None:
            return None

        def progressed(done: float, total: float | None, words: str) -> None:
            self._report(Progress(self._requests, attempt, done=done, total=total, words=words))

        mcp_call = McpCall(self.tool, endpoint, progressed, self.elicit)
        request.extensions = {**request.extensions, CALL: mcp_call}
        return mcp_call

    async def _read(self, response: httpx.Response, attempt: int) -> bytes:
        """The body."""
        expected = response.headers.get("content-length", "")
        total = int(expected) if expected.isdigit() else None
        largest = self.network.bounds.size
        if total is not None and total > largest:
            raise TooLarge
        parts, body, received = list[bytes](), bytearray(), 0
        reported, moment = 0, time.perf_counter()
        async for chunk in response.aiter_bytes():
            body += chunk
            received += len(chunk)
            if received > largest:
                raise TooLarge
            now = time.perf_counter()
            if received - reported >= _BYTES_BETWEEN_REPORTS or now - moment >= _SECONDS_BETWEEN_REPORTS:
                reported, moment = received, now
                self._report(Progress(self._requests, attempt, reported, total))
            if len(body) >= _PART:
                parts.append(bytes(body))
                body.clear()
        parts.append(bytes(body))
        # Joining releases the GIL for other threads; no other way to copy a large body does.
        return await asyncio.to_thread(b"".join, parts) if len(parts) > 1 else parts[0]

    def _report(self, progress: Progress) -> None:
        if self.observer is not None:
            self.observer(progress)
