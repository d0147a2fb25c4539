"""A parameter's entry in the data, as the fields of the record that it becomes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# What an entry inside another one does not say, because there is only one way.
_INSIDE = {"place": "inside", "role": "field", "help": ""}
_DEEPEST = 16


def fields_of(entry: Any, depth: int = 0) -> Any:
    """The fields of `Parameter`: ``in`` is `place`, and entries inside have the fields that go without saying.

    What is not an object, and what is nested deeper than any form can show, stays as it is, for the checking to refuse.
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
