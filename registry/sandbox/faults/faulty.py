"""Faults in front of a service: which are in force, and what they do to a request.

The delay comes first; if the client disconnects meanwhile, nothing is carried out. Then a fault takes the response's place, so
that the service does nothing, or harms the service's own response after the service has done its work.

ASGI has no message for closing a connection. Who calls the application puts an object with a `close` method into the scope's
``extensions`` under `CONNECTION`, as `serving` does with uvicorn's transport; without one, it raises `ConnectionLost`.
"""

import asyncio
import random
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from msgspec import Struct
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from registry.sandbox.faults import bodies
from registry.sandbox.faults.specification import Fault, parse
from registry.sandbox.limits import DAILY, Limit, Refuse
from registry.sandbox.world import World

CONNECTION = "sandbox.connection"


class ConnectionLost(ConnectionError):
    """Raised by a fault to close the connection."""


class ClientWatch:
    """Watches whether the client of a request is still connected. No message of the request is lost by that."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._early: deque[Message] = deque()

    async def receive(self) -> Message:
        """The next message of the request, as ASGI has it."""
        return self._early.popleft() if self._early else await self._receive()

    async def stays(self, seconds: float) -> bool:
        """Wait so long; returns False at once when the client disconnects."""
        try:
            async with asyncio.timeout(seconds):
                while True:
                    message = await self._receive()
                    if message["type"] == "http.disconnect":
                        return False
                    self._early.append(message)
        except TimeoutError:
            return True


async def break_off(scope: Scope, client: ClientWatch) -> None:
    """Break the connection of a request. What was sent of its response before is delivered.

    Raises:
        ConnectionLost: who called has no way to break it.
    """
    connection: asyncio.Transport | None = scope.get("extensions", {}).get(CONNECTION)
    if connection is None:
        raise ConnectionLost("the connection is broken off, as a fault asks for")
    connection.close()
    # The server knows only a moment later, and would take an application that ends earlier for a broken one.
    while (await client.receive())["type"] != "http.disconnect":
        pass


class Active(Struct):
    """An active fault. It has its own random generator, so that a run can be repeated."""

    id: int
    fault: Fault
    dice: random.Random
    applied: int = 0

    @property
    def remaining(self) -> int | None:
        """To how many requests it will still be applied; None without an end."""
        return None if self.fault.count is None else self.fault.count - self.applied


class Faults:
    """The faults of one sandbox, in the order in which they were added. Safe to use from several threads.

    Args:
        world: where the dice come from.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._lock = threading.Lock()
        self._active: list[Active] = []
        self._given = 0

    def add(self, text: str) -> Active:
        """Put a fault in force.

        Raises:
            WrongFault: the text is not a fault.
        """
        fault = parse(text)
        with self._lock:
            self._given += 1
            active = Active(self._given, fault, self._world.dice(f"fault/{self._given}"))
            self._active.append(active)
            return active

    def listing(self) -> list[Active]:
        """The faults in force, also those that are used up."""
        with self._lock:
            return list(self._active)

    def remove(self, id_: int | None = None) -> int:
        """End one fault, or all; how many that were."""
        with self._lock:
            before, self._active = self._active, [one for one in self._active if id_ not in (None, one.id)]
            return len(before) - len(self._active)

    def treatment(self, service: str, method: str, path: str) -> tuple[float, Fault | None] | None:
        """What happens to a request, counted as applied: seconds to wait first, and the first fault of another kind.

        All latencies that concern the request are added up. None when no fault concerns it.
        """
        with self._lock:
            concerned = [one for one in self._active if one.remaining != 0 and one.fault.concerns(service, method, path)]
            slow = [one for one in concerned if one.fault.kind == "latency"]
            first = next((one for one in concerned if one.fault.kind != "latency"), None)
            for active in (*slow, *([first] if first else ())):
                active.applied += 1
            delay = sum((one.dice.uniform(one.fault.pause, one.fault.longest) for one in slow), 0.0)
        return (delay, first.fault if first else None) if concerned else None


class _HeldResponse(NamedTuple):
    """A service's complete response, held back."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes

    def start(self, size: int) -> Message:
        """The response's start, with this size of the body in bytes; a response without a body gets no size."""
        if not self.body:
            return {"type": "http.response.start", "status": self.status, "headers": self.headers}
        headers = [(name, value) for name, value in self.headers if name.lower() != b"content-length"]
        headers.append((b"content-length", str(size).encode()))
        return {"type": "http.response.start", "status": self.status, "headers": headers}


class Faulty:
    """A service whose requests are counted, and that can be made to fail.

    Args:
        service: its name.
        app: the service.
        limit: counts its requests.
        limited: whether requests beyond the limit are refused.
        refuse: how the service refuses.
        faults: the faults in force.
    """

    def __init__(self, service: str, app: ASGIApp, limit: Limit, *, limited: bool, refuse: Refuse, faults: Faults) -> None:
        self._service = service
        self._app = app
        self._limit = limit
        self._limited = limited
        self._refuse = refuse
        self._faults = faults

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as ASGI has it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        treatment = self._faults.treatment(self._service, scope["method"], path)
        if treatment is None:
            await self._counted(self._app, scope, receive, send)
            return
        delay, fault = treatment
        client = ClientWatch(receive)
        if delay and not await client.stays(delay):
            return
        if fault is None:
            await self._counted(self._app, scope, client.receive, send)
        else:
            await self._treated(fault, path, scope, client, send)

    async def _counted(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """Count a request, and have `app` answer it or refuse it. Headers that the response already has are not changed."""
        hit, counted = self._limit(Headers(scope=scope).get("authorization", ""), scope["path"])

        async def tell(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in counted.items():
                    headers.setdefault(name, value)
            await send(message)

        await (app if hit is None or not self._limited else self._refuse(429, hit))(scope, receive, tell)

    async def _treated(self, fault: Fault, path: str, scope: Scope, client: ClientWatch, send: Send) -> None:
        status, size = fault.status, fault.size or 0
        match fault.kind:
            case "html":
                await bodies.page(status or 200)(scope, client.receive, send)
            case "large":
                pieces = bodies.large_list(self._service, path, size)
                await _stream(pieces, {"content-length": str(size)}, client, send)
            case "bomb":
                pieces = bodies.compressed(bodies.large_list(self._service, path, size))
                await _stream(pieces, {"content-encoding": "gzip"}, client, send)
            case "drip":
                await send({"type": "http.response.start", "status": 200, "headers": [_JSON]})
                await send(_part(b"{", more=True))
                while await client.stays(fault.pause):
                    await send(_part(b" ", more=True))
            case "drop":
                response = None if fault.before else await self._collected(self._app, scope, client)
                if response is not None and response.body and size:
                    await send(response.start(len(response.body)))
                    # Hold back at least the last byte: a response that arrives completely is not a broken one.
                    await send(_part(response.body[: min(size, len(response.body) - 1)], more=True))
                await break_off(scope, client)
            case "cut":
                response = await self._collected(self._app, scope, client)
                whole = len(response.body)
                left = response.body[: whole // 2 if fault.size is None else min(size, max(whole - 1, 0))]
                await send(response.start(len(left)))
                await send(_part(left, more=False))
            case "trickle":
                response = await self._collected(self._app, scope, client)
                await send(response.start(len(response.body)))
                for byte in response.body:
                    await send(_part(bytes((byte,)), more=True))
                    if not await client.stays(fault.pause):
                        return
                await send(_part(b"", more=False))
            case _ if status is not None and fault.which == "bare":
                await self._refuse(status, fault.which)(scope, client.receive, send)
            case _ if status is not None and fault.kind.isdecimal():
                await self._counted(self._refusal(status, fault.which), scope, client.receive, send)
            case _:
                app = self._app if fault.status is None else self._refusal(fault.status)
                response = await self._collected(app, scope, client)
                authorization = Headers(scope=scope).get("authorization", "")
                # Some proxies give back what a request carried.
                echoed = [(b"x-received-authorization", authorization.encode("latin-1", "replace"))]
                headers = response.headers + (echoed if fault.kind == "echo-credential" else [])
                body = bodies.content(fault, response.body, authorization)
                await send(_HeldResponse(response.status, headers, body).start(len(body)))
                await send(_part(body, more=False))

    def _refusal(self, status: int, which: str = "") -> ASGIApp:
        response = self._refuse(status, which)
        if status == 429:
            response.headers.update(_NOTHING_LEFT.get(which or self._service, {}))
        return response

    async def _collected(self, app: ASGIApp, scope: Scope, client: ClientWatch) -> _HeldResponse:
        start: Message = {}
        body = bytearray()

        async def keep(message: Message) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
            elif message["type"] == "http.response.body":
                body.extend(message.get("body", b""))

        await self._counted(app, scope, client.receive, keep)
        return _HeldResponse(start["status"], list(start["headers"]), bytes(body))


_JSON = (b"content-type", b"application/json")

_NOTHING_LEFT = {
    "incidents": {"ratelimit-remaining": "0", "ratelimit-reset": "5"},
    "crm": {"X-HubSpot-RateLimit-Remaining": "0"},
    DAILY: {"X-HubSpot-RateLimit-Daily-Remaining": "0"},
}
"""What a 429 says although the count says otherwise. Five seconds are long enough to be seen and short enough to wait for."""


async def _stream(pieces: Iterator[bytes], headers: Mapping[str, str], client: ClientWatch, send: Send) -> None:
    raw_headers = [_JSON, *((name.encode(), value.encode()) for name, value in headers.items())]
    await send({"type": "http.response.start", "status": 200, "headers": raw_headers})
    for piece in pieces:
        await send(_part(piece, more=True))
        if not await client.stays(0):
            return
    await send(_part(b"", more=False))


def _part(body: bytes, *, more: bool) -> Message:
    return {"type": "http.response.body", "body": body, "more_body": more}
