"""Applies faults to a request.

The delay comes first; if the client disconnects meanwhile, nothing is carried out. Then an effect replaces the response, or
damages the service's own.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from registry.sandbox.error_responses import ErrorResponses
from registry.sandbox.faults.active import Treatment
from registry.sandbox.faults.connection import ClientWatch, break_off
from registry.sandbox.faults.fault import Bomb, Cut, Drip, Drop, Harm, Hostile, HtmlPage, Large, Status, Trickle
from registry.sandbox.limits import Limited

ESCAPES = (
    "\x1b[2J\x1b[31mHARM",
    "\x1b]0;HARM\x07",
    "\x1b]52;c;SEFSTQ==\x07",
    "\x1b]8;;https://hostile.example/HARM\x1b\\here\x1b]8;;\x1b\\",
    "\x1bPHARM\x1b\\",
    "\x9b31mHARM",
    "\x9d52;c;SEFSTQ==\x9c",
    "\x08\x08\x7f\x00HARM\r",
    "\u202eMRAH\u202c\u2066\u200f",
    "\u00ad\u034f\u115f\u180e\u200b\u2028\u3164\ufeff\uffa0\ufe0f\U000e0048",
    "a" + "\u0301" * 500,
    "[/][@click=app.quit]HARM[/][bold",
    '=HYPERLINK("https://hostile.example/HARM")',
)
"""Texts that do harm when shown unescaped, or opened in a spreadsheet."""

FORGED = (
    "\ncallboard: It is deleted.",
    "\r\ncallboard: nothing was sent\n→ Run it again.",
    "\u2028✓ 200 OK\n{}\n$ ",
)
"""Line breaks, followed by text that looks like a client's own message."""

HALVES = (" \ud800", " \udc00", " \udc00\ud800", " a\ud83d")
"""Halves of surrogate pairs, each kept from pairing with the one before it."""

SECRET = "seti_0Hostile_secret_0HostileHARM"
"""A client secret, which clients mask; put in so that they must do it here as well."""

_TEXTS = frozenset({"message", "name", "description", "summary", "title", "nickname", "firstName", "lastName", "detail"})


def content(effect: Hostile, body: bytes, authorization: str) -> bytes:
    """A body with the hostile content that an effect asks for.

    Args:
        effect: what to put in, and in which character set to write it.
        body: the service's own response, as JSON in UTF-8.
        authorization: the header that the request carried.
    """
    try:
        whole = json.loads(body)
    except ValueError:
        return body
    credential = authorization.rpartition(" ")[2].removeprefix("token=") or "no-credential"
    texts, member = _hostile(effect.content, credential)
    whole = _extended(whole, "".join(texts))
    if isinstance(whole, dict):
        whole = {"hostile": member, **whole}
    # Halves of surrogate pairs have no encoding; C0 control characters are always escaped.
    written = json.dumps(whole, ensure_ascii=effect.content == "surrogate", separators=(",", ":"))
    if effect.content == "nan" and isinstance(whole, dict):
        written = '{"hostile":"the same name comes again",' + written[1:]
    return written.encode(effect.encoding or "utf-8", "replace")


def echoed_headers(authorization: str) -> list[tuple[bytes, bytes]]:
    """Headers that give back what a request carried, as some proxies do."""
    return [(b"x-received-authorization", authorization.encode("latin-1", "replace"))]


def _hostile(kind: str, credential: str) -> tuple[tuple[str, ...], Any]:
    """By what each text is extended, and the value of the member in front."""
    match kind:
        case "encoding":
            # The letters are harmless in their own character set; read byte by byte they set a terminal's clipboard.
            letters = b"\x1b]52;c;SEFSTQ==\x07 \x1b[31mHARM".decode("utf-16-be")
            return (letters,), letters
        case "nan":
            numbers = {"nan": float("nan"), "infinity": float("inf"), "minus_infinity": float("-inf")}
            return (), {**numbers, "client_secret": SECRET, "amount": float("nan")}
        case "surrogate":
            return HALVES, {half: half for half in HALVES}
        case "escapes":
            return ESCAPES, list(ESCAPES)
        case "forge":
            return FORGED, list(FORGED)
    spellings = {
        "plain": credential,
        "url": f"https://hostile.example/?key={quote(credential, safe='')}",
        "base64": base64.b64encode(credential.encode()).decode(),
        "base64_url": base64.urlsafe_b64encode(credential.encode()).decode(),
        "basic": base64.b64encode(f"user:{credential}".encode()).decode(),
    }
    return (f" {credential}",), {**spellings, credential: "as a name"}


def _extended(value: Any, text: str) -> Any:
    """The value with its texts extended."""
    if isinstance(value, list):
        return [_extended(one, text) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        name: held + text if name in _TEXTS and isinstance(held, str) else _extended(held, text) for name, held in value.items()
    }


_PAGES = {
    200: ("Sign in to the network", "This network asks you to sign in before you go on."),
    502: ("502 Bad Gateway", "The proxy received no valid answer from the server behind it."),
}
_PIECE = 65_536
_GZIP_HEAD = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"


def page(status: int) -> Response:
    """A page of HTML with this status, 200 or 502."""
    title, text = _PAGES[status]
    html = f"<!DOCTYPE html>\n<html><head><title>{title}</title></head><body><h1>{title}</h1><p>{text}</p></body></html>\n"
    return HTMLResponse(html, status)


def large_list(service: str, path: str, size: int) -> Iterator[bytes]:
    """A list in the service's shape, of exactly `size` bytes of JSON, in pieces of at most 64 KB.

    Args:
        service: whose shape.
        path: the path that was asked for; the incident service calls a list by its last word.
        size: bytes, enough for the list's frame (1000 are).
    """
    head, item, tail = _shape(service, path)
    room = size - len(head) - len(tail)
    yield head
    together = max(_PIECE // (len(item) + 1), 1)
    items = b",".join([item] * together)
    first = True
    while room >= len(items) + 1:
        piece = items if first else b"," + items
        first = False
        room -= len(piece)
        yield piece
    while room >= len(item) + 1:
        piece = item if first else b"," + item
        first = False
        room -= len(piece)
        yield piece
    yield b" " * room + tail


def compressed(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same as one gzip stream. Pieces that occur again are compressed once, so that making it costs little."""
    yield _GZIP_HEAD
    check, size = 0, 0
    known: dict[bytes, bytes] = {}
    for piece in pieces:
        check, size = zlib.crc32(piece, check), size + len(piece)
        if piece not in known:
            packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
            # After a full flush what follows refers to nothing before it, and begins with a whole byte.
            known[piece] = packer.compress(piece) + packer.flush(zlib.Z_FULL_FLUSH)
        yield known[piece]
    yield (
        zlib.compressobj(9, wbits=-zlib.MAX_WBITS).flush() + check.to_bytes(4, "little") + (size % 2**32).to_bytes(4, "little")
    )


def _shape(service: str, path: str) -> tuple[bytes, bytes, bytes]:
    """The text before the items, one item, and the text after them."""
    item = {"id": "filler_0000000000000000", "object": "filler", "description": "An object that only takes up room. " * 20}
    # The frame must fit into the smallest list, however long the address is.
    shown = path[:100]
    match service:
        case "incidents":
            name = shown.rstrip("/").rpartition("/")[2] or "incidents"
            head, tail = f'{{"limit":100,"offset":0,"more":false,"total":null,{json.dumps(name)}:[', "]}"
            item = {"id": "PFILLER", "type": "filler", "summary": item["description"]}
        case "crm":
            head, tail = '{"results":[', "]}"
            item = {"id": "0", "email": "filler@fernway.example", "firstName": item["description"]}
        case _:
            kind = "search_result" if shown.endswith("/search") else "list"
            head, tail = f'{{"object":"{kind}","url":{json.dumps(shown)},"has_more":false,"data":[', "]}"
    return head.encode(), json.dumps(item).encode(), tail.encode()


class _HeldResponse(NamedTuple):
    """A service's complete response, held back."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes

    def start(self, size: int) -> Message:
        """Send the response's start, with this size of the body in bytes; a response without a body gets no size."""
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
        error_responses: how the service refuses.
    """

    def __init__(self, service: str, app: ASGIApp, limited: Limited, error_responses: ErrorResponses) -> None:
        self._service = service
        self._app = app
        self._limited = limited
        self._error_responses = error_responses

    async def answer(self, treatment: Treatment, path: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request for this path below the service, or do not."""
        client = ClientWatch(receive)
        if treatment.delay and not await client.stays(treatment.delay):
            return
        await self._respond(treatment.effect, path, scope, client, send)

    async def _respond(self, effect: Harm | None, path: str, scope: Scope, client: ClientWatch, send: Send) -> None:
        match effect:
            case None:
                await self._limited.answer(self._app, scope, client.receive, send)
            case Status(status=status, bare=False):
                await self._limited.answer(self._refusal(status), scope, client.receive, send)
            case Status():
                await self._error_responses.bare()(scope, client.receive, send)
            case HtmlPage(status=status):
                await page(status)(scope, client.receive, send)
            case Large(size=size):
                await self._stream(large_list(self._service, path, size), {"content-length": str(size)}, client, send)
            case Bomb(size=size):
                pieces = compressed(large_list(self._service, path, size))
                await self._stream(pieces, {"content-encoding": "gzip"}, client, send)
            case Drip(pause=pause):
                await self._drip(pause, client, send)
            case Hostile():
                await self._hostile(effect, scope, client, send)
            case Drop(carried_out=False):
                await break_off(scope, client, send, started=False)
            case Drop(size=size):
                await self._drop(await self._collected(self._app, scope, client), size, scope, client, send)
            case Cut(size=size):
                await self._cut(await self._collected(self._app, scope, client), size, send)
            case Trickle(pause=pause):
                await self._trickle(await self._collected(self._app, scope, client), pause, client, send)

    def _refusal(self, status: int) -> Response:
        response = self._error_responses.refusals[status]()
        if status == 429 and self._service in _NOTHING_LEFT:
            response.headers.update(_NOTHING_LEFT[self._service])
        return response

    async def _collected(self, app: ASGIApp, scope: Scope, client: ClientWatch) -> _HeldResponse:
        """The response of the service, or of its replacement."""
        start: Message = {}
        body = bytearray()

        async def keep(message: Message) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
            elif message["type"] == "http.response.body":
                body.extend(message.get("body", b""))

        await self._limited.answer(app, scope, client.receive, keep)
        return _HeldResponse(start["status"], list(start["headers"]), bytes(body))

    async def _drop(self, response: _HeldResponse, size: int | None, scope: Scope, client: ClientWatch, send: Send) -> None:
        # Hold back at least the last byte: a response that arrives completely is not a broken one.
        if size is None or not response.body:
            await break_off(scope, client, send, started=False)
            return
        await send(response.start(len(response.body)))
        await send(_part(response.body[: min(size, len(response.body) - 1)], more=True))
        await break_off(scope, client, send, started=True)

    async def _cut(self, response: _HeldResponse, size: int | None, send: Send) -> None:
        whole = len(response.body)
        left = response.body[: whole // 2 if size is None else min(size, max(whole - 1, 0))]
        await send(response.start(len(left)))
        await send(_part(left, more=False))

    async def _trickle(self, response: _HeldResponse, pause: float, client: ClientWatch, send: Send) -> None:
        await send(response.start(len(response.body)))
        for byte in response.body:
            await send(_part(bytes((byte,)), more=True))
            if not await client.stays(pause):
                return
        await send(_part(b"", more=False))

    async def _hostile(self, effect: Hostile, scope: Scope, client: ClientWatch, send: Send) -> None:
        app = self._app if effect.status is None else self._refusal(effect.status)
        response = await self._collected(app, scope, client)
        authorization = Headers(scope=scope).get("authorization", "")
        body = content(effect, response.body, authorization)
        headers = response.headers + (echoed_headers(authorization) if effect.content == "echo-credential" else [])
        spoiled = _HeldResponse(response.status, headers, body)
        await send(spoiled.start(len(body)))
        await send(_part(body, more=False))

    async def _drip(self, pause: float, client: ClientWatch, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [_JSON]})
        await send(_part(b"{", more=True))
        while await client.stays(pause):
            await send(_part(b" ", more=True))

    async def _stream(self, pieces: Iterator[bytes], headers: Mapping[str, str], client: ClientWatch, send: Send) -> None:
        """Send a body in pieces, for as long as the client stays."""
        raw_headers = [_JSON, *((name.encode(), value.encode()) for name, value in headers.items())]
        await send({"type": "http.response.start", "status": 200, "headers": raw_headers})
        for piece in pieces:
            await send(_part(piece, more=True))
            if not await client.stays(0):
                return
        await send(_part(b"", more=False))


_JSON = (b"content-type", b"application/json")

_NOTHING_LEFT = {
    "incidents": {"ratelimit-remaining": "0", "ratelimit-reset": "5"},
    "crm": {"X-HubSpot-RateLimit-Remaining": "0"},
}
"""What a 429 says although the count says otherwise. Five seconds are long enough to be seen and short enough to wait for."""


def _part(body: bytes, *, more: bool) -> Message:
    return {"type": "http.response.body", "body": body, "more_body": more}
