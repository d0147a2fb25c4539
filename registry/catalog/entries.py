"""Converts a parameter's entry in the data to the fields of its record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# What a nested entry leaves out, because only one value is possible.
_INSIDE = {"place": "inside", "role": "field", "help": ""}
_DEEPEST = 16


def fields_of(entry: Any, depth: int = 0) -> Any:
    """The fields of `Parameter`: ``in`` becomes `place`, and nested entries get their implied fields.

    What is not an object, or is nested too deeply for any form, is returned unchanged, for the validation to refuse.
    """
    if not isinstance(entry, dict) or depth > _DEEPEST:
        return entry
    fields: dict[str, Any] = dict(_INSIDE) if depth else {}
    fields |= {("place" if key == "in" else key): value for key, value in entry.items()}
    for key in ("properties", "branches"):
        if isinstance(inner := fields.get(key), list):
            fields[key] = [fields_of(one, depth + 1) for one in inner]
    if isinstance(items := fields.get("items"), Mapping):
        fields["items"] = fields_of({"name": "item"} | dict(items), depth + 1)
    return fields
