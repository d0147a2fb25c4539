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
``oldest_first`` of a list: its order; newest first without it

Which fields are there only when they are expanded is in `registry.sandbox.asked`.

``inside`` describes references within hashes by dotted path, with ``[]`` for every element.

`hashes.json` holds the hashes by name, each with its fields. A field's name ends with ``?`` if the field may be absent. Its
type is one of ``string``, ``integer``, ``number`` and ``boolean``, values in quotes, ``#name`` for a hash, ``[type]`` for an
array and ``{type}`` for a map with free keys; ``|`` separates alternatives, also ``null``, and `` = value`` at the end is the
default. Without one, a field that may be absent is absent, one that may be null is null, arrays and maps are empty, and a hash
without required fields consists of its defaults. All other fields are required. The tests check that the world keeps to this.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from registry.sandbox.world import World

_INNER = re.compile(r"#([\w.]+)")

ABSENT: Any = object()
"""The value of a field that an object does not have."""


class Plan(NamedTuple):
    """How a hash is filled up: the defaults of its fields, and the hashes inside by field, `True` where it is a map of them."""

    unsaid: Mapping[str, Any]
    inside: Mapping[str, tuple[str, bool]]

    def complete(self, given: dict[str, Any]) -> dict[str, Any]:
        """The given values with the defaults added, also in every hash inside."""
        inside = {name: _completed(*self.inside[name], given[name]) for name in self.inside.keys() & given.keys()}
        return {**self.unsaid, **given, **inside}


def _completed(name: str, each: bool, value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [hash_plan(name).complete(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {key: hash_plan(name).complete(one) for key, one in value.items()} if each else hash_plan(name).complete(value)


@cache
def hash_plan(name: str) -> Plan:
    """The plan of the hash of that name."""
    unsaid, inside = {}, {}
    for one, type_ in _file("hashes")[name].items():
        default = ABSENT if one.endswith("?") else hash_default(type_)
        if default is not ABSENT:
            unsaid[one] = default
        if found := _INNER.search(type_):
            inside[one.removesuffix("?")] = (found[1], type_.startswith("{"))
    return Plan(unsaid, inside)


def hash_default(type_: str) -> Any:
    """The default of a field of a hash, by its type; `ABSENT` if the field is required."""
    type_, _, default = type_.partition(" = ")
    if default:
        return json.loads(default)
    if type_.endswith("|null"):
        return None
    if type_[0] in "{[":
        return {} if type_[0] == "{" else []
    return dict(hash_plan(type_[1:]).unsaid) if type_[0] == "#" and not _required(type_[1:]) else ABSENT


@cache
def _required(name: str) -> bool:
    return any(hash_default(type_) is ABSENT for field, type_ in _file("hashes")[name].items() if not field.endswith("?"))


@dataclass(frozen=True)
class Shape:
    """One kind of object: its id prefixes (empty if ids are chosen or absent), its fields and its inner references."""

    prefix: list[str]
    fields: dict[str, dict[str, Any]]
    inside: dict[str, dict[str, Any]] = field(default_factory=dict)

    def default(self, name: str) -> Any:
        """A field's default; `ABSENT` if it has none, so that a field that nothing is said about is missing."""
        about = self.fields[name]
        default, holds = about.get("default", ABSENT), about.get("holds")
        if default is not ABSENT:
            return _completed(holds, False, default) if holds and isinstance(default, dict) else default
        if about.get("optional"):
            return ABSENT
        if about.get("nullable"):
            return None
        if about["type"] == "hash" and holds:
            return hash_default(f"#{holds}")
        return {"map": {}, "array": []}.get(about["type"], ABSENT)

    @cached_property
    def plan(self) -> Plan:
        """How a stored object is filled up: its hashes are. What every object has is filled in when it is shown."""
        return Plan({}, {name: (one["holds"], one["type"] == "map") for name, one in self.fields.items() if "holds" in one})


@cache
def shapes() -> Mapping[str, Shape]:
    """All shapes by kind."""
    return {kind: Shape(**entry) for kind, entry in _file("shapes").items()}


@cache
def _file(name: str) -> dict[str, Any]:
    held: dict[str, Any] = json.loads(Path(__file__).with_name(f"{name}.json").read_text("utf-8"))
    return held


def kinds_of(reference: str | list[str]) -> list[str]:
    """A reference's kinds, always as a list."""
    return [reference] if isinstance(reference, str) else reference


_SHORT_IDS = {"customer", "product", "coupon"}


def identifier(world: World, kind: str, key: str, prefix: str | None = None) -> str:
    """The id of the object of a kind that goes by `key`; all worlds of a seed have the same."""
    return _identifier(world.seed, kind, key, prefix)


@lru_cache(maxsize=32_768)  # making one is the slowest step of writing an object; this is enough for the usual world
def _identifier(seed: int, kind: str, key: str, prefix: str | None) -> str:
    start = prefix if prefix is not None else shapes()[kind].prefix[0]
    return start + World(seed, 0).token(f"{kind}/{key}", 14 if kind in _SHORT_IDS else 24)
