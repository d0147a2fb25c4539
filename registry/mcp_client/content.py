"""A server's results and lists as it sent them, and as JSON values. Binary content is described, not included.

So the library gets a result that is valid in every version of the protocol, and the one that came is carried in its ``_meta``.
What cannot be used of a list is named, and a list ends whatever the server says.
"""

import base64
import json
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Any, TypeGuard

import mcp_types as types
from mcp import Client
from mcp.shared.message import SessionMessage
from mcp_types.methods import validate_server_result
from mcp_types.version import LATEST_MODERN_VERSION, MODERN_PROTOCOL_VERSIONS

from registry.mcp_client.values import Listing, McpResult, canonical, fault_of, items_of
from registry.text.shown import shortened, size, visible_line

_MOST_PAGES, _MOST_TOOLS = 100, 5_000

LeftOut = list[tuple[str, str]]

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
    return dict((result.meta or {}).get(_AS_SENT, {}))


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


async def _listed(
    ask: Callable[..., Awaitable[types.ListToolsResult | types.ListPromptsResult]], kind: str, left_out: LeftOut
) -> tuple[list[Mapping[str, Any]], Mapping[str, Any]]:
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


_LONGEST_ERROR = 2_000
_OF_THE_PROTOCOL = ("_meta", "resultType", "ttlMs", "cacheScope")


def result_of(result: Mapping[str, Any]) -> McpResult:
    """The result of a tool.

    It is the structured content, if there is any. Otherwise a single text that is a JSON object or list is the result, and any
    other single text becomes ``{"text": …}``. Several parts, and parts that are not text, become ``{"content": […]}``, each
    with its kind and content, so that a table shows them all; structured content is then beside them. What the protocol does
    not know is kept as it came.

    Args:
        result: ``CallToolResult`` as the server sent it.
    """
    blocks = result.get("content", [])
    if not isinstance(blocks, list) or ("content" not in result and "structuredContent" not in result):
        return McpResult(dict(result), "The tool failed and says nothing of it." if result.get("isError") else "")
    parts = [_part(one) for one in blocks]
    texts = [part["text"] for part in blocks if _is_text(part)]
    structured = result.get("structuredContent")
    plain = len(texts) == len(parts)  # the text repeats the structured content
    content: Any = {"content": parts}
    if structured is not None:
        content = structured if plain else {"structured": structured, "content": parts}
    elif plain and len(parts) == 1:
        data = _data(texts[0])
        content = {"text": texts[0]} if data is None else data
    error = ""
    if result.get("isError"):
        error = " ".join(text.strip() for text in texts)[:_LONGEST_ERROR] or "The tool failed and says nothing of it."
    return McpResult(content, error, files=tuple(_files(blocks)))


def contents_of(result: Mapping[str, Any]) -> McpResult:
    """The content of ``ReadResourceResult``: the data or text of one resource, or a list of several."""
    found = items_of(result, "contents")
    parts = [_resource(one) if isinstance(one, Mapping) else one for one in found]
    return McpResult(parts[0] if len(parts) == 1 else {"contents": parts}, files=tuple(_files(found)))


def listed_of(result: Mapping[str, Any]) -> McpResult:
    """A page of resources, each marked as a link, or of their templates."""
    page = {name: value for name, value in result.items() if name not in _OF_THE_PROTOCOL}
    if "resources" in page:
        page["resources"] = [
            {"kind": "link", **one} if isinstance(one, Mapping) else one for one in items_of(page, "resources")
        ]
    return McpResult(page)


def messages_of(result: Mapping[str, Any]) -> McpResult:
    """The text of ``GetPromptResult``, if it is a single one; otherwise its messages, each with role, kind and content."""
    messages = [one for one in items_of(result, "messages") if isinstance(one, Mapping)]
    words = {"description": result["description"]} if result.get("description") else {}
    blocks = [one.get("content") for one in messages]
    if len(blocks) == 1 and _is_text(blocks[0]):
        return McpResult({**words, "text": blocks[0]["text"]})
    parts = [{"role": one.get("role")} | _part(block) for one, block in zip(messages, blocks, strict=True)]
    return McpResult({**words, "messages": parts}, files=tuple(_files(blocks)))


def _files(blocks: Iterable[Any]) -> Iterator[tuple[str, bytes]]:
    """The binary parts or resources, each with its media type. Invalid Base64 is skipped."""
    for one in (block for block in blocks if isinstance(block, Mapping)):
        inner = one.get("resource")
        held = inner if isinstance(inner, Mapping) else one
        encoded = held.get("data") if one.get("type") in ("image", "audio") else held.get("blob")
        if isinstance(encoded, str):
            with suppress(ValueError):
                yield str(held.get("mimeType") or ""), base64.b64decode(encoded, validate=True)


def _is_text(block: Any) -> TypeGuard[Mapping[str, str]]:
    return isinstance(block, Mapping) and block.get("type") == "text" and isinstance(block.get("text"), str)


def _part(block: Any) -> dict[str, Any]:
    if not isinstance(block, Mapping):
        return _named("unknown", block)
    if _is_text(block):
        data = _data(block["text"])
        return _named("text", block["text"]) if data is None else _named("data", data)
    match block.get("type"):
        case "image" | "audio" as kind if isinstance(block.get("data"), str):
            return _named(kind, _described(block.get("mimeType"), block["data"]))
        case "resource_link":
            known = ("uri", "name", "title", "description", "mimeType", "size")
            return _named("link", {name: block[name] for name in known if name in block})
        case "resource" if isinstance(resource := block.get("resource"), Mapping):
            return _named("resource", _resource(resource))
    return _named(str(block.get("type")), {name: value for name, value in block.items() if name != "type"})


def _named(kind: str, content: Any) -> dict[str, Any]:
    return {"kind": kind, "content": content}


def _resource(one: Mapping[str, Any]) -> dict[str, Any]:
    resource = {"uri": one.get("uri")}
    if isinstance(text := one.get("text"), str):
        data = _data(text)
        kind = {"mimeType": one["mimeType"]} if one.get("mimeType") else {}
        return {**resource, **kind, **({"text": text} if data is None else {"data": data})}
    return {**resource, "holds": _described(one.get("mimeType"), one.get("blob"))}


def _described(kind: object, encoded: object) -> str:
    """A description of binary content: ``image/png, 12.0 kB``."""
    count = max(len(encoded) * 3 // 4 - encoded[-2:].count("="), 0) if isinstance(encoded, str) else 0
    return f"{kind or 'unknown kind'}, {size(count)}"


def _data(text: str) -> Any:
    """The object or list in a JSON text; None for any other text."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text, parse_constant=int)  # NaN and Infinity are no JSON, and no whole numbers either
    except (ValueError, RecursionError):
        return None
