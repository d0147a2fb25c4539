"""What faults do to a request.

The delay comes first; a client that goes meanwhile ends the matter, and nothing is carried out. Then an effect takes the
answer's place, or harms the one that the service gives.
"""

from __future__ import annotations

from typing import NamedTuple

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from registry.sandbox.faults.active import Treatment
from registry.sandbox.faults.bodies import large_list, page
from registry.sandbox.faults.connection import Client, break_off
from registry.sandbox.faults.fault import Cut, Drop, Harm, Large, Page, Status, Trickle
from registry.sandbox.limits import Limited
from registry.sandbox.voices import Voice


class _Answer(NamedTuple):
    """A service's whole answer, kept back."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes

    def start(self, size: int) -> Message:
        """The beginning of the answer, which says that the body has this many bytes; an answer without a body says nothing."""
        if not self.body:
            return {"type": "http.response.start", "status": self.status, "headers": self.headers}
        headers = [(name, value) for name, value in self.headers if name.lower() != b"content-length"]
        headers.append((b"content-length", str(size).encode()))
        return {"type": "http.response.start", "status": self.status, "headers": headers}


class Treated:
    """A request under treatment.

    Args:
        service: the service's name.
        app: the service.
        limited: what counts its requests; the service's own words pass through it as well.
        voice: how the service refuses.
    """

    def __init__(self, service: str, app: ASGIApp, limited: Limited, voice: Voice) -> None:
        self._service = service
        self._app = app
        self._limited = limited
        self._voice = voice

    async def answer(self, treatment: Treatment, path: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request for this path below the service, or do not."""
        client = Client(receive)
        if treatment.delay and not await client.stays(treatment.delay):
            return
        await self._answer(treatment.effect, path, scope, client, send)

    async def _answer(self, effect: Harm | None, path: str, scope: Scope, client: Client, send: Send) -> None:
        match effect:
            case None:
                await self._limited.answer(self._app, scope, client.receive, send)
            case Status(status=status, bare=False):
                await self._limited.answer(self._refusal(status), scope, client.receive, send)
            case Status():
                await self._voice.bare()(scope, client.receive, send)
            case Page(status=status):
                await page(status)(scope, client.receive, send)
            case Large(size=size):
                await self._large(path, size, client, send)
            case Drop(carried_out=False):
                await break_off(scope, client, send, started=False)
            case Drop(size=size):
                await self._drop(await self._collected(scope, client), size, scope, client, send)
            case Cut(size=size):
                await self._cut(await self._collected(scope, client), size, send)
            case Trickle(pause=pause):
                await self._trickle(await self._collected(scope, client), pause, client, send)

    def _refusal(self, status: int) -> Response:
        response = self._voice.refusals[status]()
        if status == 429 and self._service in _NOTHING_LEFT:
            response.headers.update(_NOTHING_LEFT[self._service])
        return response

    async def _collected(self, scope: Scope, client: Client) -> _Answer:
        """What the service answers."""
        start: Message = {}
        body = bytearray()

        async def keep(message: Message) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
            elif message["type"] == "http.response.body":
                body.extend(message.get("body", b""))

        await self._limited.answer(self._app, scope, client.receive, keep)
        return _Answer(start["status"], list(start["headers"]), bytes(body))

    async def _drop(self, answer: _Answer, size: int | None, scope: Scope, client: Client, send: Send) -> None:
        # At least the last byte is held back: an answer that arrives whole is no broken one.
        if size is None or not answer.body:
            await break_off(scope, client, send, started=False)
            return
        await send(answer.start(len(answer.body)))
        await send(_part(answer.body[: min(size, len(answer.body) - 1)], more=True))
        await break_off(scope, client, send, started=True)

    async def _cut(self, answer: _Answer, size: int | None, send: Send) -> None:
        whole = len(answer.body)
        left = answer.body[: whole // 2 if size is None else min(size, max(whole - 1, 0))]
        await send(answer.start(len(left)))
        await send(_part(left, more=False))

    async def _trickle(self, answer: _Answer, pause: float, client: Client, send: Send) -> None:
        await send(answer.start(len(answer.body)))
        for byte in answer.body:
            await send(_part(bytes((byte,)), more=True))
            if not await client.stays(pause):
                return
        await send(_part(b"", more=False))

    async def _large(self, path: str, size: int, client: Client, send: Send) -> None:
        headers = [(b"content-type", b"application/json"), (b"content-length", str(size).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for piece in large_list(self._service, path, size):
            await send(_part(piece, more=True))
            if not await client.stays(0):
                return
        await send(_part(b"", more=False))


_NOTHING_LEFT = {
    "incidents": {"ratelimit-remaining": "0", "ratelimit-reset": "5"},
    "crm": {"X-HubSpot-RateLimit-Remaining": "0"},
}
"""What a 429 says although the count says otherwise. Five seconds are long enough to be seen and short enough to wait for."""


def _part(body: bytes, *, more: bool) -> Message:
    return {"type": "http.response.body", "body": body, "more_body": more}
