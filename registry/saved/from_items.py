"""The inputs of runs from objects on screen: an object's id, an id in it, or a property with the input's name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from registry.catalog.model import Tool
from registry.pages.templates import at_path
from registry.references.knowledge import Knowledge, knowledge
from registry.saved.saved_call import Input, SavedCall


def inputs_from(call: SavedCall, item: Mapping[str, Any], tool: Tool) -> dict[str, object]:
    """The inputs of a saved call for which an object has values.

    Args:
        call: the saved call to run.
        item: the object.
        tool: the tool that returned it.
    """
    known = knowledge(tool.toolkit)
    said = item.get(known.type_in or "")
    types = (said,) if isinstance(said, str) else tool.returns.objects
    found = {one.name: _input(one, item, types, known) for one in call.inputs if not one.secret}
    return {name: value for name, value in found.items() if value is not None}


def _input(one: Input, item: Mapping[str, Any], types: tuple[str, ...], known: Knowledge) -> object:
    if not one.object_type:
        value = item.get(one.name)
        return value if isinstance(value, str | int | float) else None
    if one.object_type in types and isinstance(item.get("id"), str):
        return str(item["id"])
    for type_ in types:
        kind = known.kind(type_)
        for path, held in (*kind.refers.items(), *kind.holds.items()):
            if one.object_type in held and (id_ := _id_at(item, path)) is not None:
                return id_
    return next(
        (value for value in item.values() if isinstance(value, str) and one.object_type in known.types_by_id(value)), None
    )


def _id_at(item: Mapping[str, Any], path: str) -> str | None:
    value = at_path(item, path)
    if isinstance(value, Mapping):
        value = value.get("id")
    return value if isinstance(value, str) and value else None
