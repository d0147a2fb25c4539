"""A tool's parameters as JSON Schema (draft 2020-12), for agents, editors and other programs that build forms."""

import json
from typing import Any

from registry.catalog.model import Parameter, Tool

_FORMATS = {"date-time": "date-time", "email": "email"}
_PATTERNS = {"country": "^[A-Z]{2}$", "currency": "^[a-z]{3}$", "digits": "^[0-9]+$", "token": r"^\S+$"}


def json_schema(tool: Tool) -> dict[str, Any]:
    """The schema of an object with one property for each argument; arguments that are not given are left out."""
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
    is_any = parameter.type in ("one_of", "any") or parameter.open == "anything"
    entry: dict[str, Any] = {} if is_any else {"type": parameter.type}
    if parameter.help:
        entry["description"] = parameter.help
    match parameter.type:
        case "array":
            entry["items"] = _property(parameter.items) if parameter.items else {"type": "string", "minLength": 1}
            if parameter.when_empty == "refuse" and parameter.role != "expand":
                entry["minItems"] = 1
        case "object":
            is_free = parameter.items is None and (parameter.open is not None or not parameter.properties)
            entry |= {
                "properties": {one.name: _property(one) for one in parameter.properties},
                "required": [one.name for one in parameter.properties if one.required],
                "additionalProperties": True if is_free else _property(parameter.items) if parameter.items else False,
            }
        case "one_of":
            # Not "oneOf": the first branch that takes a value counts, and others may take it as well.
            entry["anyOf"] = [_property(branch) | {"title": branch.name} for branch in parameter.branches]
        case "string" if parameter.when_empty == "refuse":
            entry["minLength"] = parameter.min_length or 1
    # The catalogue has numbers as text.
    enum = [json.loads(one) if parameter.type in ("integer", "number") else one for one in parameter.enum or ()]
    for key, value in (
        ("default", parameter.default),
        ("minimum", parameter.minimum),
        ("maximum", parameter.maximum),
        ("exclusiveMinimum", parameter.above),
        ("exclusiveMaximum", parameter.below),
        ("maxLength", parameter.max_length),
        ("minItems", parameter.min_items),
        ("maxItems", parameter.max_items),
        ("enum", enum or None),
        ("examples", list(parameter.suggestions) if parameter.suggestions and parameter.type == "string" else None),
        ("format", _FORMATS.get(parameter.format or "")),
        ("pattern", (parameter.pattern or _PATTERNS.get(parameter.format or "")) if parameter.type == "string" else None),
        ("multipleOf", 60 if parameter.format == "unix-minute" else None),
    ):
        if value is not None:
            entry[key] = value
    if parameter.when_empty == "null" or (parameter.nullable and parameter.type != "any"):
        entry = {"anyOf": [entry, {"type": "null"}]}
    return entry
