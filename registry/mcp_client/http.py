"""A server over HTTP, reached through the connections of all other requests: the same proxies, rules and certificates.

The response to a call is checked here before the protocol's library gets it: only a message of the protocol passes. The library
would report anything else as an error from the server, as if the server had refused a call that it may have carried out.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from secrets import token_hex

import httpx
import httpx2
import mcp_types as types

from registry.mcp_client.values import ServerProblem
from registry.text.safe_text import shortened, visible_line

_HANDSHAKE = ("initialize", "server/discover")
"""Requests whose responses the library reads itself, to find out the protocol's version."""

_NO_MESSAGE = "The server sent something that is not an MCP message."
_OF_THE_BODY = {b"content-encoding", b"content-length"}
_IGNORED = {b"host", b"content-length", b"connection", b"user-agent"}


class ThroughHttpx(httpx2.AsyncBaseTransport):
    """Carries the protocol library's requests through an httpx client.

    Args:
        client: returns the client.
        headers: returns the headers for a request, with the current credential.
        largest: the size limit of a response in bytes.

    Attributes:
        status: the last HTTP error status of the handshake; None without one.
        fault: why a request of the handshake got no response; empty if each got one.
        redirect: the redirect of the handshake; None without one.
        too_large: whether a response of the handshake was too large.
    """

    def __init__(self, client: Callable[[], httpx.AsyncClient], headers: Callable[[], Mapping[str, str]], largest: int) -> None:
        self._client = client
        self._headers = headers
        self.largest = largest
        self.status: int | None = None
        self.fault = ""
        self.redirect: ServerProblem | None = None
        self.too_large = False
        self._problems: dict[str, ServerProblem] = {}

    def problem_of(self, data: object) -> ServerProblem | None:
        """The problem of a response, by the data of the error that replaced it; None for errors from the server."""
        return self._problems.pop(data, None) if isinstance(data, str) else None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request; returns its response, with the body still unread."""
        headers = [(name, value) for name, value in request.headers.raw if name.lower() not in _IGNORED]
        names = {name.lower() for name in self._headers()}
        headers = [one for one in headers if one[0].decode("ascii").lower() not in names]
        headers += [(name.encode(), value.encode()) for name, value in self._headers().items()]
        # No read timeout: a server may wait long for a user's answer. The session has the deadline.
        timeout = httpx.Timeout(30.0, read=None).as_dict()
        content = await request.aread()
        sent = httpx.Request(
            request.method, str(request.url), headers=headers, content=content, extensions={"timeout": timeout}
        )
        asked = _asked(content) if request.method == "POST" else None
        try:
            response = await self._client().send(sent, stream=True)
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, OSError) as error:
            fault = _words(error)
            if asked is not None:
                came = not isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
                return self._instead(asked, ServerProblem("not reached", f"The server cannot be reached: {fault}.", sent=came))
            self.fault = fault
            raise httpx2.ConnectError(self.fault, request=request) from None
        if request.method == "POST" and 300 <= response.status_code < 400:
            await response.aclose()
            self.redirect = _redirected(response)
            if asked is not None:
                return self._instead(asked, self.redirect)
            raise httpx2.ConnectError(str(self.redirect), request=request)
        if asked is not None:
            return await self._judged(response, asked, in_session=b"mcp-session-id" in {name.lower() for name, _ in headers})
        if response.status_code >= 400 and request.method == "POST":
            self.status = response.status_code
        return httpx2.Response(response.status_code, headers=_headers(response), stream=_Body(response, self), request=request)

    async def _judged(self, response: httpx.Response, asked: str | int, *, in_session: bool) -> httpx2.Response:
        """The response to a call, or an error in its place, for the library."""
        status, kind = response.status_code, response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if status == 200 and kind == "text/event-stream":
            return httpx2.Response(status, headers=_headers(response), stream=_Body(response, self))
        try:
            body = await self._whole(response) if kind == "application/json" else b""
        except ServerProblem as problem:
            return self._instead(asked, problem)
        finally:
            await response.aclose()
        body, message = await asyncio.to_thread(_message, body) if body else (body, None)
        if status >= 400 and not isinstance(message, types.JSONRPCError):
            return self._instead(asked, _refused(status, in_session=in_session))
        if message is not None and (message.id is None or str(message.id) == str(asked)):
            return httpx2.Response(status, headers={"content-type": "application/json"}, content=body)
        if message is not None:
            words = "The server answered another request than the one it was asked."
        elif body or kind == "application/json":
            words = _NO_MESSAGE
        else:
            words = f"The server answered with HTTP {status} and {_kind(kind)}, where JSON belongs."
        return self._instead(asked, ServerProblem("no MCP", words, sent=True))

    async def _whole(self, response: httpx.Response) -> bytes:
        """The body of a response.

        Raises:
            ServerProblem: it is too large, or incomplete.
        """
        body = bytearray()
        try:
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > self.largest:
                    raise ServerProblem("too large", "The server’s response is too large.", sent=True)
        except (httpx.HTTPError, httpx.StreamError) as error:
            raise ServerProblem("ended", f"The server closed the connection: {_words(error)}.", sent=True) from None
        return bytes(body)

    def _instead(self, asked: str | int, problem: ServerProblem) -> httpx2.Response:
        """An error response that replaces a wrong one; its data is a random name, which no server can guess."""
        name = token_hex(16)
        self._problems[name] = problem
        error = {"code": types.INTERNAL_ERROR, "message": str(problem), "data": name}
        return httpx2.Response(200, json={"jsonrpc": "2.0", "id": asked, "error": error})


class _Body(httpx2.AsyncByteStream):
    """The body of a response as received, still compressed; of events decompressed."""

    def __init__(self, response: httpx.Response, through: ThroughHttpx) -> None:
        self._response = response
        self._through = through

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        try:
            if _is_stream(self._response):  # each event has its own limit
                async for piece in self._response.aiter_bytes():
                    yield piece
                return
            async for chunk in self._response.aiter_raw():
                size += len(chunk)
                if size > self._through.largest:
                    self._through.too_large = True
                    raise httpx2.ReadError("the response is too large")
                yield chunk
        except (httpx.HTTPError, httpx.StreamError) as error:
            self._through.fault = _words(error)
            raise httpx2.ReadError(self._through.fault) from None

    async def aclose(self) -> None:
        """Release the connection."""
        await self._response.aclose()


def _asked(content: bytes) -> str | int | None:
    """The id of a request whose response is checked here; None for the handshake, and for messages that are not requests."""
    message = json.loads(content)
    return message.get("id") if message.get("method") not in (None, *_HANDSHAKE) else None


def _message(body: bytes) -> tuple[bytes, types.JSONRPCResponse | types.JSONRPCError | None]:
    """A body, and the response message in it; None if it is not one."""
    try:
        found = types.jsonrpc_message_adapter.validate_json(body, by_name=False)
    except (ValueError, RecursionError):
        return body, None
    return body, found if isinstance(found, types.JSONRPCResponse | types.JSONRPCError) else None


def _headers(response: httpx.Response) -> list[tuple[bytes, bytes]]:
    """The headers of a response whose body is passed on: events are decompressed before."""
    headers = response.headers.raw
    return [one for one in headers if one[0].lower() not in _OF_THE_BODY] if _is_stream(response) else headers


def _is_stream(response: httpx.Response) -> bool:
    return str(response.headers.get("content-type", "")).startswith("text/event-stream")


def _refused(status: int, *, in_session: bool) -> ServerProblem:
    """The problem for an HTTP error status without a message of the protocol."""
    if status in (401, 403):
        return ServerProblem("refused", f"The server refused the request with HTTP {status}.", code=status)
    if status == 404 and in_session:
        return ServerProblem("ended", "The server has ended the session.")
    if status >= 500 or status == 408:
        return ServerProblem("no MCP", f"The server answered with HTTP {status}.", sent=True, code=status)
    return ServerProblem("said no", f"It answered with HTTP {status}.", code=status)


def _redirected(response: httpx.Response) -> ServerProblem:
    """The problem for a redirect. It is not followed, because the credential is only for the configured address."""
    try:
        there = response.request.url.join(response.headers["location"]).copy_with(userinfo=b"", query=None, fragment=None)
        where = f" to {shortened(visible_line(str(there)), 200)}"
    except (KeyError, httpx.InvalidURL, ValueError):
        where = f" (HTTP {response.status_code})"
    words = f"The server redirects{where}, and Callboard does not follow. Set the address of the server itself."
    return ServerProblem("not reached", words, sent=response.status_code == 303, code=response.status_code)


def _kind(kind: str) -> str:
    return shortened(visible_line(kind), 60) or "no content type"


def _words(error: Exception) -> str:
    """Why a connection broke, in words; many of Python's errors have no text."""
    return shortened(visible_line(str(error)), 200) or "the connection broke off"
