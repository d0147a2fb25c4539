"""Reads resources. It knows only values, no protocol.

Objects, tools and the dashboard come from the agent tools, so they are cut, masked and marked as data like any result.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from urllib.parse import unquote

from registry.doors.mcp.agent_tools import AgentTools, ToolResult
from registry.doors.mcp.consent import Asker
from registry.engine import Engine
from registry.journal.errors import JournalError
from registry.journal.search_query import SearchQuery

_SCHEME = "callboard://"
_MOST_CALLS = 50


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource. `path` is its address without the scheme; with a name in braces it is a template."""

    path: str
    name: str
    title: str
    description: str

    @property
    def uri(self) -> str:
        """Its address, or the template of its addresses."""
        return _SCHEME + self.path


SINGLE = (
    Resource("oncall", "oncall", "On-call dashboard", "Open incidents, whose they are, who is paged next, who is on call."),
    Resource("toolkits", "toolkits", "Toolkits", "The toolkits, the accounts that their calls go through, and their groups."),
    Resource("history", "history", "History of calls", f"The last {_MOST_CALLS} calls, newest first, secrets masked."),
)
TEMPLATES = (
    Resource("tools/{name}", "tool", "A tool", "What a tool does and takes, with the JSON Schema of its arguments."),
    Resource("objects/{id}", "object", "An object", "The object with an id or an email."),
)


async def read(engine: Engine, agent_tools: AgentTools, uri: str, asker: Asker) -> ToolResult | None:
    """The content of a resource; None if there is nothing at that address."""
    kind, _, name = uri.removeprefix(_SCHEME).partition("/")
    name = unquote(name)
    match kind if uri.startswith(_SCHEME) else "":
        case "oncall" if not name:
            return await agent_tools.call("oncall_dashboard", {}, asker)
        case "toolkits" if not name:
            return ToolResult({"toolkits": _toolkits(engine, agent_tools)})
        case "history" if not name:
            return ToolResult(await asyncio.to_thread(_history, engine))
        case "tools" if engine.catalog.find(name):
            return await agent_tools.call("describe_tools", {"tools": [name]}, asker)
        case "objects" if name:
            return await agent_tools.call("follow", {"id": name}, asker)
    return None


def _toolkits(engine: Engine, agent_tools: AgentTools) -> list[dict[str, object]]:
    listed = []
    for name, toolkit in engine.catalog.toolkits.items():
        tools = [tool for tool in engine.catalog.tools.values() if tool.toolkit == name]
        account = agent_tools.connection(name)
        listed.append(
            {
                "toolkit": name,
                "title": toolkit.title,
                "tools": len(tools),
                "groups": list(dict.fromkeys(tool.group for tool in tools)),
                "account": account.name,
                "reaches": account.endpoint(name).mode,
            }
        )
    return listed


def _history(engine: Engine) -> dict[str, object]:
    if not engine.keeps_history:
        return {"calls": [], "note": "The history of calls is switched off."}
    try:
        entries = engine.history.search(SearchQuery(), _MOST_CALLS)
    except JournalError as error:
        return {"error": "The history cannot be read", "cause": str(error)}
    names = {
        "at": "at",
        "tool": "tool",
        "arguments": "arguments",
        "account": "connection",
        "reaches": "mode",
        "outcome": "outcome",
    }
    calls = [{name: getattr(one, field) for name, field in names.items()} for one in entries]
    return {
        "calls": [call | ({"failure": one.failure} if one.failure else {}) for call, one in zip(calls, entries, strict=True)]
    }
