"""The context of a request to an MCP server: tool, account, and the callbacks for progress and questions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from registry.calling.result import Failure
    from registry.catalog.model import Tool
    from registry.connections.profiles import Endpoint
    from registry.mcp_client.values import Elicit, Progressed

CALL = "callboard.mcp"
"""The extension of a request that holds its `McpCall`."""


class McpCall(msgspec.Struct):
    """One call of an MCP server.

    Attributes:
        tool: what is called.
        endpoint: where.
        progressed: is called with how far the server is.
        hold: is called with True when the user is asked, and with False after that: the call's clock stands still in between.
        elicit: asks the user what the server wants to know; None where nobody is there.
        notes: what the reader of the answer should know; filled by the gateway.
        files: media type and bytes of what in the answer is no text; filled by the gateway.
        failure: why the tool did not do it, where the server answered so; filled by the gateway.
    """

    tool: Tool
    endpoint: Endpoint
    progressed: Progressed
    hold: Callable[[bool], None]
    elicit: Elicit | None = None
    notes: list[str] = msgspec.field(default_factory=list)
    files: list[tuple[str, bytes]] = msgspec.field(default_factory=list)
    failure: Failure | None = None
