"""The shapes of the payments objects, and how objects of these shapes are put into the store, dataset by dataset.

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

Which fields are there only when they are expanded is in `registry.sandbox.requests.CONDITIONS`.

``inside`` describes references within hashes by dotted path, with ``[]`` for every element.

`hashes.json` holds the hashes by name, each with its fields. A field's name ends with ``?`` if the field may be absent. Its
type is one of ``string``, ``integer``, ``number`` and ``boolean``, values in quotes, ``#name`` for a hash, ``[type]`` for an
array and ``{type}`` for a map with free keys; ``|`` separates alternatives, also ``null``, and `` = value`` at the end is the
default. Without one, a field that may be absent is absent, one that may be null is null, arrays and maps are empty, and a hash
without required fields consists of its defaults. All other fields are required. The tests check that the world keeps to this.

A dataset is a part of the world that is built as a whole when something of a kind it holds is first asked for. Datasets refer
to each other's objects by id, and an id is derived from the object's key, so that none needs another one to be there.
"""

import json
import re
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from typing import Any, NamedTuple

from msgspec.json import Encoder

from registry.sandbox.store import Body, Store
from registry.sandbox.world import World, data_file, roughened

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
    return data_file(__file__, name)


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


_WRITTEN = "_written"
"""The kind under which it is noted which datasets are in the store."""


class Builder:
    """Collects a dataset's new objects and stores them in order of creation."""

    def __init__(self, world: World, store: Store) -> None:
        self.world = world
        self._encode = Encoder().encode
        self._store = store
        # As text at once: hashes that are kept until a dataset is stored cost the garbage collector much of its time.
        self._rows: dict[str, list[tuple[str, int, str]]] = {}

    def id(self, kind: str, key: str, prefix: str | None = None) -> str:
        """The id of an object by its key; the object may be in another dataset, or not there yet."""
        return identifier(self.world, kind, key, prefix)

    def link(self, kind: str, key: str | None, prefix: str | None = None) -> Any:
        """The id of an object, or nothing (`ABSENT`) without a key."""
        return self.id(kind, key, prefix) if key else ABSENT

    def new(self, kind: str, key: str, created: int, *, id: str | None = None, **fields: Any) -> str:  # noqa: A002
        """Add an object and return its id.

        Args:
            kind: the object type, for instance ``invoice`` or ``billing.alert``.
            key: its name within the kind; the id is derived from it.
            created: Unix seconds. Becomes the field `created` where the kind has one.
            id: the id, if it is not derived from the key (a currency code, a coupon that somebody named, an owner's id).
            fields: what differs from the declared shape, in hashes too; `ABSENT` says nothing. Names that start with ``_`` are
                kept and never shown.
        """
        shape = shapes()[kind]
        if ABSENT in fields.values():
            fields = {name: value for name, value in fields.items() if value is not ABSENT}
        if "created" in shape.fields:
            fields.setdefault("created", created)
        new_id = id if id is not None else self.id(kind, key)
        self.note(kind, new_id, created, roughened(self.world, shape.plan.complete(fields)))
        return new_id

    def note(self, kind: str, key: str, created: int, body: Body) -> None:
        """Store a body as it is: internal data, which no response shows, under a kind whose name starts with ``_``."""
        self._rows.setdefault(kind, []).append((key, created, self._encode(body).decode()))

    def flush(self) -> None:
        """Store the collected objects."""
        with self._store.changes():
            for kind, rows in self._rows.items():
                self._store.add(kind, sorted(rows, key=lambda row: row[1]))
        self._rows.clear()


class Dataset(NamedTuple):
    """A part of the world: the kinds that it holds and the function that writes it."""

    kinds: frozenset[str]
    write: Callable[[Builder], None]

    @property
    def name(self) -> str:
        """What it goes by: its kinds, which no other dataset has all of."""
        return " ".join(sorted(self.kinds))

    def store(self, builder: Builder) -> None:
        """Write it and remember that it is written, both or nothing."""
        self.write(builder)
        builder.note(_WRITTEN, self.name, builder.world.now, {})
        builder.flush()


class Datasets:
    """Builds each dataset once, when the first of its kinds is needed. The store remembers which ones it has."""

    def __init__(self, world: World, store: Store, datasets: Iterable[Dataset]) -> None:
        self._world, self._store = world, store
        there = {row.id for row in store.every(_WRITTEN)}
        self._unwritten = [dataset for dataset in datasets if dataset.name not in there]
        self._written: set[str | None] = set()
        self._lock = threading.Lock()

    def ensure(self, kind: str | None = None) -> None:
        """Make sure that every object of that kind is in the store; without a kind all objects, in a fifth of a second.

        Takes no lock when they are there already, so that it may be called again while the store is being changed.
        """
        if kind not in self._written:
            with self._lock:
                for dataset in [one for one in self._unwritten if kind is None or kind in one.kinds]:
                    dataset.store(Builder(self._world, self._store))
                    self._unwritten.remove(dataset)
                self._written.add(kind)
