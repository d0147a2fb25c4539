"""A conversation with one server, from the handshake to its end; kept open between calls.

The protocol's library must be closed by the task that opened it, so a separate task holds the connection, and calls from other
tasks go through it.
"""

import asyncio
import json
import logging
import os
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from typing import IO, Any, NamedTuple, TextIO, TypeVar, cast

import httpx
import httpx2
import mcp_types as types
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.session import ClientRequestContext, IncomingMessage
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, KNOWN_PROTOCOL_VERSIONS
from msgspec.structs import replace
from pydantic import ValidationError

from registry import __version__
from registry.mcp_client.content import Wire, as_sent, contents_of, listed_of, listing_of, messages_of, result_of
from registry.mcp_client.http import ThroughHttpx
from registry.mcp_client.values import Answer, Elicit, Listing, McpResult, Progressed, Server, ServerProblem
from registry.text.shown import shortened, visible_line

_MOST_NOTES = 10
_WORTH_A_NOTE = ("warning", "error", "critical", "alert", "emergency")
_ENDING = 15.0
_KEPT = 2_000
_ALSO_PASSED = ("LANG", "LC_ALL", "TMPDIR")
"""Variables that a program gets beside those that the library passes, and those that the user named."""
Value = TypeVar("Value")

# The library's log has texts from servers; without a handler, Python would print it to the terminal.
for _name in ("mcp", "client"):
    logging.getLogger(_name).addHandler(logging.NullHandler())


class _Call(NamedTuple):
    """A call that runs: who answers the server's questions and hears of its progress, and notes for its result."""

    elicit: Elicit | None
    progressed: Progressed
    notes: list[str]


class McpSession:
    """A session; it can be opened once and closed once. After that a new one is needed.

    `client` returns the HTTP client, for a service; `largest` is the size limit of a message in bytes.
    """

    def __init__(self, address: Server, client: Callable[[], httpx.AsyncClient], largest: int) -> None:
        self.address = address
        self.closed = False
        self._over = asyncio.Event()
        self._calls: list[_Call] = []
        self._questions: set[asyncio.Task[Answer]] = set()
        self._holder: asyncio.Task[None] | None = None
        self._client: Client | None = None
        self._wire: Wire | None = None
        self._listing: Listing | None = None
        self._listed_until = 0.0
        self._wrote: IO[bytes] | None = None  # a program's standard error
        self._broken: ServerProblem | None = None
        self._through = None if address.command else ThroughHttpx(client, lambda: self.address.headers or {}, largest)

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
        raise self._problem(self._holder.exception() if not self._holder.cancelled() else None, sent=False)

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
        """What the server says about itself; requested again after the server reported a change, or when it is out of date.

        Raises:
            ServerProblem: the server returned no list.
        """
        assert self._client is not None
        loop = asyncio.get_running_loop()
        if self._listing is None or loop.time() > self._listed_until:
            found, lasts = await self._guarded(listing_of(self._client), sent=False)
            self._listing, self._listed_until = found, loop.time() + lasts
            return found
        return self._listing

    async def call(
        self, method: str, arguments: Mapping[str, Any], progressed: Progressed, elicit: Elicit | None = None, name: str = ""
    ) -> McpResult:
        """Call a tool or get a prompt by its `name`, or list or read resources, by the protocol's method for that.

        Cancelling it also cancels it at the server. Without `elicit` the server's questions are declined.

        Raises:
            ServerProblem: there is no result.
        """
        assert self._client is not None
        call = _Call(elicit, progressed, [])
        self._calls.append(call)
        try:
            result = await self._guarded(self._called(self._client, method, name, arguments, call), sent=True)
        finally:
            self._calls.remove(call)
            if not self._calls:
                for question in self._questions:
                    question.cancel()
        return replace(result, notes=tuple(call.notes))

    async def _called(self, client: Client, method: str, name: str, arguments: Mapping[str, Any], call: _Call) -> McpResult:
        async def tell(progress: float, total: float | None, message: str | None) -> None:
            call.progressed(progress, total, message or "")

        match method:
            case "tools/call":
                sent = as_sent(await client.call_tool(name, dict(arguments), progress_callback=tell))
                tools = self._listing.tools if self._listing else ()
                if not sent.get("isError") and any(one["name"] == name and "outputSchema" in one for one in tools):
                    given = {"structuredContent": sent["structuredContent"]} if "structuredContent" in sent else {}
                    try:
                        checked = types.CallToolResult.model_validate({"content": [], **given})
                        await client.session.validate_tool_result(name, checked)
                    except (RuntimeError, ValueError, MCPError) as error:
                        first = str(error.__cause__ or error).partition("\n")[0]
                        call.notes.append(f"The result is not what the tool’s outputSchema says: {_message(first)}.")
                return result_of(sent)
            case "prompts/get":
                return messages_of(as_sent(await client.get_prompt(name, dict(arguments))))
            case "resources/read":
                return contents_of(as_sent(await client.read_resource(str(arguments.get("uri", "")))))
        ask = client.list_resource_templates if method == "resources/templates/list" else client.list_resources
        return listed_of(as_sent(await ask(cursor=arguments.get("cursor"))))

    async def _hold(self, ready: asyncio.Future[None]) -> None:
        transport: Any
        if self._through is None:
            program = self.address
            command, *arguments = program.command
            if program.folder and not await asyncio.to_thread(os.path.isdir, program.folder):
                raise ServerProblem(
                    "not found", f"The folder {visible_line(program.folder)} is not there, in which {command} is started."
                )
            self._wrote = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the session
            passed = {name: value for name in _ALSO_PASSED if (value := os.environ.get(name)) is not None}
            server = StdioServerParameters(
                command=command,
                args=arguments,
                env=passed | dict(program.environment),
                cwd=program.folder or None,
                encoding_error_handler="replace",
            )
            transport = stdio_client(server, errlog=cast("TextIO", self._wrote))
        else:
            transport = streamable_http_client(
                self.address.url,
                http_client=httpx2.AsyncClient(transport=self._through, timeout=httpx2.Timeout(30.0, read=None)),
                max_sse_event_size=self._through.largest,
            )
        info = types.Implementation(name="callboard", version=__version__)
        self._wire = Wire(transport)
        try:
            async with Client(
                self._wire.opened(),
                elicitation_callback=self._asked,
                logging_callback=self._logged,
                log_level="info",
                message_handler=self._heard,
                client_info=info,
                cache=None,
            ) as client:
                self._client = client
                ready.set_result(None)
                await self._over.wait()
        except (OSError, ValueError) as error:
            if self._through is not None or self._client is not None or isinstance(error, ValidationError):
                raise
            found = not isinstance(error, FileNotFoundError)
            why = getattr(error, "strerror", None) or error if found else "there is no such program"
            raise ServerProblem(
                "not found", f"Cannot start {shortened(visible_line(self.address.command[0]), 100)}: {why}."
            ) from None
        finally:
            self.closed = True

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
        elif isinstance(message, ValidationError) and (came := str(message.errors()[0]["input"])).lstrip().startswith("{"):
            self._broken = ServerProblem(
                "no MCP", f"The server sent something that is not an MCP message: {_message(came)}.", sent=True
            )
            self._end()

    async def _logged(self, params: types.LoggingMessageNotificationParams) -> None:
        """Show what the server logs while a call runs; warnings are kept with its result."""
        if not self._calls:
            return
        call, data = self._calls[-1], params.data
        words = _message(data if isinstance(data, str) else json.dumps(data, ensure_ascii=False))
        call.progressed(None, None, words)
        if params.level in _WORTH_A_NOTE and len(call.notes) < _MOST_NOTES:
            call.notes.append(f"The server logs ({params.level}): {words}")

    async def _asked(self, context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        """The user's answer to a server's question; outside a call it is declined."""
        elicit = next((one.elicit for one in reversed(self._calls) if one.elicit is not None), None)
        if elicit is None:
            return types.ElicitResult(action="decline" if self._calls else "cancel")
        url = params.url if isinstance(params, types.ElicitRequestURLParams) else ""
        schema = dict(params.requested_schema) if isinstance(params, types.ElicitRequestFormParams) else {}
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
        is_open, through = self._client is not None, self._through
        if self._broken is not None:
            return self._broken
        if isinstance(error, ServerProblem):
            return error
        theirs: Any = None  # the versions that the server speaks, if Callboard speaks none of them
        if isinstance(error, MCPError) and error.code == types.UNSUPPORTED_PROTOCOL_VERSION and isinstance(error.data, dict):
            theirs = error.data.get("supported")
        elif self._wire is not None and self._wire.version and self._wire.version not in HANDSHAKE_PROTOCOL_VERSIONS:
            theirs = [self._wire.version]
        if not is_open and isinstance(theirs, list) and (spoken := _message(", ".join(map(str, theirs)))):
            first, *_, last = KNOWN_PROTOCOL_VERSIONS
            return ServerProblem("no MCP", f"The server speaks version {spoken} of MCP, and Callboard {first} to {last}.")
        found = through.problem if through is not None and not is_open else None
        if through is not None and is_open and isinstance(error, MCPError):
            found = through.problem_of(error.data)
        closed = error is None or (isinstance(error, MCPError) and error.code == types.CONNECTION_CLOSED)
        if (closed and through is None) or (found is not None and is_open and found.kind == "ended" and not found.sent):
            self._end()  # the next call opens another session
        if found is not None:
            return found
        if closed and through is None:
            before = "" if is_open else " It said nothing of the protocol before."
            return ServerProblem("ended", f"The server closed the connection.{before}{self._last_line}", sent=sent)
        if isinstance(error, MCPError):
            if not is_open:
                return ServerProblem("no MCP", f"The server does not speak MCP: it answers “{_message(error.message)}”.")
            if error.code == types.PARSE_ERROR or (closed and error.message.startswith("SSE stream failed")):
                return ServerProblem("no MCP", "The server sent an event that is too large, or no MCP message.", sent=sent)
            if not closed:
                data = json.dumps(error.data, ensure_ascii=False) if error.data is not None else ""
                shown = f" ({shortened(visible_line(data), 500)})" if data else ""
                return ServerProblem("said no", f"{_message(error.message)}{shown}", code=error.code, sent=sent)
        if closed:
            return ServerProblem("ended", "The server closed the connection.", sent=sent)
        words = f"The conversation with the server broke off: {_message(str(error))}."
        if isinstance(error, ValidationError):
            words = "The server sent what the protocol does not know."
        return ServerProblem("no MCP", words, sent=sent)


def _message(text: str) -> str:
    """A server's text, safe for use in a sentence."""
    return shortened(visible_line(text.strip()), 300).rstrip(".")
