"""The shapes of the payments objects: which fields a kind has, of which type, what may be null or missing, what refers to what.

`shapes.json` holds them, a field a line, as the payments API answers at version 2025-09-30.clover. A field says:

``type``       string, integer, number, boolean, hash (inner object), map (free keys), array, list (a paged list object),
               object (a whole object), id (an object's id that becomes the object when it is expanded)
``of``         what an array, list, map or object holds: a type or kinds of objects
``ref``        the kind, or kinds, that an id points to
``nullable`` · ``optional`` · ``expandable`` · ``sensitive`` · ``format`` · ``enum``
``default``    what the field holds when an object says nothing about it
``by``         of a list: the field of its members that holds the owner's id
``url``        of a list: the path that pages through it, with ``{id}`` for the owner's id
``shown``      of a list: ``expanded`` when it is there only if it was asked for by expanding it
``oldest_first`` of a list: its order; newest first without it

``inside`` describes references within hashes by dotted path, with ``[]`` for every element.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

ABSENT: Any = object()


class Shape(NamedTuple):
    """One kind of object: its id prefixes (none where ids are chosen or absent), its fields and its inner references."""

    prefix: list[str]
    fields: dict[str, dict[str, Any]]
    inside: dict[str, dict[str, Any]]

    def default(self, name: str) -> Any:
        """What a field holds when an object says nothing about it; `ABSENT` when it is then missing."""
        field = self.fields[name]
        if "default" in field:
            return field["default"]
        if field.get("optional"):
            return ABSENT
        if field.get("nullable"):
            return None
        match field["type"]:
            case "map":
                return {}
            case "array":
                return []
        raise KeyError(name)

    @property
    def required(self) -> list[str]:
        """The fields that every object must say something about."""
        names = []
        for name, field in self.fields.items():
            if name in ("id", "object") or field["type"] == "list":
                continue
            try:
                self.default(name)
            except KeyError:
                names.append(name)
        return names


@cache
def shapes() -> Mapping[str, Shape]:
    """All shapes by kind."""
    text = Path(__file__).with_name("shapes.json").read_text("utf-8")
    return {kind: Shape(entry["prefix"], entry["fields"], entry.get("inside", {})) for kind, entry in json.loads(text).items()}


def kinds_of(reference: str | list[str]) -> list[str]:
    """A reference's kinds, always as a list."""
    return [reference] if isinstance(reference, str) else reference
