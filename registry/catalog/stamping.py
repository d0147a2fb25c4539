"""Writes the generated files of the built-in toolkits after a change: ``python -m registry.catalog.stamping``.

It checks all files; if nothing is wrong, it writes their digests, and the JSON Schemas for editors.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from pydantic import TypeAdapter

from registry.catalog.folders import BUILT_IN, CHECKED, SERVICE, built_in
from registry.catalog.listing import tool_files
from registry.catalog.loader import digest, forget, load
from registry.catalog.model import Tool
from registry.catalog.service import Service


def stamps() -> dict[str, Any]:
    """File name → content of every generated file next to the toolkits."""
    files = [path for folder in built_in().folders for path in (folder.path / SERVICE, *tool_files(folder))]
    return {
        CHECKED: {path.relative_to(BUILT_IN).as_posix(): digest(path) for path in files},
        "tools.schema.json": _tools_schema(),
        "service.schema.json": _service_schema(),
    }


def _tools_schema() -> dict[str, Any]:
    tool = TypeAdapter(Tool).json_schema(ref_template="#/$defs/{model}")
    definitions = tool.pop("$defs")
    for name in ("toolkit", "group"):
        # The folder gives the toolkit, and each group is written once.
        del tool["properties"][name]
        tool["required"].remove(name)
    definitions |= _parameters(definitions.pop("Parameter"))
    return {
        **_HEAD,
        "properties": {"$schema": {"type": "string"}, "groups": {"type": "array", "items": {"$ref": "#/$defs/group"}}},
        "required": ["groups"],
        "additionalProperties": False,
        "$defs": definitions | {"tool": tool, "group": _GROUP},
    }


def _parameters(parameter: dict[str, Any]) -> dict[str, Any]:
    """A parameter in the form of the data, and one inside another: without a place, and mostly without role and help."""
    fields = parameter["properties"]
    for key in ("properties", "branches"):
        fields[key]["items"] = {"$ref": "#/$defs/Inside"}
    fields["items"] = {"$ref": "#/$defs/Inside"}
    place = fields.pop("place")
    inside = parameter | {"properties": dict(fields), "required": ["type"], "title": "Inside"}
    place["enum"].remove("inside")
    fields["in"] = place
    required = ["in" if name == "place" else name for name in parameter["required"]]
    return {"Parameter": parameter | {"required": required}, "Inside": inside}


def _service_schema() -> dict[str, Any]:
    service = TypeAdapter(Service).json_schema(ref_template="#/$defs/{model}")
    return {**_HEAD, **service, "properties": {"$schema": {"type": "string"}, **service["properties"]}}


_HEAD = {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}
_GROUP = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "tools": {"type": "array", "items": {"$ref": "#/$defs/tool"}}},
    "required": ["name", "tools"],
    "additionalProperties": False,
}


def main() -> int:
    """Check, then write the files."""
    (BUILT_IN / CHECKED).unlink(missing_ok=True)
    forget()
    problems = load(built_in()).problems
    for problem in problems:
        sys.stderr.write(f"{problem}\n")
    if problems:
        return 1
    for name, content in stamps().items():
        (BUILT_IN / name).write_text(json.dumps(content, indent=2) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
