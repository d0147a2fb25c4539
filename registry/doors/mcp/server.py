"""Translates the agent tools to MCP: values become results, and questions elicitation, for clients of both revisions.

A client with a handshake (until 2025-11-25) is asked during its call. A client of 2026-07-28 gets the question as
the result, with a sealed state, and calls again with the person's answer: the change is checked again, and the answer counts
only once, and only if the facts are still those of the question.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
import secrets
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeAlias

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from registry import __version__
from registry.calling.exact_json import Exact, dumps, is_null
from registry.calling.sending import Progress
from registry.doors.mcp.agent_tools import AgentTools
from registry.doors.mcp.consent import PATIENCE, Asked, Reply
from registry.doors.mcp.offers import INSTRUCTIONS, Offer
from registry.doors.mcp.resources import SINGLE, TEMPLATES, Resource, read
from registry.doors.output import complain_crash
from registry.engine import Engine
from registry.text.safe_text import shortened, visible_line

_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Template:
    """A prompt. If it takes an argument, `text` contains its name in braces."""

    name: str
    title: str
    description: str
    text: str
    argument: str = ""

    def filled(self, arguments: Mapping[str, str]) -> str:
        """The text with its argument.

        Raises:
            ValueError: the argument is missing.
        """
        if not self.argument:
            return self.text
        value = shortened(visible_line(arguments.get(self.argument, "").strip()), _LONGEST)
        if not value:
            raise ValueError(f"{self.argument} is required: {self.description}")
        return self.text.replace("{" + self.argument + "}", value)


PROMPTS = (
    Template(
        "handoff",
        "Hand over the shift",
        "What the next person on call needs to know.",
        "Read oncall_dashboard. Write a handover for the next person on call: open incidents with their ids, the most "
        "urgent first, with assignees, who is paged next and when, and what is unknown. Add nothing that is not there.",
    ),
    Template(
        "who_is_on_call",
        "Who is on call",
        "Who is on call now, on each level.",
        "Read oncall_dashboard. List who is on call now, by escalation policy and level, and until when. Say what is unknown.",
    ),
    Template(
        "why_did_this_fail",
        "Why did this payment fail",
        "An id of a payment, charge or invoice, or a customer's email.",
        "Find out why the payment behind “{id}” failed. Start with follow, or with find_tools and its words. Read the charge "
        "or the payment intent, the invoice and the customer. Give the reason in the service's words, since when, and what "
        "can be done. Change nothing.",
        "id",
    ),
)


_KEY = "consent"
_CRASHED = "Unexpected error in Callboard. Standard error names the report; callboard audit shows what was sent."
_MOST_USED = 10_000
_LONG = CacheHint(ttl_ms=3_600_000, scope="private")
_CALLER: ContextVar[str] = ContextVar("caller", default="callboard mcp")

Context: TypeAlias = ServerRequestContext[Any, Any]


def caller() -> str:
    """The server and the client of the current call, for the audit log."""
    return _CALLER.get()


def made(engine: Engine, agent_tools: AgentTools, offered: Iterable[Offer]) -> Server[Any]:
    """The MCP server, which can run over any transport.

    Args:
        engine: provides the values of resources.
        agent_tools: runs the tools.
        offered: the tools that the server lists.
    """
    tools = {offer.name: as_tool(offer) for offer in offered}
    states = _States()

    async def on_list_tools(_: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=list(tools.values()))

    async def on_call_tool(
        context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        if params.name not in tools:
            values = {"error": "Unknown tool here", "field": "name", "what_to_do": f"Available: {', '.join(tools)}"}
            return _result(values, is_error=True)
        progress = _Progress(context)
        asker = _Asker(context, params, states, progress)
        _CALLER.set(f"callboard mcp, {asker.client}")
        result = await agent_tools.call(params.name, params.arguments or {}, asker, progress)
        await progress.finished()
        if result.asked is not None:
            return _question(result.asked, states)
        return _result(result.values, is_error=result.is_error)

    async def on_list_resources(_: Context, __: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=[types.Resource(uri=one.uri, **_about(one)) for one in SINGLE])

    async def on_list_resource_templates(
        _: Context, __: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        templates = [types.ResourceTemplate(uri_template=one.uri, **_about(one)) for one in TEMPLATES]
        return types.ListResourceTemplatesResult(resource_templates=templates)

    async def on_read_resource(context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri = str(params.uri)
        result = await read(engine, agent_tools, uri, _Asker(context, None, states, _Progress(context)))
        if result is None:
            there = ", ".join(one.uri for one in (*SINGLE, *TEMPLATES))
            raise MCPError(types.INVALID_PARAMS, f"Unknown resource; available: {there}.", {"uri": uri})
        content = types.TextResourceContents(uri=uri, mime_type="application/json", text=_text(result.values))
        return types.ReadResourceResult(contents=[content])

    async def on_list_prompts(_: Context, __: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[_as_prompt(one) for one in PROMPTS])

    async def on_get_prompt(_: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        found = next((one for one in PROMPTS if one.name == params.name), None)
        if found is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown prompt; available: {', '.join(one.name for one in PROMPTS)}.")
        try:
            text = found.filled(params.arguments or {})
        except ValueError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None
        message = types.PromptMessage(role="user", content=types.TextContent(text=text))
        return types.GetPromptResult(description=found.description, messages=[message])

    return sealed(
        on_list_tools=on_list_tools,
        on_call_tool=on_call_tool,
        on_list_resources=on_list_resources,
        on_list_resource_templates=on_list_resource_templates,
        on_read_resource=on_read_resource,
        on_list_prompts=on_list_prompts,
        on_get_prompt=on_get_prompt,
    )


def sealed(**handlers: Any) -> Server[Any]:
    """A server with these handlers; it declares how long its lists are valid, and seals its states."""
    logging.getLogger("mcp").setLevel(logging.CRITICAL)  # its messages go to the client
    server: Server[Any] = Server(
        "callboard",
        version=__version__,
        title="Callboard",
        instructions=INSTRUCTIONS,
        cache_hints={
            "tools/list": _LONG,
            "prompts/list": _LONG,
            "resources/list": _LONG,
            "resources/templates/list": _LONG,
            "resources/read": CacheHint(ttl_ms=0, scope="private"),
        },
        **handlers,
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


class _States:
    """The states whose answers were already used: each counts once."""

    def __init__(self) -> None:
        self._used: dict[str, None] = {}

    def new(self, asked: Asked) -> str:
        """The state for a question; sealed when it is sent."""
        return json.dumps({"digest": asked.digest, "once": secrets.token_hex(16)})

    def use(self, state: str, asked: Asked) -> bool:
        """Whether a state belongs to this question, and was not used before."""
        try:
            content = json.loads(state)
        except ValueError:
            return False
        once = content.get("once") if isinstance(content, dict) else None
        if not isinstance(once, str) or once in self._used or content.get("digest") != asked.digest:
            return False
        self._used[once] = None
        while len(self._used) > _MOST_USED:
            del self._used[next(iter(self._used))]
        return True


class _Asker:
    """Asks the user of one request's client."""

    def __init__(
        self, context: Context, params: types.CallToolRequestParams | None, states: _States, progress: _Progress
    ) -> None:
        self._context, self._params, self._states, self._progress = context, params, states, progress

    @property
    def _modern(self) -> bool:
        return self._context.protocol_version in MODERN_PROTOCOL_VERSIONS

    @property
    def able(self) -> bool:
        """Whether the client declared elicitation with forms; declaring no mode means forms."""
        capabilities = self._context.session.client_capabilities
        asks = capabilities.elicitation if capabilities is not None else None
        if asks is None or (asks.form is None and asks.url is not None):
            return False
        return self._modern or self._context.session.can_send_request

    @property
    def client(self) -> str:
        """The client's name and version, as it states them."""
        params = self._context.session.client_params
        name = f"{params.client_info.name} {params.client_info.version}" if params is not None else "a client without a name"
        return shortened(visible_line(name), 60)

    async def ask(self, asked: Asked) -> Reply | None:
        """The person's answer; None if the client has to call again with it."""
        if self._modern:
            if (
                self._params is None
                or self._params.request_state is None
                or not self._states.use(self._params.request_state, asked)
            ):
                return None
            return _reply((self._params.input_responses or {}).get(_KEY))
        try:
            async with asyncio.timeout(PATIENCE):
                return _reply(await self._context.session.elicit_form(asked.message, asked.schema, self._context.request_id))
        except TimeoutError:
            return Reply("timeout")
        except MCPError:
            return Reply("cancel")

    def tell(self, words: str) -> None:
        """Tell the client what its call waits for."""
        self._progress.tell(words)

    def answered_in_explorer(self) -> None:
        """From now on the audit log says so as well."""
        _CALLER.set(f"callboard mcp, {self.client}, answered in the explorer")


class _Progress:
    """Reports the progress of a call, if the client requested that. Called with each step; `finished` waits for all."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._steps = 0
        self._sending: set[asyncio.Task[None]] = set()

    def __call__(self, progress: Progress) -> None:
        if progress.waiting is not None:
            self.tell(f"{visible_line(progress.reason)}; retrying in {progress.waiting:.1f} s")
        elif not progress.received:
            self.tell(f"request {progress.request}, attempt {progress.attempt}")

    def tell(self, words: str) -> None:
        """Report a step in words."""
        self._steps += 1
        telling = self._context.session.report_progress(float(self._steps), None, words)
        task = asyncio.get_running_loop().create_task(telling)
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def finished(self) -> None:
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


def _question(asked: Asked, states: _States) -> types.InputRequiredResult:
    params = types.ElicitRequestFormParams(message=asked.message, requested_schema=asked.schema)
    return types.InputRequiredResult(input_requests={_KEY: types.ElicitRequest(params=params)}, request_state=states.new(asked))


def _result(values: Mapping[str, object], *, is_error: bool) -> types.CallToolResult:
    content: list[types.ContentBlock] = [types.TextContent(text=_text(values))]
    return types.CallToolResult(content=content, structured_content=_plain(values), is_error=is_error)


def _plain(value: Any) -> Any:
    """Values for the protocol's library, which takes no numbers as they were written."""
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, Exact):
        number = None if is_null(value) else json.loads(value)
        return str(value) if isinstance(number, float) and not math.isfinite(number) else number
    return value


def _about(resource: Resource) -> dict[str, Any]:
    return {
        "name": resource.name,
        "title": resource.title,
        "description": resource.description,
        "mime_type": "application/json",
    }


def _text(values: Mapping[str, object]) -> str:
    return dumps(values, compact=True)


def _as_prompt(one: Template) -> types.Prompt:
    taken = types.PromptArgument(name=one.argument, description=one.description, required=True)
    return types.Prompt(
        name=one.name, title=one.title, description=one.description, arguments=[taken] if one.argument else None
    )


def as_tool(offer: Offer) -> types.Tool:
    """An offer as an MCP tool, with every hint set."""
    reads, deletes = offer.effect == "read", offer.effect == "delete"
    hints = types.ToolAnnotations(
        read_only_hint=reads, destructive_hint=not reads, idempotent_hint=reads or deletes, open_world_hint=True
    )
    return types.Tool(
        name=offer.name, title=offer.title, description=offer.description, input_schema=offer.schema, annotations=hints
    )
