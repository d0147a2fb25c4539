"""A question of an MCP server during a call, as a form for the user."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from registry.calling.arguments import Arguments, check, checked
from registry.calling.request import plan
from registry.calling.sending import Answered
from registry.catalog.model import Tool


class Elicitation(Struct, frozen=True):
    """A question from a server.

    Attributes:
        server: the server's title.
        tool: the tool whose call is running.
        message: the question, in the server's words; not trusted.
        form: the values that are asked for, as the parameters of a tool that is never called.
        url: the address that the server wants the user to open; empty if it asks for values.
        clock: returns the current time in Unix seconds.
        start: the values that the server suggests, by parameter.
    """

    server: str
    tool: Tool
    message: str
    form: Tool
    url: str
    clock: Callable[[], float]
    start: Mapping[str, object]

    def check(self, raw: Mapping[str, object]) -> Arguments:
        """Check raw values against the form; never raises."""
        return check(self.form, raw, self.clock())

    def accepted(self, raw: Mapping[str, object]) -> Answered:
        """The answer with these values.

        Raises:
            ArgumentError: the values are invalid.
        """
        arguments = checked(self.form, raw, self.clock())
        body = plan(self.form, arguments).body
        values: dict[str, Any] = json.loads(body.text()) if body is not None else {}
        return Answered("accept", values)


def elicitation_of(
    server: str, tool: Tool, message: str, form: Tool, schema: Mapping[str, Any], url: str, clock: Callable[[], float]
) -> Elicitation:
    """The question of a server, with the form for its schema, and the schema's valid defaults."""
    properties = schema.get("properties")
    declared = properties if isinstance(properties, dict) else {}
    raw: dict[str, object] = {}
    for parameter in form.parameters:
        entry = declared.get(parameter.wire_name or "")
        value = entry.get("default") if isinstance(entry, dict) else None
        if value is not None and not check(form, {parameter.name: value}).errors_of(parameter.name):
            raw[parameter.name] = value
    return Elicitation(server, tool, message, form, url, clock, raw)
