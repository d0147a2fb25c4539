"""Reads the messages of MCP clients as strictly as all other JSON, before the protocol's own reader sees them.

That reader silently takes the last of duplicate properties, and makes floats of decimals: ``1.10`` becomes ``1.1``. Here a
message that names a property twice, or that is not JSON, is refused with a JSON-RPC error. A number in a tool's arguments that
a float cannot hold is passed on as a marked string (`registry.text.exact_numbers`), and so it is in a result; the marks are
removed from what is sent.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from registry.calling.exact_json import dumps, loads, where_in_json
from registry.calling.marked_numbers import marked
from registry.text.exact_numbers import restored
from registry.text.safe_text import visible_line

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 4_000_000
"""The most bytes of one message; the largest value of a tool is far below."""
_PARSE_ERROR = -32700


class InvalidMessage(ValueError):
    """A message that is refused. `id` is the id of the request, if it could be read; the text says why."""

    def __init__(self, why: str, id_: str | int | None = None) -> None:
        super().__init__(f"Parse error: {why}.")
        self.id = id_

    @property
    def response(self) -> dict[str, object]:
        """The JSON-RPC error to send."""
        return {"jsonrpc": "2.0", "id": self.id, "error": {"code": _PARSE_ERROR, "message": str(self)}}


def strict(body: bytes) -> bytes:
    """The message to pass on: as received, except that numbers in a tool's arguments that a float cannot hold are marked.

    Raises:
        InvalidMessage: it is not JSON (RFC 8259, UTF-8), names a property twice, or is nested too deeply.
    """
    try:
        text = body.decode()
        message = loads(text, whole=True)
    except UnicodeDecodeError as error:
        raise InvalidMessage(f"the message is not UTF-8: byte 0x{body[error.start]:02x} at {error.start:,}") from None
    except json.JSONDecodeError as error:
        raise InvalidMessage(visible_line(where_in_json(error)), _id_of(text)) from None
    except ValueError as error:
        raise InvalidMessage(visible_line(str(error)), _id_of(text)) from None
    params = message.get("params") if isinstance(message, dict) else None
    if not isinstance(params, dict) or not isinstance(params.get("arguments"), dict):
        return body
    arguments = marked(params["arguments"])
    return body if arguments == params["arguments"] else dumps(message | {"params": params | {"arguments": arguments}}).encode()


class StrictMessages:
    """An ASGI application that reads each request strictly and passes it on to another one; refuses invalid ones with 400.

    The numbers in the responses have all their digits.
    """

    def __init__(self, inner: ASGIApp) -> None:
        self._inner = inner

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._inner(scope, receive, send)
            return
        from starlette.responses import JSONResponse

        body = await _body(receive)
        if body is None:  # the client disconnected
            return
        try:
            if len(body) > MOST_BYTES:
                raise InvalidMessage(f"the message is larger than {MOST_BYTES:,} bytes")
            passed = strict(body)
        except InvalidMessage as refused:
            await JSONResponse(refused.response, 413 if len(body) > MOST_BYTES else 400)(scope, receive, send)
            return
        waiting: list[Message] = [{"type": "http.request", "body": passed, "more_body": False}]

        async def replayed() -> Message:
            return waiting.pop() if waiting else await receive()

        headers = [(name, value) for name, value in scope["headers"] if name != b"content-length"]
        length = (b"content-length", str(len(passed)).encode())
        await self._inner({**scope, "headers": [*headers, length]}, replayed, _restoring(send))


def _restoring(send: Send) -> Send:
    """Sends a response with its marked numbers restored; each event of a stream, and each other message, is one piece."""
    begun: list[Message] = []

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            begun.append(message)
            return
        if message["type"] == "http.response.body":
            message = {**message, "body": restored(message.get("body", b""))}
        for start in begun:
            whole = [] if message.get("more_body") else [(b"content-length", str(len(message.get("body", b""))).encode())]
            headers = [(name, value) for name, value in start["headers"] if name != b"content-length"]
            await send({**start, "headers": [*headers, *whole]} if len(headers) < len(start["headers"]) else start)
        begun.clear()
        await send(message)

    return sent


async def _body(receive: Receive) -> bytes | None:
    """The body of a request, up to just over `MOST_BYTES`; None if the client disconnected."""
    body, more = bytearray(), True
    while more and len(body) <= MOST_BYTES:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return bytes(body)


def _id_of(text: str) -> str | int | None:
    """The id of a refused request, so that its client does not wait for a response; None if it has none."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return None
    found = message.get("id") if isinstance(message, dict) else None
    return found if isinstance(found, str | int) and not isinstance(found, bool) else None
