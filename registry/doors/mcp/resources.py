"""Reads resources, and completes the names in their templates. It knows only values, no protocol.

Objects, tools and the dashboard come from the agent tools, so they are cut, masked and marked as data like any result. The rest
of a cut result is a resource as well, and is returned whole.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from urllib.parse import quote, unquote

from registry.doors.mcp.agent_tools import AgentTools, ToolResult
from registry.doors.mcp.asking import Asker
from registry.engine import Engine
from registry.journal.errors import JournalError
from registry.journal.search_query import SearchQuery
from registry.text.safe_text import visible_line

_SCHEME = "callboard://"
_MOST_CALLS = 50
MOST_COMPLETED = 100
"""Most values of a completion, as the protocol requires."""


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

    @property
    def argument(self) -> str:
        """The name in braces; empty if there is none."""
        return self.path.partition("{")[2].rstrip("}")


BOARD = Resource("oncall", "oncall", "On-call dashboard", "Open incidents, whose they are, who is paged next, who is on call.")
TOOLKITS = Resource(
    "toolkits", "toolkits", "Toolkits", "The toolkits, the accounts that their calls go through, and their groups."
)
HISTORY = Resource("history", "history", "History of calls", f"The last {_MOST_CALLS} calls, newest first, secrets masked.")
TOOL = Resource("tools/{name}", "tool", "A tool", "What a tool does and takes, with the JSON Schema of its arguments.")
OBJECT = Resource("objects/{id}", "object", "An object", "The object with an id or an email.")
REST = Resource(
    "rest/{cursor}", "rest", "The rest of a cut result", "Everything that a result left out to stay within its budget."
)
SINGLE, TEMPLATES = (BOARD, TOOLKITS, HISTORY), (TOOL, OBJECT, REST)


def rest_uri(cursor: str) -> str:
    """The address of the rest of a cut result."""
    return f"{_SCHEME}rest/{quote(cursor, safe='')}"


class Resources:
    """Reads resources and completes names.

    Args:
        engine: provides the tools and the history.
        agent_tools: runs the tools.
    """

    def __init__(self, engine: Engine, agent_tools: AgentTools) -> None:
        self._engine, self._agent_tools = engine, agent_tools

    async def read(self, uri: str, asker: Asker) -> ToolResult | None:
        """The content of a resource; None if there is nothing at that address."""
        path, ask = uri.removeprefix(_SCHEME), self._agent_tools.call
        if path == uri:
            return None
        kind, slash, name = path.partition("/")
        name = unquote(name)
        if path == BOARD.path:
            return await ask("oncall_dashboard", {}, asker)
        if path == TOOLKITS.path:
            return ToolResult({"toolkits": self._toolkits()})
        if path == HISTORY.path:
            return ToolResult(await asyncio.to_thread(self._history))
        if not slash or not name:
            return None
        if kind == "tools":
            return await ask("describe_tools", {"tools": [name]}, asker) if self._engine.catalog.find(name) else None
        if kind == "objects":
            return await ask("follow", {"id": name}, asker)
        return await self._agent_tools.rest(name) if kind == "rest" else None

    async def complete(self, resource: Resource | None, argument: str, typed: str) -> list[str]:
        """The completions of an argument, best first: names of tools that contain the text, or ids from earlier results.

        Args:
            resource: the template; None for a prompt, whose arguments are ids.
            argument: its name.
            typed: the typed part of its value.
        """
        if resource is not None and (resource is REST or argument != resource.argument):
            return []
        if resource is TOOL:
            known = sorted(self._engine.catalog.tools)
            low = typed.lower()
            fits = [name for name in known if low in name.lower()]
            return sorted(fits, key=lambda name: not name.lower().startswith(low))
        return await asyncio.to_thread(self._ids, typed)

    def _ids(self, typed: str) -> list[str]:
        found: list[str] = []
        if not self._engine.keeps_history:
            return found
        tools = self._engine.catalog.tools.values()
        for toolkit in self._engine.catalog.toolkits:
            taken = {type_ for tool in tools if tool.toolkit == toolkit for one in tool.parameters for type_ in one.refers_to}
            try:
                account = self._agent_tools.connection(toolkit).name
                seen = self._engine.history.seen(toolkit, sorted(taken), typed, account, MOST_COMPLETED + 1)
            except JournalError:
                continue  # completions are optional, so the error is not reported
            found += [id_ for id_, _ in seen if id_ == visible_line(id_)]
        return found

    def _toolkits(self) -> list[dict[str, object]]:
        listed = []
        catalog = self._engine.catalog
        for name, toolkit in catalog.toolkits.items():
            tools = [tool for tool in catalog.tools.values() if tool.toolkit == name]
            account = self._agent_tools.connection(name)
            groups = list(dict.fromkeys(tool.group for tool in tools))
            reaches = account.endpoint(name).mode
            listed.append({"toolkit": name, "title": toolkit.title, "tools": len(tools), "groups": groups})
            listed[-1] |= {"account": account.name, "reaches": reaches}
        return listed

    def _history(self) -> dict[str, object]:
        if not self._engine.keeps_history:
            return {"calls": [], "note": "The history of calls is switched off."}
        try:
            entries = self._engine.history.search(SearchQuery(), _MOST_CALLS)
        except JournalError as error:
            return {"error": "The history cannot be read", "cause": str(error)}
        return {
            "calls": [
                {
                    "at": one.at,
                    "tool": one.tool,
                    "arguments": one.arguments,
                    "account": one.connection,
                    "reaches": one.mode,
                    "outcome": one.outcome,
                    **({"failure": one.failure} if one.failure else {}),
                }
                for one in entries
            ]
        }
