"""A server over HTTP, reached through the connections of all other requests: the same proxies, rules and certificates.

The response to a call is checked here before the protocol's library gets it: only a message of the protocol passes. The library
would report anything else as an error from the server, as if the server had refused a call that it may have carried out.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from secrets import token_hex

import httpx
import httpx2
import mcp_types as types

from registry.accounts.connection import NOT_FOLLOWED
from registry.files.folders import network_words
from registry.mcp_client.values import ServerProblem
from registry.text.shown import bare, shortened, visible_line

_HANDSHAKE = ("initialize", "server/discover")
"""Requests whose responses the library reads itself, to find out the protocol's version."""

_OF_THE_BODY = {"content-encoding", "content-length"}
_IGNORED = {"host", "content-length", "connection", "user-agent"}


class ThroughHttpx(httpx2.AsyncBaseTransport):
    """Carries the protocol library's requests through an httpx client, with headers that have the current credential.

    `largest` is the size limit of a response in bytes; `problem` is why the handshake's last request got no usable response.
    """

    def __init__(self, client: Callable[[], httpx.AsyncClient], headers: Callable[[], Mapping[str, str]], largest: int) -> None:
        self._client = client
        self._headers = headers
        self.largest = largest
        self.problem: ServerProblem | None = None
        self._problems: dict[str, ServerProblem] = {}

    def problem_of(self, data: object) -> ServerProblem | None:
        """The problem of a response, by the data of the error that replaced it; None for errors from the server."""
        return self._problems.pop(data, None) if isinstance(data, str) else None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request; returns its response, or in place of a wrong response to a call an error."""
        content = await request.aread()
        message = json.loads(content) if request.method == "POST" else {}
        asked = message.get("id") if message.get("method") not in (None, *_HANDSHAKE) else None
        try:
            return await self._sent(request, content, asked)
        except ServerProblem as problem:
            if asked is None:
                self.problem = problem
                raise httpx2.ConnectError(str(problem), request=request) from None
            name = token_hex(16)  # no server can guess it
            self._problems[name] = problem
            return httpx2.Response(
                200,
                json={
                    "jsonrpc": "2.0",
                    "id": asked,
                    "error": {"code": types.INTERNAL_ERROR, "message": str(problem), "data": name},
                },
            )

    async def _sent(self, request: httpx2.Request, content: bytes, asked: str | int | None) -> httpx2.Response:
        """The response to a request; to a call, which has an id that is `asked` for, only a message of the protocol.

        Raises:
            ServerProblem: there is none.
        """
        own = self._headers()
        ignored = _IGNORED | {name.lower() for name in own}
        headers = {name: value for name, value in request.headers.items() if name.lower() not in ignored} | {**own}
        # No read timeout: a server may wait long for a user's answer. The session has the deadline.
        options = {"timeout": httpx.Timeout(30.0, read=None).as_dict()}
        sent = httpx.Request(request.method, str(request.url), headers=headers, content=content, extensions=options)
        try:
            response = await self._client().send(sent, stream=True)
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, OSError) as error:
            raise ServerProblem(
                "not reached",
                f"The server cannot be reached: {_words(error)}.",
                sent=not isinstance(error, httpx.ConnectError | httpx.ConnectTimeout),
            ) from None
        status, kind = response.status_code, bare(response.headers.get("content-type", ""))
        headers = {name: value for name, value in response.headers.items() if name.lower() not in _OF_THE_BODY}
        if kind == "text/event-stream" and status == 200:
            return httpx2.Response(status, headers=headers, stream=_Events(response))
        try:
            if request.method == "POST" and 300 <= status < 400:
                raise _redirected(response)
            if request.method == "POST" and status in (401, 403):
                raise ServerProblem("refused", f"The server refused the request with HTTP {status}.", code=status)
            body = bytearray()
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > self.largest:
                    raise ServerProblem("too large", "The server’s response is too large.", sent=True)
        except (httpx.HTTPError, httpx.StreamError) as error:
            raise ServerProblem("ended", f"The server closed the connection: {_words(error)}.", sent=True) from None
        finally:
            await response.aclose()
        whole = bytes(body)
        if asked is not None and (problem := await asyncio.to_thread(_fault_of, whole, kind, status, asked)) is not None:
            if status == 404 and problem.kind == "said no" and "mcp-session-id" in request.headers:
                raise ServerProblem("ended", "The server has ended the session.")
            raise problem
        return httpx2.Response(status, headers=headers, content=whole)


class _Events(httpx2.AsyncByteStream):
    """A stream of events as received, decompressed. The library limits the size of each."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for piece in self._response.aiter_bytes():
                yield piece
        except (httpx.HTTPError, httpx.StreamError) as error:
            raise httpx2.ReadError(_words(error)) from None

    async def aclose(self) -> None:
        """Release the connection."""
        await self._response.aclose()


def _fault_of(body: bytes, kind: str, status: int, asked: str | int) -> ServerProblem | None:
    """What is wrong with the response to a call; None if it is a message that answers it."""
    message: object = None
    if body and kind == "application/json":
        with suppress(ValueError, RecursionError):
            message = types.jsonrpc_message_adapter.validate_json(body, by_name=False)
    if status >= 400 and not isinstance(message, types.JSONRPCError):
        if status < 500 and status != 408:
            return ServerProblem("said no", f"It answered with HTTP {status}.", code=status)
        return ServerProblem("no MCP", f"The server answered with HTTP {status}.", sent=True, code=status)
    if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
        if message.id is None or str(message.id) == str(asked):
            return None
        words = "The server answered another request than the one it was asked."
    elif kind == "application/json":
        words = "The server sent something that is not an MCP message."
    else:
        shown = shortened(visible_line(kind), 60) or "no content type"
        words = f"The server answered with HTTP {status} and {shown}, where JSON belongs."
    return ServerProblem("no MCP", words, sent=True)


def _redirected(response: httpx.Response) -> ServerProblem:
    """The problem for a redirect. It is not followed, because the credential is only for the configured address."""
    try:
        there = response.request.url.join(response.headers[NOT_FOLLOWED]).copy_with(userinfo=b"", query=None, fragment=None)
        where = f" to {shortened(visible_line(str(there)), 200)}"
    except (KeyError, httpx.InvalidURL, ValueError):
        where = f" (HTTP {response.status_code})"
    return ServerProblem(
        "not reached",
        f"The server redirects{where}, and Callboard does not follow. Set the address of the server itself.",
        sent=response.status_code == 303,
        code=response.status_code,
    )


def _words(error: Exception) -> str:
    """Why a connection broke, in words; many of Python's errors have no text."""
    return shortened(visible_line(network_words(error)), 200) or "the connection broke off"
