"""An MCP server's question to the user, as a form: the same parameters, checks and values as those of a tool."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from registry.mcp_client.values import Answered

if TYPE_CHECKING:
    from registry.calling.arguments import Arguments
    from registry.catalog.model import Tool
    from registry.mcp_client.values import Asked, Elicit


@dataclass(frozen=True, slots=True)
class Elicitation:
    """A question of a server.

    Attributes:
        server: the server's title.
        tool: the tool whose call is under way.
        message: the question, in the server's words: text from outside.
        form: what is asked for, as the parameters of a tool that is never called.
        url: the address that the server wants to be opened; empty where it asks for values.
        clock: the present in Unix seconds.
        start: the values that the server proposes, by parameter.
    """

    server: str
    tool: Tool
    message: str
    form: Tool
    url: str
    clock: Callable[[], float]

    start: Mapping[str, object]

    def check(self, raw: Mapping[str, object]) -> Arguments:
        """Check raw values against what is asked for; nothing is raised."""
        from registry.calling.arguments import check

        return check(self.form, raw, self.clock())

    def accepted(self, raw: Mapping[str, object]) -> Answered:
        """The answer with these values.

        Raises:
            ArgumentError: something is wrong with them.
        """
        from registry.calling.exact_json import dumps
        from registry.calling.request import plan

        body = plan(self.form, self.check(raw)).body
        values: dict[str, Any] = json.loads(dumps(body)) if body else {}
        return Answered("accept", values)


def eliciting(ask: Callable[[Elicitation], Awaitable[Answered]], tool: Tool, server: str, clock: Callable[[], float]) -> Elicit:
    """A function that asks the user for a server.

    Args:
        ask: asks a person, in a door's own way.
        tool: the tool whose call is under way.
        server: the server's title.
        clock: the present in Unix seconds.
    """

    async def elicit(asked: Asked) -> Answered:
        from registry.openapi.asked_form import form_of

        form = form_of(asked.schema, tool.toolkit)
        start = _proposed(form, asked.schema)
        return await ask(Elicitation(server, tool, asked.message, form, asked.url, clock, start))

    return elicit


def _proposed(form: Tool, schema: Mapping[str, Any]) -> dict[str, object]:
    """The values that a schema has as defaults, as far as they are right, by parameter."""
    from registry.calling.arguments import check

    properties = schema.get("properties")
    told = properties if isinstance(properties, dict) else {}
    raw: dict[str, object] = {}
    for parameter in form.parameters:
        entry = told.get(parameter.wire_name or "")
        value = entry.get("default") if isinstance(entry, dict) else None
        if value is not None and not check(form, {parameter.name: value}).errors_of(parameter.name):
            raw[parameter.name] = value
    return raw
