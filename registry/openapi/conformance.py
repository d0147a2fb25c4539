"""Compares a response with its schema: unknown properties, missing ones, and values of another type."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from registry.openapi.document import Document, Node
from registry.openapi.operations import operations_of, tool_name
from registry.openapi.outputs import response_of
from registry.openapi.overlay import Overlay
from registry.openapi.remarks import DocumentRefused
from registry.openapi.schemas import Schema, Shape, shape_of

_DEEPEST, _MOST_ITEMS, _MOST_STEPS = 30, 200, 50_000
_KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}


@dataclass(slots=True)
class Differences:
    """Where a response differs from its schema; positions as dotted paths, with ``[]`` for any item of a list.

    Attributes:
        unknown: properties that are not in the document.
        missing: required properties that the response lacks.
        other: values of another type, by position, with what the document says.
    """

    unknown: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    other: dict[str, str] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """The number of differences."""
        return len(self.unknown) + len(self.missing) + len(self.other)

    def add(self, more: Differences) -> None:
        """Add other differences, without duplicates."""
        self.unknown += [one for one in more.unknown if one not in self.unknown]
        self.missing += [one for one in more.missing if one not in self.missing]
        self.other |= more.other


def schema_of(document: Document, overlay: Overlay, name: str) -> Schema:
    """The schema of a tool's successful response.

    Raises:
        DocumentRefused: there is no such operation, or it describes no JSON response.
    """
    taken: set[str] = set()
    for operation in operations_of(document, _nobody):
        overrides = overlay.of(operation.method, operation.path, operation.id)
        if overrides.hidden:
            continue
        if (tool_name(operation, taken) if overrides.name is None else overrides.name) == name:
            found = response_of(operation.node)
            if not found:
                raise operation.node.refused(f"describes no JSON response of {name}")
            return found
    raise document.top.refused(f"has no operation of the name {name}")


def differences(value: Any, schema: Schema) -> Differences:
    """The differences between a JSON value and a schema."""
    return _Walk().look(value, schema, "", 0)


def _nobody(node: Node, reason: str) -> None:
    """Ignore remarks: they were reported when the toolkit was made."""


class _Walk:
    """One comparison, with a limit on its steps: a schema may contain itself, and a response may be large."""

    def __init__(self) -> None:
        self._left = _MOST_STEPS

    def look(self, value: Any, schema: Schema, path: str, depth: int, only: str = "") -> Differences:
        """Compare a value at a path."""
        found = Differences()
        self._left -= 1
        if depth > _DEEPEST or self._left < 0:
            return found
        try:
            shape = shape_of(schema, only)
        except DocumentRefused:
            return found  # without its target, the reference says nothing
        if value is None:
            if not shape.nullable and shape.type != "any":
                found.other[path] = f"is null; the document says {shape.type.replace('_', ' ')}"
            return found
        if shape.type == "one_of":
            tried = [self.look(value, branch.schema, path, depth + 1, branch.only) for branch in shape.branches]
            return min(tried, key=lambda one: (len(one.other), one.count))
        kinds = _KINDS.get(shape.type)
        if kinds is None:
            return found
        if not isinstance(value, kinds) or (isinstance(value, bool) and shape.type != "boolean"):
            found.other[path] = f"is {_kind(value)}; the document says {shape.type}"
        elif isinstance(value, dict):
            self._object(value, shape, path, depth, found)
        elif isinstance(value, list):
            for item in value[:_MOST_ITEMS] if shape.items else ():
                found.add(self.look(item, shape.items, f"{path}[]", depth + 1))
        elif shape.enum is not None and value not in shape.enum and not (shape.takes_empty and value == ""):
            found.other[path] = "is not one of the values in the document"
        return found

    def _object(self, value: dict[str, Any], shape: Shape, path: str, depth: int, found: Differences) -> None:
        start = f"{path}." if path else ""
        for name, one in value.items():
            if name in shape.properties:
                found.add(self.look(one, shape.properties[name], start + name, depth + 1))
            elif shape.more:
                found.add(self.look(one, shape.more, start + name, depth + 1))
            elif shape.more is None and shape.properties:
                found.unknown.append(start + name)
        found.missing += [start + name for name in sorted(shape.required) if name not in value]


def _kind(value: Any) -> str:
    return next((name for name, kinds in _KINDS.items() if type(value) in kinds), "something else")
