"""Results and lists as the server sent them. The protocol's library refuses a whole result if it does not know a part of it.

So the library gets a result that is valid in every version of the protocol, and the one that came is carried in its ``_meta``.
What cannot be used of a list is named, and a list ends whatever the server says.
"""

import math
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import mcp_types as types
from mcp import Client
from mcp.shared.message import SessionMessage
from mcp_types.methods import validate_server_result
from mcp_types.version import LATEST_MODERN_VERSION, MODERN_PROTOCOL_VERSIONS

from registry.mcp_client.values import Listing, canonical, fault_of, items_of
from registry.text.safe_text import shortened, visible_line

_MOST_PAGES, _MOST_TOOLS = 100, 5_000

LeftOut = list[tuple[str, str]]
Ask = Callable[..., Awaitable[types.ListToolsResult | types.ListPromptsResult]]

_AS_SENT = "callboard/as-sent"
_COMPLETE = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
_VALID: Mapping[str, Mapping[str, Any]] = {
    "tools/list": {"tools": []},
    "tools/call": {"content": [], "isError": True},  # the library checks the content of results that are no errors
    "prompts/list": {"prompts": []},
    "prompts/get": {"messages": []},
    "resources/list": {"resources": []},
    "resources/templates/list": {"resourceTemplates": []},
    "resources/read": {"contents": []},
}


class Wire:
    """The messages of one connection. `version` is the protocol that the server named in the handshake; empty before."""

    def __init__(self, transport: AbstractAsyncContextManager[tuple[Any, Any]]) -> None:
        self._transport = transport
        self._methods: dict[str, str] = {}
        self.version = ""

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[tuple[Any, Any]]:
        """The streams for the library, as a transport."""
        async with self._transport as (reading, writing):
            yield _Stream(reading, self._came), _Stream(writing, self._sent)

    def _sent(self, message: Any) -> None:
        if isinstance(message, types.JSONRPCRequest):
            self._methods[str(message.id)] = message.method

    def _came(self, message: Any) -> None:
        method = self._methods.pop(str(message.id), "") if isinstance(message, types.JSONRPCResponse) else ""
        if method == "initialize":
            self.version = str(message.result.get("protocolVersion", ""))
        elif method in _VALID and message.result.get("resultType") != "input_required":
            valid = {**_VALID[method], **_COMPLETE, "_meta": {_AS_SENT: message.result}}
            if method == "tools/list":
                valid["tools"] = [self._acceptable(one) for one in items_of(message.result, "tools") if not fault_of(one)]
            message.result = valid

    def _acceptable(self, tool: Mapping[str, Any]) -> Mapping[str, Any]:
        """A tool as it came, if the library accepts that; otherwise no more of it than its calls need."""
        try:
            validate_server_result("tools/list", self.version or LATEST_MODERN_VERSION, {**_COMPLETE, "tools": [tool]})
            types.Tool.model_validate(tool, by_name=False)
        except ValueError:
            return {"name": tool["name"], "inputSchema": {"type": "object"}}
        return tool


class _Stream:
    """A stream of the library's, whose messages are seen before they go on."""

    def __init__(self, inner: Any, see: Any) -> None:
        self._inner, self._see = inner, see

    async def send(self, item: SessionMessage) -> None:
        self._see(item.message)
        await self._inner.send(item)

    async def __anext__(self) -> Any:
        item = await self._inner.__anext__()
        if isinstance(item, SessionMessage):
            self._see(item.message)
        return item

    def __aiter__(self) -> "_Stream":
        return self

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> "_Stream":
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> Any:
        return await self._inner.__aexit__(*error)


def as_sent(result: types.Result) -> dict[str, Any]:
    """A result of the library as the server sent it."""
    found: dict[str, Any] = (result.meta or {}).get(_AS_SENT, {})
    return found


async def listing_of(client: Client) -> tuple[Listing, float]:
    """What a server offers, and for how many seconds it is right unless the server reports a change."""
    offered, info = client.server_capabilities, client.server_info or types.Implementation(name="", version="")
    left_out: LeftOut = []
    asks = offered.tools is not None or (offered.prompts is None and offered.resources is None)
    tools, last = await _listed(client.list_tools, "tools", left_out) if asks else ([], {})
    prompts, _ = await _listed(client.list_prompts, "prompts", left_out) if offered.prompts is not None else ([], {})
    about = info.name, info.title or "", info.version, client.instructions or "", client.protocol_version
    lasts = last.get("ttlMs") if client.protocol_version in MODERN_PROTOCOL_VERSIONS else math.inf
    seconds = lasts / 1000 if isinstance(lasts, int | float) else 0.0
    return Listing(*about, tools, offered.resources is not None, prompts, tuple(left_out)), seconds


async def _listed(ask: Ask, kind: str, left_out: LeftOut) -> tuple[list[Mapping[str, Any]], Mapping[str, Any]]:
    """The tools or prompts, and the last page of them; notes what cannot be used, by its name or place, and why."""
    found: dict[bytes, Mapping[str, Any]] = {}
    faulty: dict[bytes, tuple[str, str]] = {}
    asked: list[str] = []
    cursor = None
    while True:
        page = await ask(cursor=cursor)
        sent = as_sent(page)
        accepted = {one.name for one in page.tools} if isinstance(page, types.ListToolsResult) else None
        for place, one in enumerate(items_of(sent, kind), len(found) + len(faulty) + 1):
            fault, name = fault_of(one), one.get("name") if isinstance(one, dict) else None
            if not fault and accepted is not None and name not in accepted:
                fault = "has an x-mcp-header that cannot be sent"
            if fault:
                faulty.setdefault(canonical(one), (name if isinstance(name, str) else str(place), fault))
            else:
                found.setdefault(canonical(one), one)
        cursor, end = sent.get("nextCursor"), ""
        if cursor is not None and (not isinstance(cursor, str) or cursor in asked):
            end = f"begins again: its nextCursor is {shortened(visible_line(str(cursor)), 100)} for the second time"
        elif cursor is not None and (len(asked) == _MOST_PAGES or len(found) > _MOST_TOOLS):
            end = f"has no end: only the first {len(found):,} are used"
        if cursor is None or end:
            left_out += [*faulty.values(), *([(f"the list of {kind}", end)] if end else [])]
            return list(found.values()), sent
        asked.append(cursor)
