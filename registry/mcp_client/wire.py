"""Results as the server sent them. The protocol's library refuses a whole result if it does not know some part of it.

So the library gets a result that is valid in every version of the protocol, and the one that came is carried in its ``_meta``.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import mcp_types as types
from mcp.shared.message import SessionMessage
from mcp_types.methods import validate_server_result
from mcp_types.version import LATEST_MODERN_VERSION

from registry.mcp_client.values import fault_of, items_of

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
