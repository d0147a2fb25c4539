"""The shapes of the payments objects: which fields a kind has, of which type, what may be null or missing, what refers to what.

`shapes.json` holds them, a field a line, as the payments API answers at version 2025-09-30.clover. A field says:

``type``       string, integer, number, boolean, hash (inner object), map (free keys), array, list (a paged list object),
               object (a whole object), id (an object's id that becomes the object when it is expanded)
``of``         what an array, list, map or object holds: a type or kinds of objects
``ref``        the kind, or kinds, that an id points to
``nullable`` · ``optional`` · ``expandable`` · ``sensitive`` · ``format`` · ``enum``
``default``    the field's default
``holds``      the hash of `hashes.json` that it is, or that each of its elements is; `free` hashes hold anything
``by``         of a list: the field of its members that holds the owner's id
``url``        of a list: the path that pages through it, with ``{id}`` for the owner's id
``shown``      of a list: ``expanded`` if it is there only when it is expanded
``oldest_first`` of a list: its order; newest first without it

``inside`` describes references within hashes by dotted path, with ``[]`` for every element.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from registry.sandbox.payments.hashes import ABSENT, Declaration, Rule, declaration, unsaid

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "hash": (dict,),
    "map": (dict,),
    "array": (list, tuple),
    "object": (str, dict),
    "id": (str,),
    "list": (),
}


@dataclass(frozen=True)
class Shape:
    """One kind of object: its id prefixes (empty if ids are chosen or absent), its fields and its inner references."""

    kind: str
    prefix: list[str]
    fields: dict[str, dict[str, Any]]
    inside: dict[str, dict[str, Any]]

    def default(self, name: str) -> Any:
        """A field's default; `ABSENT` if the field is then missing."""
        field = self.fields[name]
        if "default" in field:
            default = field["default"]
            return declaration(field["holds"]).complete(default) if isinstance(default, dict) and "holds" in field else default
        if field.get("optional"):
            return ABSENT
        if field.get("nullable"):
            return None
        match field["type"]:
            case "map":
                return {}
            case "array":
                return []
            case "hash" if "holds" in field:
                return unsaid(field["holds"])
        raise KeyError(name)

    @cached_property
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

    @cached_property
    def declaration(self) -> Declaration:
        """What a stored object may say; what every object has is filled in when it is shown.

        Names that start with ``_`` are kept with it and never shown.
        """
        return Declaration({name: _rule(field) for name, field in self.fields.items()}, {}, frozenset(self.required))


def _rule(field: Mapping[str, Any]) -> Rule:
    """What a field may hold. Hashes without a declaration must be empty, so that none is written undeclared."""
    type_, holds = field["type"], field.get("holds")
    empty = type_ == "hash" and holds is None and not field.get("free")
    rule = _of_type("list" if empty else type_, nullable=bool(field.get("nullable")), holds=holds)
    return rule._replace(values=frozenset(field["enum"])) if type_ == "string" and "enum" in field else rule


@cache
def _of_type(type_: str, *, nullable: bool, holds: str | None) -> Rule:
    types = _TYPES[type_]
    return Rule(frozenset((*types, type(None)) if nullable else types), None, holds, each=type_ in ("array", "map"))


@cache
def shapes() -> Mapping[str, Shape]:
    """All shapes by kind."""
    text = Path(__file__).with_name("shapes.json").read_text("utf-8")
    return {
        kind: Shape(kind, entry["prefix"], entry["fields"], entry.get("inside", {})) for kind, entry in json.loads(text).items()
    }


def kinds_of(reference: str | list[str]) -> list[str]:
    """A reference's kinds, always as a list."""
    return [reference] if isinstance(reference, str) else reference
