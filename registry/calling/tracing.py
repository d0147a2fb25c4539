"""The last requests: when each was sent, its timings, the response, and the rate limits.

They show why a call is slow or fails; only the newest are kept, in memory only. Credentials and secret arguments are redacted
before a request is stored here; a body is redacted and cut.
"""

import re
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from itertools import count
from typing import Any

import httpx
import msgspec

from registry.accounts.secrets import MASK
from registry.calling.receiving import mask, redacted_headers
from registry.catalog.service import ResponseStyle

_MOST, _MOST_UNASKED = 200, 100
_LOOKED_AT, _MASKED, _KEPT = 32_768, 8_192, 4_000
"""Bytes of a body in which credentials are searched, bytes in which secret properties are, and characters that are kept: a
secret that is cut at the end is not recognized."""

_TELLING = re.compile(r"auth|cookie|token|secret|password|api-?key|signature", re.IGNORECASE)
_OF_PROXIES = ("x-amzn-trace-id", "cf-ray")
"""Headers in which proxies and gateways in front of a service put their own ids."""

Headers = tuple[tuple[str, str], ...]
Hide = Callable[[bytes], bytes]


class Trace(msgspec.Struct, eq=False):
    """One attempt at one request. It grows while the request is under way; times are in seconds.

    Attributes:
        number: counts all attempts of this program, from 1; `call` counts the calls that they were made for.
        at: when it was sent, in Unix seconds.
        tool: the tool that was called, through `connection`.
        method: HTTP method; `url` is the address with secret values redacted.
        request: number of the request within its call, from 1; `attempt` counts the attempts at it.
        style: what the service declares about its responses.
        sent: headers that were sent, secrets redacted.
        asked: the body that was sent, redacted and cut; may be empty.
        status: HTTP status; None before or without a response.
        fault: what went wrong in transit, in words; empty if nothing did.
        elapsed: from sending to the last byte; None while it is under way.
        connecting: time for a new connection (DNS, TCP, TLS); 0 on a kept-alive one, None if unknown.
        waiting: until the first byte of the response; None without a response.
        receiving: from the first byte of the response to the last.
        size: bytes of the response's body.
        headers: the response's, by lower-case name, secrets redacted.
        body: the response's body, redacted and cut.
        pause: seconds until the next attempt; None if there is none. `reason` says why there is one.
        whose: for what the program made the call by itself, such as ``dashboard``; empty for the user's own.
    """

    number: int
    call: int
    at: float
    tool: str
    connection: str
    method: str
    url: str
    request: int
    attempt: int
    style: ResponseStyle = msgspec.field(default_factory=ResponseStyle)
    sent: Headers = ()
    asked: str = ""
    status: int | None = None
    fault: str = ""
    elapsed: float | None = None
    connecting: float | None = None
    waiting: float | None = None
    receiving: float | None = None
    size: int = 0
    headers: Headers = ()
    body: str = ""
    pause: float | None = None
    reason: str = ""
    whose: str = ""

    @property
    def limits(self) -> str:
        """The rate limits in words: requests left, of how many, the reset, and when to retry; empty without any."""
        headers = dict(self.headers)
        parts = []
        for limit in self.style.limits:
            if limit.left in headers:
                most = f" of {headers[limit.most]}" if limit.most and limit.most in headers else ""
                new = f", new in {reset} s" if (reset := headers.get(limit.reset or "")) else ""
                parts.append(f"{headers[limit.left]}{most} left" + (f" {limit.window}" if limit.window else "") + new)
        if reason := headers.get(self.style.retry.reason or ""):
            parts.append(reason)
        if after := headers.get("retry-after"):
            parts.append(f"retry after {after}" + (" s" if after.isdigit() else ""))
        return " · ".join(parts)

    @property
    def ids(self) -> Headers:
        """The ids of the request from the service and from proxies in front of it."""
        names = (*self.style.request_id, *_OF_PROXIES)
        return tuple((name, value) for name, value in self.headers if name in names)

    @property
    def request_id(self) -> str | None:
        """The service's id of the request, for problem reports."""
        headers = dict(self.headers)
        return next((headers[name] for name in self.style.request_id if name in headers), None)


class Traces(msgspec.Struct, eq=False):
    """The last requests. Requests that the program makes by itself do not displace the user's.

    Attributes:
        revision: changes with every update.
        calls: numbers for the calls, as `numbers` for the requests.
        asked: the requests that the user asked for; `unasked` are the others.
    """

    revision: int = 0
    calls: Iterator[int] = msgspec.field(default_factory=partial(count, 1))
    numbers: Iterator[int] = msgspec.field(default_factory=partial(count, 1))
    asked: deque[Trace] = msgspec.field(default_factory=partial(deque, maxlen=_MOST))
    unasked: deque[Trace] = msgspec.field(default_factory=partial(deque, maxlen=_MOST_UNASKED))

    def newest_first(self) -> list[Trace]:
        """All kept requests."""
        return sorted((*self.asked, *self.unasked), key=lambda trace: -trace.number)

    def attempts(self, trace: Trace) -> list[Trace]:
        """All kept attempts at the same request, in order."""
        same = [one for one in self.newest_first() if (one.call, one.request) == (trace.call, trace.request)]
        return same[::-1]


class Attempt:
    """Measures one attempt at a request that is about to be sent, and notes it in a `Trace` with its secrets redacted.

    `carriers` are the lower-case names of headers that carry secrets; `hide` redacts the request's secrets in a text.
    """

    def __init__(self, traces: Traces, trace: Trace, hide: Hide, carriers: Collection[str]) -> None:
        self.trace, self._traces, self._hide, self._carriers = trace, traces, hide, carriers
        trace.number = next(traces.numbers)
        (traces.unasked if trace.whose else traces.asked).append(trace)
        traces.revision += 1
        self._started = time.perf_counter()
        self._connecting_since = self._began = 0.0

    def sends(self, request: httpx.Request) -> None:
        """The request is about to be sent."""
        self.trace.sent = self._without_credentials(redacted_headers(request.headers, self._hide))
        self.trace.asked = _shown(self._hide(request.content[:_LOOKED_AT]), len(request.content))
        request.extensions = {**request.extensions, "trace": self._connection_event}

    async def _connection_event(self, name: str, info: Mapping[str, Any]) -> None:
        """Handle httpcore's events on connections; other events are ignored."""
        if name.startswith("connection.connect_") and name.endswith(".started"):
            self._connecting_since = time.perf_counter()
        elif name.startswith("connection.") and name.endswith(".complete") and self._connecting_since:
            self.trace.connecting = time.perf_counter() - self._connecting_since
        elif name.endswith("send_request_headers.started") and self.trace.connecting is None:
            self.trace.connecting = 0.0

    def answered(self, status: int, headers: Mapping[str, str]) -> None:
        """Status and headers, redacted, were received."""
        self._began = time.perf_counter()
        self.trace.status = status
        self.trace.waiting = max(self._began - self._started - (self.trace.connecting or 0.0), 0.0)
        self.trace.headers = self._without_credentials(headers)
        self._traces.revision += 1

    def ended(self, body: bytes = b"", fault: str = "", *, size: int = 0, at: float | None = None) -> None:
        """End the attempt: with a body, redacted, and its size in bytes as received, or with a fault.

        `at` is when the last byte was received, by `time.perf_counter`, before the body was decoded; by default now.
        """
        trace, at = self.trace, time.perf_counter() if at is None else at
        trace.elapsed = at - self._started
        trace.receiving = at - self._began if self._began else None
        trace.size, trace.fault = size, self._hide(fault.encode("utf-8", "replace")).decode()
        trace.body = _shown(body, size)
        self._traces.revision += 1

    def _without_credentials(self, headers: Mapping[str, str]) -> Headers:
        """Headers in which the values of those that carry credentials are masked completely."""
        return tuple(
            (name, MASK if name in self._carriers or _TELLING.search(name) else value) for name, value in headers.items()
        )


def _shown(body: bytes, size: int) -> str:
    """The beginning of a body; only the size of binary data."""
    if b"\0" in body[:_LOOKED_AT] or body.startswith(b"%PDF"):
        return f"({size:,} bytes of binary data)"
    text = mask(body[:_MASKED])[0].decode("utf-8", "replace")
    return text if len(text) <= _KEPT and len(body) <= _MASKED else f"{text[:_KEPT]}…"
