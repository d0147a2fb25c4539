"""Taking objects away, within one change of the store.

Deleted objects are kept under their kind and id, for the few responses that still show them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from registry.sandbox.payments.errors import missing
from registry.sandbox.payments.lists import holding
from registry.sandbox.payments.reading import GONE, Found, Reader
from registry.sandbox.payments.shapes import kinds_of, shapes
from registry.sandbox.store import Body, FieldCondition, OneOf, StoredRow, Where


class Remover:
    """Removes and changes stored objects. All kinds that it meets must be in the store before the change begins."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self._store = reader.store

    def remove(self, kind: str, row: StoredRow) -> None:
        """Take one object away."""
        self._store.add(GONE, [(f"{kind}/{row.id}", row.created, row.body)])
        if not self._store.remove(kind, row.id):
            raise missing(kind, row.id, "id")

    def remove_all(self, kinds: Sequence[str], where: Where) -> None:
        """Take away all objects of these kinds that match."""
        for found in self.reader.every(kinds, where):
            self.remove(found.kind, found.row)

    def update(self, kind: str, row: StoredRow, **fields: Any) -> None:
        """Give fields of an object new values.

        Raises:
            NotDeclared: the object would not be as its shape declares it.
        """
        self.rewrite(kind, row, row.body | fields)

    def rewrite(self, kind: str, row: StoredRow, body: Body) -> None:
        """Give an object another body; as `update`, for one that loses fields."""
        self._store.replace(kind, row.id, shapes()[kind].declaration.complete(body))

    def remove_clock(self, clock: str) -> None:
        """Take away what hangs on a test clock: its customers, and all that is theirs with its parts."""
        customers = (*(one.row.id for one in self.reader.every(("customer",), {"test_clock": clock})), *self._gone_from(clock))
        for kind in _clocked():
            for field in _holding_clock(kind):
                value: FieldCondition = clock if field == "test_clock" else OneOf(customers)
                for found in self.reader.every((kind,), {field: value}):
                    self._remove_with_parts(found)

    def _gone_from(self, clock: str) -> list[str]:
        """The customers of a test clock that were deleted before it; their remaining objects still belong to the clock."""
        gone = (row.id.partition("/") for row in self._store.every(GONE, {"test_clock": clock}))
        return [id_ for kind, _, id_ in gone if kind == "customer"]

    def _remove_with_parts(self, found: Found) -> None:
        for parts, by in _parts(found.kind):
            for part in self.reader.every(parts, {by: found.row.id}):
                self._remove_with_parts(part)
        self.remove(found.kind, found.row)


def _holding_clock(kind: str) -> list[str]:
    """The fields by which objects of a kind hang on a test clock: directly, or through their customer."""
    fields = shapes()[kind].fields
    if kind == "entitlements.active_entitlement":
        return ["_customer"]
    return [name for name in ("test_clock", "customer") if name in fields]


def kinds_on_clocks() -> list[str]:
    """All kinds of which objects can go with a test clock."""
    clocked = _clocked()
    return list(dict.fromkeys([*clocked, *(part for kind in clocked for parts, _ in _parts(kind) for part in parts)]))


def _clocked() -> list[str]:
    return [kind for kind in shapes() if _holding_clock(kind)]


def _parts(kind: str) -> list[tuple[list[str], str]]:
    """For each list within objects of a kind: the kinds that it holds and their field with the owner's id."""
    lists = [field for field in shapes()[kind].fields.values() if field["type"] == "list"]
    return [(holding(kinds_of(field["of"]), field["by"]), field["by"]) for field in lists]
