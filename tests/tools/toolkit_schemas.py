"""Writes the JSON Schemas for editors of toolkits' files: ``python -m tests.tools.toolkit_schemas``."""

import json
from typing import Any

from pydantic import TypeAdapter

from registry.catalog.folders import BUILT_IN
from registry.catalog.model import Tool
from registry.catalog.service import Service

_HEAD = {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}
_NAMED = {"$schema": {"type": "string"}}


def schemas() -> dict[str, dict[str, Any]]:
    """File name → the schema of such files."""
    tool = TypeAdapter(Tool).json_schema(ref_template="#/$defs/{model}")
    definitions = tool.pop("$defs")
    for name in ("toolkit", "group"):
        # The folder gives the toolkit, and each group is written once.
        del tool["properties"][name]
        tool["required"].remove(name)
    group = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "tools": {"type": "array", "items": {"$ref": "#/$defs/tool"}}},
        "required": ["name", "tools"],
        "additionalProperties": False,
    }
    tools = {
        **_HEAD,
        "properties": _NAMED | {"groups": {"type": "array", "items": {"$ref": "#/$defs/group"}}},
        "required": ["groups"],
        "additionalProperties": False,
        "$defs": definitions | {"tool": tool, "group": group},
    }
    service = TypeAdapter(Service).json_schema(ref_template="#/$defs/{model}")
    return {
        "tools.schema.json": tools,
        "service.schema.json": {**_HEAD, **service, "properties": _NAMED | service["properties"]},
    }


if __name__ == "__main__":
    for name, content in schemas().items():
        (BUILT_IN / name).write_text(json.dumps(content, indent=2) + "\n", "utf-8")
