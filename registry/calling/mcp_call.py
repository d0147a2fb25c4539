"""The context of a request to an MCP server: tool, account, and the callbacks for progress and questions."""

from __future__ import annotations

import msgspec

from registry.accounts.connection import Endpoint
from registry.calling.result import Failure
from registry.catalog.model import Tool
from registry.mcp_client.values import Elicit, Progressed

CALL = "callboard.mcp"
"""The extension of a request that holds its `McpCall`."""


class McpCall(msgspec.Struct):
    """One call to an MCP server.

    Attributes:
        tool: the tool to call.
        endpoint: the server.
        progressed: called with the progress that the server reports.
        elicit: asks the user what the server wants to know; None if there is no user to ask.
        notes: notes for the user; filled by the gateway.
        files: media type and bytes of everything in the result that is not text; filled by the gateway.
        failure: why the tool failed, if the server says so; filled by the gateway.
    """

    tool: Tool
    endpoint: Endpoint
    progressed: Progressed
    elicit: Elicit | None = None
    notes: list[str] = msgspec.field(default_factory=list)
    files: list[tuple[str, bytes]] = msgspec.field(default_factory=list)
    failure: Failure | None = None
