"""What is written beside the catalogue's data when it was changed: ``python -m registry.catalog.stamping``.

It checks all files; if nothing is wrong, it writes their digests, and the JSON Schemas that help whoever edits them.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from pydantic import TypeAdapter

from registry.catalog.listing import DATA, read_file
from registry.catalog.loader import CHECKED, data_files, digest, load
from registry.catalog.model import Tool, Toolkit


def stamps() -> dict[str, Any]:
    """File name → content of everything that belongs beside the data."""
    tool = TypeAdapter(Tool).json_schema(ref_template="#/$defs/{model}")
    definitions = tool.pop("$defs")
    for name in ("toolkit", "group"):
        # Written once for the whole file, not in each entry.
        del tool["properties"][name]
        tool["required"].remove(name)
    definitions |= _parameters(definitions.pop("Parameter"))
    toolkit = TypeAdapter(Toolkit).json_schema(ref_template="#/$defs/{model}")
    toolkit_definitions = toolkit.pop("$defs") | {"toolkit": toolkit}
    file = {"toolkit": {"type": "string"}, "groups": _list("group")}
    return {
        CHECKED: {path.relative_to(DATA).as_posix(): digest(path) for path in data_files()},
        "tools.schema.json": _file(file, definitions | {"tool": tool, "group": _GROUP}),
        "toolkits.schema.json": _file({"toolkits": _list("toolkit")}, toolkit_definitions),
    }


def _parameters(parameter: dict[str, Any]) -> dict[str, Any]:
    """A parameter as the data has it, and what is inside one: without a place, and mostly without a role and help."""
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


_GROUP = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "tools": {"type": "array", "items": {"$ref": "#/$defs/tool"}}},
    "required": ["name", "tools"],
    "additionalProperties": False,
}


def _list(of: str) -> dict[str, Any]:
    return {"type": "array", "items": {"$ref": f"#/$defs/{of}"}}


def _file(properties: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {"$schema": {"type": "string"}, **properties},
        "required": list(properties),
        "additionalProperties": False,
        "$defs": definitions,
    }


def main() -> int:
    """Check, then stamp."""
    (DATA / CHECKED).unlink(missing_ok=True)
    read_file.cache_clear()
    problems = load().problems
    for problem in problems:
        sys.stderr.write(f"{problem}\n")
    if problems:
        return 1
    for name, content in stamps().items():
        (DATA / name).write_text(json.dumps(content, indent=2) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
