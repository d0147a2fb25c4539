"""Putting payments objects into the store, dataset by dataset.

A dataset is a part of the world that is built as a whole when something of a kind it holds is first asked for. Datasets refer
to each other's objects by id, and an id is derived from the object's key, so that none needs another one to be there.
"""

import threading
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from msgspec.json import Encoder

from registry.sandbox.payments.shapes import ABSENT, identifier, shapes
from registry.sandbox.rough import roughened
from registry.sandbox.store import Body, Store
from registry.sandbox.world import World

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
        self._written: set[str] = set()
        self._lock = threading.Lock()

    def ensure(self, kind: str) -> None:
        """Make sure that every object of that kind is in the store.

        Takes no lock when it is there already, so that it may be called again while the store is being changed.
        """
        if kind not in self._written:
            with self._lock:
                self._write([dataset for dataset in self._unwritten if kind in dataset.kinds])
                self._written.add(kind)

    def ensure_all(self) -> None:
        """Make sure that everything is in the store, which takes a fifth of a second."""
        with self._lock:
            self._write(list(self._unwritten))

    def _write(self, wanted: list[Dataset]) -> None:
        for dataset in wanted:
            dataset.store(Builder(self._world, self._store))
            self._unwritten.remove(dataset)
