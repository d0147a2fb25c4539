"""Translates the agent tools to MCP: values become results, questions elicitation; over standard streams and HTTP.

A client with a handshake (until 2025-11-25) is asked during its call. A client of 2026-07-28 gets the question as
the result, with a sealed state, and calls again with the person's answer: the change is checked again, and the answer counts
only once, and only if the facts are still those of the question.

Over a pipe, standard output carries the protocol and nothing else: the library sends all other writes to it to standard error.
Over HTTP a request must have the token and this machine as its Host; an Origin must be this machine, which prevents DNS
rebinding. The token is kept in a file that only its owner can read.
"""

import asyncio
import json
import logging
import secrets
import stat
import sys
from collections import deque
from collections.abc import AsyncIterator, Iterable, Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import Any, TypeAlias

import mcp_types as types
import uvicorn
from mcp.server.caching import CacheHint
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, Response

from registry import __version__
from registry.calling.sending import Progress
from registry.catalog.loader import Catalog
from registry.catalog.model import Tool
from registry.doors.listening import gate, has_token, server
from registry.doors.mcp.agent_tools import OFFERED, AgentTools
from registry.doors.mcp.budget import slim_schema
from registry.doors.mcp.consent import PATIENCE, Asked, Asker, Reply
from registry.doors.output import complain_crash, fail
from registry.files.folders import private_folder, replace_text
from registry.text.shown import shortened, visible_line

_OWN = {one["name"]: types.Tool.model_validate(one) for one in OFFERED["tools"]}
_PROMPTS = {one["name"]: (types.Prompt.model_validate(one), one["text"]) for one in OFFERED["prompts"]}
_KEY, _LONGEST = "consent", 200
_CRASHED = "Unexpected error in Callboard. Standard error names the report; callboard audit shows what was sent."
_MOST_USED = 10_000
_LONG = CacheHint(ttl_ms=3_600_000, scope="private")
_CALLER: ContextVar[str] = ContextVar("caller", default="callboard mcp")

Context: TypeAlias = ServerRequestContext[Any, Any]


def caller() -> str:
    """The server and the client of the current call, for the audit log."""
    return _CALLER.get()


def made(agent_tools: AgentTools, offered: Iterable[types.Tool]) -> Server[Any]:
    """The MCP server, which lists the offered tools, and can run over any transport."""
    logging.getLogger("mcp").setLevel(logging.CRITICAL)  # its messages go to the client
    tools = {tool.name: tool for tool in offered}
    used = deque[str](maxlen=_MOST_USED)

    async def on_list_tools(_: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=list(tools.values()))

    async def on_call_tool(
        context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        if params.name not in tools:
            words = f"Available: {', '.join(tools)}"
            return _result({"error": "Unknown tool here", "field": "name", "what_to_do": words}, is_error=True)
        client = _Client(context, params, used)
        _CALLER.set(f"callboard mcp, {client.name}")
        result = await agent_tools.call(params.name, params.arguments or {}, client, client.observe)
        await client.told_all()
        if (asked := result.asked) is not None:
            form = types.ElicitRequestFormParams(message=asked.message, requested_schema=asked.schema)
            state = f"{secrets.token_hex(16)} {asked.digest}"  # sealed when it is sent
            return types.InputRequiredResult(input_requests={_KEY: types.ElicitRequest(params=form)}, request_state=state)
        return _result(result.values, is_error=result.is_error)

    async def on_list_prompts(_: Context, __: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[prompt for prompt, _ in _PROMPTS.values()])

    async def on_get_prompt(_: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        if params.name not in _PROMPTS:
            raise MCPError(types.INVALID_PARAMS, f"Unknown prompt; available: {', '.join(_PROMPTS)}.")
        prompt, text = _PROMPTS[params.name]
        value = shortened(visible_line((params.arguments or {}).get("id", "").strip()), _LONGEST)
        if prompt.arguments and not value:
            raise MCPError(types.INVALID_PARAMS, f"id is required: {prompt.description}")
        message = types.PromptMessage(role="user", content=types.TextContent(text=text.replace("{id}", value)))
        return types.GetPromptResult(description=prompt.description, messages=[message])

    server: Server[Any] = Server(
        "callboard",
        version=__version__,
        title="Callboard",
        instructions=OFFERED["instructions"],
        cache_hints={"tools/list": _LONG, "prompts/list": _LONG},
        on_list_tools=on_list_tools,
        on_call_tool=on_call_tool,
        on_list_prompts=on_list_prompts,
        on_get_prompt=on_get_prompt,
    )
    server.middleware.append(_report_errors)
    server.middleware.append(RequestStateBoundary(RequestStateSecurity.ephemeral(ttl=PATIENCE), default_audience="callboard"))
    return server


async def _report_errors(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Middleware: an unexpected error becomes a crash report on standard error, and an error response."""
    try:
        return await call_next(ctx)
    except (MCPError, ValidationError):
        raise
    except Exception as error:
        complain_crash(error, f"callboard mcp, {ctx.method}")
        raise MCPError(types.INTERNAL_ERROR, _CRASHED) from None


class _Client(Asker):
    """The client of one request: asks its user, and tells it how far its call is, if it requested that.

    `used` are the states whose answers were used already: each counts once, and only for its own question.
    """

    def __init__(self, context: Context, params: types.CallToolRequestParams, used: deque[str]) -> None:
        self._context, self._params, self._used = context, params, used
        session, self._modern = context.session, context.protocol_version in MODERN_PROTOCOL_VERSIONS
        asks = session.client_capabilities.elicitation if session.client_capabilities is not None else None
        # Declaring no mode of elicitation means forms.
        has_forms = asks is not None and (asks.form is not None or asks.url is None)
        self.able = has_forms and (self._modern or session.can_send_request)
        info = session.client_params.client_info if session.client_params is not None else None
        name = f"{info.name} {info.version}" if info is not None else "a client without a name"
        self.name = shortened(visible_line(name), 60)
        self._steps = 0
        self._sending: set[asyncio.Task[None]] = set()

    async def ask(self, asked: Asked) -> Reply | None:
        """The person's answer; None if the client has to call again with it."""
        if self._modern:
            state = self._params.request_state
            if state is None or state in self._used or state.partition(" ")[2] != asked.digest:
                return None
            self._used.append(state)
            return _reply((self._params.input_responses or {}).get(_KEY))
        try:
            async with asyncio.timeout(PATIENCE):
                return _reply(await self._context.session.elicit_form(asked.message, asked.schema, self._context.request_id))
        except TimeoutError:
            return Reply("timeout")
        except MCPError:
            return Reply("cancel")

    def answered_in_explorer(self) -> None:
        """From now on the audit log says so as well."""
        _CALLER.set(f"callboard mcp, {self.name}, answered in the explorer")

    def observe(self, progress: Progress) -> None:
        """Report a step of the call."""
        if progress.waiting is not None:
            self.tell(f"{visible_line(progress.reason)}; retrying in {progress.waiting:.1f} s")
        elif not progress.received:
            self.tell(f"request {progress.request}, attempt {progress.attempt}")

    def tell(self, words: str) -> None:
        """Report a step in words."""
        self._steps += 1
        task = asyncio.create_task(self._context.session.report_progress(float(self._steps), None, words))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def told_all(self) -> None:
        """Wait until every notification is sent; those that fail are dropped."""
        await asyncio.gather(*self._sending, return_exceptions=True)


def _reply(answer: object) -> Reply:
    """The client's answer as a reply; anything invalid counts as a closed question."""
    if isinstance(answer, types.ElicitResult):
        return Reply(answer.action, answer.content)
    if isinstance(answer, Mapping):
        content = answer.get("content")
        return Reply(str(answer.get("action")), content if isinstance(content, Mapping) else None)
    return Reply("cancel")


def _result(values: Mapping[str, object], *, is_error: bool) -> types.CallToolResult:
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    return types.CallToolResult(content=[types.TextContent(text=text)], structured_content=dict(values), is_error=is_error)


# What it lists


COMPACT, READ, ALL = "compact", "read", "all"
_LONGEST_HELP = 120


def offers(catalog: Catalog, wanted: str = COMPACT, *, read_only: bool = False) -> list[types.Tool]:
    """The tools that the server lists; without those that change something if it is `read_only`.

    `wanted` is ``compact``, ``read`` (every tool that reads), ``all``, or names of toolkits and groups, separated by commas;
    an unknown one ends the command.
    """
    if wanted == COMPACT:
        return [tool for name, tool in _OWN.items() if name != "call_tool" or not read_only]
    tools = [tool for tool in catalog.tools.values() if tool.effect == "read" or not (read_only or wanted == READ)]
    if wanted not in (READ, ALL):
        groups = {_plain(one) for one in wanted.split(",") if one.strip()}
        known = {name for tool in catalog.tools.values() for name in _groups(tool)}
        if not groups or not groups <= known:
            what = ", ".join(sorted(groups - known)) or "nothing"
            fail(f"--tools must be {COMPACT}, {READ}, {ALL}, or groups: {', '.join(sorted(known))}; got {what}")
        tools = [tool for tool in tools if not _groups(tool).isdisjoint(groups)]
    return [*map(_listed, tools), *(_OWN[name] for name in ("next_page", "follow", "oncall_dashboard"))]


def _groups(tool: Tool) -> set[str]:
    return {_plain(tool.toolkit), _plain(tool.group)}


def _plain(text: str) -> str:
    return text.strip().lower().replace(" ", "-").replace("_", "-")


def _listed(tool: Tool) -> types.Tool:
    """A tool of the catalogue as an MCP tool, with every hint set."""
    reads = tool.effect == "read"
    return types.Tool(
        name=tool.name,
        title=tool.name,
        description=f"{tool.summary} {tool.rule or ''}".strip(),
        input_schema=slim_schema(tool, _LONGEST_HELP),
        annotations=types.ToolAnnotations(
            read_only_hint=reads, destructive_hint=not reads, idempotent_hint=tool.effect != "write", open_world_hint=True
        ),
    )


_LONGEST = 1 << 28
"""The most bytes of a message."""


async def serve(mcp: Server[Any]) -> None:
    """Serve one client until it closes its end of the pipe."""
    lines: Any = _lines()
    async with stdio_server(lines) as (reading, sending):
        try:
            await mcp.run(reading, sending, mcp.create_initialization_options())
        finally:
            sys.stdout.flush()  # what was printed meanwhile: later it would go to the client


async def _lines() -> AsyncIterator[str]:
    """The messages on standard input, one per line. The library would read in a thread, which a signal does not end."""
    reader = asyncio.StreamReader(limit=_LONGEST)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        if line.strip():
            yield line.decode("utf-8", "replace")


PATH = "/mcp"
_MOST_BYTES = 4_000_000
"""The most bytes of one message; the largest value of a tool is far below."""

_LEAST, _MOST_CONNECTIONS = 16, 64


def token_in(file: Path) -> str:
    """The token in a file; a new one if there is no file, if it is too short, or if others can read it."""
    if file.is_file() and not stat.S_IMODE(file.stat().st_mode) & 0o077:
        token = file.read_text("utf-8").strip()
        if len(token) >= _LEAST:
            return token
    token = secrets.token_urlsafe(32)
    private_folder(file.parent)
    replace_text(file, token + "\n")
    return token


def served(mcp: Server[Any], token: str, port: int) -> uvicorn.Server:
    """The HTTP server; runs until a signal ends it. It refuses requests without the token, and those that are too large."""
    hosts = [f"{host}:{port}" for host in ("127.0.0.1", "localhost")]
    allowed = TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=[f"http://{host}" for host in hosts])

    def refusal(request: HTTPConnection) -> Response | None:
        if not has_token(request, token):
            words = "Send the token as Authorization: Bearer TOKEN. callboard mcp printed its file at the start.\n"
            return PlainTextResponse(words, 401, {"WWW-Authenticate": 'Bearer realm="callboard mcp"'})
        length = request.headers.get("content-length", "")
        if request.scope["method"] == "POST" and not (length.isdecimal() and int(length) <= _MOST_BYTES):
            words = f"A message has a Content-Length, and at most {_MOST_BYTES:,} bytes.\n"
            return PlainTextResponse(words, 413 if length.isdecimal() else 411)
        return None

    application = gate(mcp.streamable_http_app(streamable_http_path=PATH, transport_security=allowed), refusal)
    return server(application, "callboard mcp", limit_concurrency=_MOST_CONNECTIONS, log_level="warning")
