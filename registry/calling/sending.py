"""Sends requests and reads responses, with retries, and records everything that was sent.

Time and memory are bounded: `ResponseLimits` says how long a service may be silent, how long one response may take in all, and
how large it may be.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from io import BytesIO
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import httpx
import msgspec

from registry.accounts.connection import Connection, CredentialProblem, Endpoint
from registry.accounts.secrets import Secret
from registry.calling.arguments import Arguments
from registry.calling.failures import (
    NO_RESPONSE,
    CallFailed,
    failure_of,
    not_json,
    not_of_a_change,
    too_large,
    wait_before_retry,
    without_response,
)
from registry.calling.network import Network
from registry.calling.receiving import Response, comes_as_file, is_json, receive, redacted_headers, redacted_text
from registry.calling.request import PlannedRequest, build, plan
from registry.calling.result import Failure, Result
from registry.calling.tracing import Attempt, Trace, Traces
from registry.catalog.loader import optional_hook
from registry.catalog.model import SAFE_METHODS, Tool
from registry.json_text import NotJson, beginning, read_json

Sleep = Callable[[float], Awaitable[None]]
_BYTES_BETWEEN_REPORTS, _SECONDS_BETWEEN_REPORTS = 262_144, 0.25
LARGE = 500_000
"""Size in bytes above which searching a body would block the screen noticeably."""
_SLOW, _BEGINNING = 1_000_000, 32_768
"""The size of a body of which people want to see the beginning before all is there; and how much that is."""
_NOT_ALLOWED = (400, 402, 403)


class Answered(NamedTuple):
    """The user's answer to a server's question: ``accept`` with values, ``decline``, or ``cancel`` for no answer."""

    action: Literal["accept", "decline", "cancel"]
    values: Mapping[str, Any] = MappingProxyType({})


Elicit = Callable[[str, Mapping[str, Any], str], Awaitable[Answered]]
"""Asks the user a question of an MCP server, as `registry.mcp_client.values.Elicit`."""


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
        beginning: what is there of a large result, as a result; told once, when its first values have arrived.
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
    beginning: Result | None = None


Observer = Callable[[Progress], None]


@dataclass
class Sender:
    """Sends the requests of one call, one after the other, and records them.

    Attributes:
        endpoint: how the connection reaches the tool's service.
        traces: keeps every attempt, to show why a call is slow.
        whose: for what the program makes the call by itself; empty for the user's own.
        at: when the call started, in Unix seconds; `started` by `time.perf_counter`.
    """

    network: Network
    tool: Tool
    connection: Connection
    endpoint: Endpoint
    observer: Observer | None
    elicit: Elicit | None
    sleep: Sleep
    traces: Traces
    whose: str
    exchanges: list[Trace] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    files: list[tuple[str, bytes]] = field(default_factory=list)
    at: float = field(default_factory=time.time)
    started: float = field(default_factory=time.perf_counter)
    _requests: int = 0
    _call: int = 0

    async def send(self, planned: PlannedRequest) -> Response:
        """Send one request; repeat a read as long as that may help.

        Raises:
            CallFailed: the service returned an error, or there was no response.
        """
        self._requests += 1
        self._call = self._call or next(self.traces.calls)
        service, attempt, renewed = self.endpoint.service, 0, False
        credential = self.endpoint.credential
        while True:
            attempt += 1
            self._report(attempt)
            if credential.renews:
                await _renew(credential)
            used = credential.reveal()
            response, failure = await self._once(planned, attempt)
            if failure is None and response is not None:
                # A composed change may begin with reads that prepare it.
                changes = self.tool.effect != "read" and (self.tool.composed is None or planned.method not in SAFE_METHODS)
                if changes and (odd := not_of_a_change(service, response)):
                    raise CallFailed(odd, response)
                return response
            assert failure is not None
            # A request that is refused with 401 was not carried out (RFC 9110, 15.5.2), so even a change may be sent again.
            if response is not None and response.status == 401 and credential.renews and not renewed:
                renewed = True
                await _renew(credential, used, response)
                if credential.reveal() != used:
                    continue
            plainer = tuple(pair for pair in planned.query if pair not in self.tool.optional_query)
            if response is not None and response.status in _NOT_ALLOWED and plainer != planned.query:
                planned = replace(planned, query=plainer)
                continue
            is_read = planned.method in SAFE_METHODS
            wait = wait_before_retry(attempt, response, service.response.retry) if is_read else None
            if wait is None:
                raise CallFailed(failure, response)
            self._report(attempt, waiting=wait, reason=failure.title)
            self.exchanges[-1].pause, self.exchanges[-1].reason = wait, failure.title
            await self.sleep(wait)

    async def _once(self, planned: PlannedRequest, attempt: int) -> tuple[Response | None, Failure | None]:
        """One attempt: a response, with a failure if it is an error; or only the failure if there was no response.

        Raises:
            CallFailed: the response exceeds the limits, as the next one would; or it cannot be sent.
        """
        endpoint, bounds, tool = self.endpoint, self.network.bounds, self.tool
        url, said = planned.url(endpoint), ""
        # Some services, and proxies in front of them, echo what they received: secrets in it must go no further.
        hide = partial(endpoint.hide, also=planned.secrets)
        names = tool.name, self.connection.name, planned.method, redacted_text(planned.url(endpoint, masked=True), hide)
        trace = Trace(0, self._call, time.time(), *names, self._requests, attempt, endpoint.service.response, whose=self.whose)
        self.exchanges.append(trace)
        secret = (name for place, name in planned.secret if place == "header")
        carriers = {name.lower() for name in (*secret, *(name for _, name, _ in endpoint.carriers()))}
        watch = Attempt(self.traces, trace, hide, carriers)
        status, headers = 200, dict[str, str]()
        try:
            reads_files = planned.body is not None and planned.body.has_files
            request = await asyncio.to_thread(build, planned, endpoint) if reads_files else build(planned, endpoint)
            watch.sends(request)
            if endpoint.service.mcp is not None:
                body, said = await self._from_server(request, attempt)
                headers = {"content-type": "application/json"}
                watch.answered(status, headers)
            else:
                async with asyncio.timeout(bounds.whole):
                    response = await self.network.client_for(url).send(request, stream=True)
                    status, headers = response.status_code, redacted_headers(response.headers, hide)
                    watch.answered(status, headers)
                    try:
                        body = await self._read(response, attempt, partial(receive, status, headers, hide=hide))
                    finally:
                        await response.aclose()
            arrived = time.perf_counter()
        except asyncio.CancelledError:
            watch.ended(fault="Cancelled.")
            raise
        except NO_RESPONSE as error:
            failure = without_response(tool, error, url.split("/")[2], bounds, hide)
            watch.ended(fault=failure.cause)
            if isinstance(error, httpx.HTTPError):
                return None, failure
            raise CallFailed(failure) from None
        came = partial(receive, status, headers, body, hide, is_file=comes_as_file(tool, headers))
        received = await asyncio.to_thread(came) if len(body) > LARGE else came()
        watch.ended(received.body, size=len(body), at=arrived)
        if said:
            way_out = "Fix the arguments and run it again. If part of the work was done, check before that."
            return received, Failure("service", "The tool reports an error", said, way_out)
        if 200 <= status < 300:
            return received, None
        return received, failure_of(tool, endpoint.service, received, anonymous=endpoint.is_anonymous)

    async def _from_server(self, request: httpx.Request, attempt: int) -> tuple[bytes, str]:
        """What an MCP server returned, as JSON, and why its tool failed; it may ask the user meanwhile."""

        def progressed(done: float | None, total: float | None, words: str) -> None:
            self._report(attempt, done=done, total=total, words=words)

        body, result = await self.network.mcp.call(self.tool, self.endpoint, request, progressed, self.elicit)
        self.notes += result.notes
        self.files += result.files
        return body, result.error

    async def _read(self, response: httpx.Response, attempt: int, received: Callable[[bytes], Response]) -> bytes:
        """The body; `received` decodes and redacts its beginning."""
        length = response.headers.get("content-length", "")
        expected = int(length) if length.isdigit() else None
        largest, body, size = self.network.bounds.size, BytesIO(), 0  # which gives its bytes without copying them
        if expected is not None and expected > largest:
            raise CallFailed(too_large(self.tool, self.network.bounds))
        reported, moment = 0, time.perf_counter()
        is_result = response.is_success and self.tool.effect == "read" and self.tool.composed is None
        has_beginning = is_result and is_json(response.headers.get("content-type", ""))
        async for chunk in response.aiter_bytes():
            size += body.write(chunk)
            if size > largest:
                raise CallFailed(too_large(self.tool, self.network.bounds))
            if has_beginning and size >= _BEGINNING and max(size, expected or 0) >= _SLOW:
                has_beginning = False
                came = received(beginning(bytes(body.getbuffer()[:_BEGINNING])))
                if came.body and not came.unreadable:
                    name, at = self.connection.name, self.tool.returns.items
                    first = Result(self.tool.name, name, came.status, body=came.body, items_at=at)
                    self._report(attempt, received=size, expected=expected, beginning=first)
            now = time.perf_counter()
            if size - reported >= _BYTES_BETWEEN_REPORTS or now - moment >= _SECONDS_BETWEEN_REPORTS:
                reported, moment = size, now
                self._report(attempt, received=size, expected=expected)
        return body.getvalue()

    def _report(self, attempt: int, **more: Any) -> None:
        if self.observer is not None:
            self.observer(Progress(self._requests, attempt, **more))


async def _renew(credential: Secret, refused: str | None = None, response: Response | None = None) -> None:
    """Renew a credential that is about to expire, or was refused; `CallFailed` if there is no valid one."""
    try:
        await credential.ready(refused)
    except CredentialProblem as problem:
        raise CallFailed(Failure("authentication", problem.title, problem.cause, problem.way_out), response) from None


# Tools that need several requests, or local work on the result. Their function, in the toolkit's folder, takes the arguments
# and the sender, which sends each of its requests like those of any call. It returns the result as JSON values with notes for
# the user, and raises `CallFailed` if there is no result.

Composed = tuple[Any, list[str]]


def composition(tool: Tool, arguments: Arguments) -> str | None:
    """The name of the function that makes a call's requests; None if it is one request.

    It is the tool's, or that of a toolkit's own rule for arguments which its service does not take in one request.
    """
    of_arguments = optional_hook(tool.toolkit, "rules", "composition") if tool.composed is None else None
    return tool.composed if of_arguments is None else of_arguments(tool, arguments.values)


def composed(tool: Tool, name: str) -> Callable[[Arguments, Sender], Awaitable[Composed]]:
    """The function with a name that makes several requests.

    Raises:
        CallFailed: its toolkit has no such function; nothing was sent.
    """
    function = optional_hook(tool.toolkit, "composed", name)
    if function is None:
        cause = f"`{name}` is a function, and {tool.toolkit} has none of Callboard's own with this name."
        steps = "Remove `composed` from the tool, or call the operations one by one."
        raise CallFailed(Failure("refused", "The tool needs code that does not exist", cause, steps))
    return function


def opening(tool: Tool, arguments: Arguments) -> PlannedRequest:
    """The first request of a call, to show it; the arguments may be incomplete."""
    own = optional_hook(tool.toolkit, "composed", "opening") if composition(tool, arguments) is not None else None
    first: PlannedRequest = own(tool, arguments) if own is not None else plan(tool, arguments)
    return first


async def json_object(sender: Sender, request: PlannedRequest) -> dict[str, Any]:
    """Send a request and return its response as a JSON object.

    Raises:
        CallFailed: the request failed, or the response is not a JSON object.
    """
    response = await sender.send(request)
    try:
        content = read_json(response.body)
    except NotJson as error:
        raise CallFailed(not_json(sender.tool, response, response.unreadable or str(error)), response) from None
    if not isinstance(content, dict):
        raise CallFailed(not_json(sender.tool, response, "it is not an object"), response)
    return content
