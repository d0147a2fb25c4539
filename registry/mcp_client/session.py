"""A conversation with one server, from the handshake to its end; kept open between calls.

The protocol's library must be closed by the task that opened it, so a separate task holds the connection, and calls from other
tasks go through it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import IO, Any, TextIO, TypeVar, cast

import httpx
import httpx2
import mcp_types as types
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.session import ClientRequestContext, IncomingMessage
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from pydantic import ValidationError

from registry import __version__
from registry.mcp_client.content import contents_of, resources_of, result_of
from registry.mcp_client.http import ThroughHttpx
from registry.mcp_client.values import Answer, Elicit, Listing, McpResult, Progressed, Server, ServerProblem
from registry.text.safe_text import shortened, visible_line

_MOST_PAGES, _MOST_TOOLS = 100, 5_000
_ENDING = 15.0
_KEPT = 2_000
_ALSO_PASSED = ("LANG", "LC_ALL", "TMPDIR")
"""Variables that a program gets beside those that the library passes, and those that the user named."""
Value = TypeVar("Value")

# The library's log has texts from servers; without a handler, Python would print it to the terminal.
for _name in ("mcp", "client"):
    logging.getLogger(_name).addHandler(logging.NullHandler())


class McpSession:
    """A session; it can be opened once and closed once. After that a new one is needed.

    `client` returns the HTTP client, for a service; `largest` is the size limit of a message in bytes.
    """

    def __init__(self, address: Server, client: Callable[[], httpx.AsyncClient], largest: int) -> None:
        self.address = address
        self.closed = False
        self._over = asyncio.Event()
        self._calls: list[Elicit | None] = []
        self._questions: set[asyncio.Task[Answer]] = set()
        self._holder: asyncio.Task[None] | None = None
        self._client: Client | None = None
        self._listing: Listing | None = None
        self._wrote: IO[bytes] | None = None  # a program's standard error
        self._broken: ServerProblem | None = None
        self._through = None if address.command else ThroughHttpx(client, lambda: self.address.headers, largest)

    def _end(self) -> None:
        self.closed = True
        self._over.set()

    async def open(self) -> None:
        """Start the program or connect, and do the handshake. Cancelling it ends the program.

        Raises:
            ServerProblem: the server cannot be used.
        """
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._holder = asyncio.create_task(self._hold(ready))
        try:
            await asyncio.wait({self._holder, ready}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            await self.aclose()
            raise
        if ready.done() and not ready.cancelled():
            return
        self.closed = True
        error = self._holder.exception() if not self._holder.cancelled() else None
        raise self._problem(error, sent=False)

    async def aclose(self) -> None:
        """Close the connection, and end the program with all processes that it started."""
        self._end()
        for question in self._questions:
            question.cancel()
        if self._holder is not None:
            if (await asyncio.wait({self._holder}, timeout=_ENDING))[1]:
                self._holder.cancel()
                await asyncio.wait({self._holder})
            if not self._holder.cancelled():
                self._holder.exception()  # already reported to the tasks that waited
        if self._wrote is not None:
            self._wrote.close()

    async def listing(self) -> Listing:
        """What the server says about itself; requested again only after the server reported a change.

        Raises:
            ServerProblem: the server returned no list.
        """
        if self._listing is None:
            self._listing = await self._guarded(self._ask_listing(), sent=False)
        return self._listing

    async def call(
        self, name: str, arguments: Mapping[str, Any], progressed: Progressed, elicit: Elicit | None = None
    ) -> McpResult:
        """Call a tool. Cancelling it also cancels it at the server. Without `elicit` the server's questions are declined.

        Raises:
            ServerProblem: there is no result.
        """
        assert self._client is not None

        async def tell(progress: float, total: float | None, message: str | None) -> None:
            progressed(progress, total, message or "")

        self._calls.append(elicit)
        try:
            result = await self._guarded(self._client.call_tool(name, dict(arguments), progress_callback=tell), sent=True)
        finally:
            self._calls.remove(elicit)
            if not self._calls:
                for question in self._questions:
                    question.cancel()
        # As received: the library would turn numbers that JSON does not allow into null.
        return result_of(_wire(result, "structured_content") | {"structuredContent": result.structured_content})

    async def resources(self, operation: str, arguments: Mapping[str, Any]) -> McpResult:
        """List resources (``resources/list``, by ``cursor``), or read one (``resources/read``, by ``uri``).

        Raises:
            ServerProblem: there is no result.
        """
        assert self._client is not None
        if operation == "resources/list":
            cursor = arguments.get("cursor")
            listed = await self._guarded(self._client.list_resources(cursor=cursor), sent=True)
            return McpResult(resources_of(_wire(listed)))
        read = await self._guarded(self._client.read_resource(str(arguments.get("uri", ""))), sent=True)
        return contents_of(_wire(read))

    async def _hold(self, ready: asyncio.Future[None]) -> None:
        transport: Any
        if self._through is None:
            transport = await self._started(self.address)
        else:
            http = httpx2.AsyncClient(transport=self._through, timeout=httpx2.Timeout(30.0, read=None))
            transport = streamable_http_client(self.address.url, http_client=http, max_sse_event_size=self._through.largest)
        info = types.Implementation(name="callboard", version=__version__)
        try:
            async with Client(
                transport,
                elicitation_callback=self._asked,
                message_handler=self._heard,
                client_info=info,
                cache=None,
            ) as client:
                # Results that do not match their schema are shown: they say more than an error would.
                client.session.validate_tool_result = _accept  # type: ignore[method-assign, assignment]
                self._client = client
                ready.set_result(None)
                await self._over.wait()
        except (OSError, ValueError) as error:
            if self._through is not None or self._client is not None:
                raise
            found = not isinstance(error, FileNotFoundError)
            why = getattr(error, "strerror", None) or error if found else "there is no such program"
            name = shortened(visible_line(self.address.command[0]), 100)
            raise ServerProblem("not found", f"Cannot start {name}: {why}.") from None
        finally:
            self.closed = True

    async def _started(self, program: Server) -> Any:
        """The transport that starts a program.

        Raises:
            ServerProblem: its folder is not there.
        """
        command, *arguments = program.command
        if program.folder and not await asyncio.to_thread(os.path.isdir, program.folder):
            folder = visible_line(program.folder)
            raise ServerProblem("not found", f"The folder {folder} is not there, in which {command} is started.")
        self._wrote = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the session
        passed = {name: value for name in _ALSO_PASSED if (value := os.environ.get(name)) is not None}
        server = StdioServerParameters(
            command=command,
            args=arguments,
            env=passed | dict(program.environment),
            cwd=program.folder or None,
            encoding_error_handler="replace",
        )
        return stdio_client(server, errlog=cast("TextIO", self._wrote))

    @property
    def _last_line(self) -> str:
        """The last line of a program's standard error, for the end of an error message; may be empty."""
        if self._wrote is None or self._wrote.closed:
            return ""
        size = self._wrote.seek(0, os.SEEK_END)
        self._wrote.seek(max(size - _KEPT, 0))
        said = self._wrote.read().decode("utf-8", "replace").strip().splitlines()
        return f" It wrote: “{shortened(visible_line(said[-1].strip()), 200)}”." if said else ""

    async def _heard(self, message: IncomingMessage) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            self._listing = None
        # Programs may print text between messages, but half a message is an error.
        elif isinstance(message, ValidationError) and str(message.errors()[0]["input"]).lstrip().startswith("{"):
            self._broken = ServerProblem("no MCP", "The server sent something that is not an MCP message.", sent=True)
            self._end()

    async def _asked(self, context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        """The user's answer to a server's question; outside a call it is declined."""
        elicit = next((one for one in reversed(self._calls) if one is not None), None)
        if elicit is None:
            return types.ElicitResult(action="decline" if self._calls else "cancel")
        url = params.url if isinstance(params, types.ElicitRequestURLParams) else ""
        schema = {} if url else dict(_wire(params).get("requestedSchema") or {})
        question: asyncio.Task[Answer] = asyncio.ensure_future(elicit(params.message, schema, url))
        self._questions.add(question)
        try:
            await asyncio.wait({question})
        finally:
            question.cancel()
            self._questions.discard(question)
        if question.cancelled() or question.exception() is not None:
            return types.ElicitResult(action="cancel")
        action, values = question.result()
        return types.ElicitResult(action=action, content=dict(values) if action == "accept" and not url else None)

    async def _ask_listing(self) -> Listing:
        client = self._client
        assert client is not None
        tools: list[Mapping[str, Any]] = []
        cursor: str | None = None
        for _ in range(_MOST_PAGES):
            page = await client.list_tools(cursor=cursor)
            tools += [_wire(tool) for tool in page.tools]
            cursor = page.next_cursor
            if cursor is None or len(tools) >= _MOST_TOOLS:
                break
        info = client.server_info or types.Implementation(name="", version="")
        return Listing(
            info.name,
            info.title or "",
            info.version,
            client.instructions or "",
            client.protocol_version,
            tools[:_MOST_TOOLS],
            client.server_capabilities.resources is not None,
        )

    async def _guarded(self, work: Awaitable[Value], *, sent: bool) -> Value:
        """The result of some work; its errors become problems in words.

        Raises:
            ServerProblem: there is no result.
        """
        assert self._holder is not None
        task = asyncio.ensure_future(work)
        try:
            # A broken connection ends the holder, but not always the tasks that wait for a response.
            await asyncio.wait({task, self._holder}, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            raise self._problem(self._holder.exception() if not self._holder.cancelled() else None, sent=sent)
        except (MCPError, ValidationError, RuntimeError) as error:
            raise self._problem(error, sent=sent) from None
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait({task})
            if not task.cancelled():
                task.exception()

    def _problem(self, error: BaseException | None, *, sent: bool) -> ServerProblem:
        """An error as a problem in words."""
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        if self._broken is not None:
            return self._broken
        if isinstance(error, ServerProblem):
            return error
        closed = error is None or (isinstance(error, MCPError) and error.code == types.CONNECTION_CLOSED)
        if self._through is None:
            if closed:
                self._end()  # the next call opens another session
                before = "" if self._client is not None else " It said nothing of the protocol before."
                return ServerProblem("ended", f"The server closed the connection.{before}{self._last_line}", sent=sent)
        elif self._client is None and self._through.problem is not None:
            return self._through.problem
        elif isinstance(error, MCPError) and (found := self._through.problem_of(error.data)) is not None:
            if found.kind == "ended" and not found.sent:
                self._end()
            return found
        if isinstance(error, MCPError):
            if self._client is None:
                return ServerProblem("no MCP", f"The server does not speak MCP: it answers “{_message(error.message)}”.")
            if error.code == types.PARSE_ERROR or (closed and error.message.startswith("SSE stream failed")):
                return ServerProblem("no MCP", "The server sent an event that is too large, or no MCP message.", sent=sent)
            if not closed:
                return ServerProblem("said no", _message(error.message), code=error.code, sent=sent)
        if closed:
            return ServerProblem("ended", "The server closed the connection.", sent=sent)
        if isinstance(error, ValidationError):
            return ServerProblem("no MCP", "The server sent what the protocol does not know.", sent=sent)
        return ServerProblem("no MCP", f"The conversation with the server broke off: {_message(str(error))}.", sent=sent)


async def _accept(*_: object) -> None:
    """Accept any result."""


def _wire(value: Any, *without: str) -> dict[str, Any]:
    """A value of the library in the protocol's form, without some of its fields."""
    with suppress(UnicodeError):
        found: dict[str, Any] = value.model_dump(by_alias=True, mode="json", exclude_none=True, exclude=set(without))
        return found
    return {}


def _message(text: str) -> str:
    """A server's text, safe for use in a sentence."""
    return shortened(visible_line(text.strip()), 300).rstrip(".")
