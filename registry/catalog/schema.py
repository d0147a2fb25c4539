"""A tool's parameters as JSON Schema (draft 2020-12), for agents, editors and whoever builds a form of their own."""

from __future__ import annotations

from typing import Any

from registry.catalog.model import Parameter, Tool

_FORMATS = {"date-time": "date-time", "email": "email"}
_PATTERNS = {"country": "^[A-Z]{2}$", "currency": "^[a-z]{3}$"}


def json_schema(tool: Tool) -> dict[str, Any]:
    """The schema of an object with one member for each argument; members that are not given are left out."""
    schema: dict[str, Any] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": tool.full_name,
        "description": tool.summary,
        "type": "object",
        "properties": {parameter.name: _property(parameter) for parameter in tool.parameters},
        "required": [parameter.name for parameter in tool.parameters if parameter.required],
        "additionalProperties": False,
    }
    before, after = tool.with_role("cursor_before"), tool.with_role("cursor_after")
    if before and after:
        schema["not"] = {"required": [before.name, after.name]}
    return schema


def _property(parameter: Parameter) -> dict[str, Any]:
    entry: dict[str, Any] = {"type": parameter.type, "description": parameter.help}
    if parameter.type == "array":
        entry["items"] = {"type": "string", "minLength": 1}
        if parameter.when_empty == "refuse" and parameter.role != "expand":
            entry["minItems"] = 1
    elif parameter.type == "string" and parameter.when_empty == "refuse":
        entry["minLength"] = 1
    for key, value in (
        ("default", parameter.default),
        ("minimum", parameter.minimum),
        ("maximum", parameter.maximum),
        ("enum", list(parameter.enum) if parameter.enum else None),
        ("examples", list(parameter.suggestions) if parameter.suggestions and parameter.type == "string" else None),
        ("format", _FORMATS.get(parameter.format or "")),
        ("pattern", _PATTERNS.get(parameter.format or "")),
        ("multipleOf", 60 if parameter.format == "unix-minute" else None),
    ):
        if value is not None:
            entry[key] = value
    return entry
