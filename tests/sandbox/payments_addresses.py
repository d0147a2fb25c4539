"""The addresses that a payments world has: of its objects and of its deletions, by the rows that it was written with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from registry.sandbox.payments.preconditions import EVENT_AGE
from registry.sandbox.payments.retrieving import Alone, Capability, Discount, OfOwner, One, Template, WithSecret
from registry.sandbox.payments.routes.deletions import DiscountRemoval
from registry.sandbox.store import StoredRow
from tests.sandbox.test_world_references import NOW

Rows = dict[str, list[StoredRow]]


class Spot(NamedTuple):
    """An address, and the kind and id of what it is about."""

    address: str
    kind: str
    id: str


def addresses(path: str, operation: Any, rows: Rows, now: int = NOW) -> Iterator[str]:
    """The addresses of the objects that a path can lead to at that moment."""
    return (spot.address for spot in spots(path, operation, rows, now))


def spots(path: str, operation: Any, rows: Rows, now: int) -> Iterator[Spot]:
    """Where a path leads at that moment."""
    match operation:
        case Alone():
            yield from (Spot(path, operation.kind, row.id) for row in rows[operation.kind] if _own(row))
        case WithSecret():
            yield from (Spot(filled(path, [row.id]), operation.kind, row.id) for row in rows.get(operation.kind, ()))
        case Template():
            kind = "invoice_rendering_template"
            yield from (Spot(filled(path, [row.id]), kind, row.id) for row in rows.get(kind, ()))
        case Capability():
            for row in rows.get("capability", ()):
                account, _, name = row.id.partition("/")
                yield Spot(filled(path, [account, name]), "capability", row.id)
        case Discount(on="customer"):
            for row in rows["customer"]:
                if row.body.get("discount"):
                    yield Spot(filled(path, [row.id]), "discount", row.body["discount"])
        case Discount():
            for row in rows["subscription"]:
                if row.body.get("discounts"):
                    yield Spot(filled(path, [row.body["customer"], row.id]), "discount", row.body["discounts"][0])
        case OfOwner():
            for row in rows.get(operation.kind, ()):
                owner = row.body[operation.by] if operation.by else row.id
                yield Spot(filled(path, [owner]), operation.kind, row.id)
        case One():
            for kind in operation.kinds:
                for row in rows.get(kind, ()):
                    owner = row.body.get(operation.by) if operation.by else None
                    if (operation.by and owner is None) or row.body.get("_live_only") or outlived(kind, row, now):
                        continue
                    yield Spot(filled(path, [row.id] if owner is None else [owner, row.id]), kind, row.id)


def _own(row: StoredRow) -> bool:
    """Whether something is the account's own, of which there is one."""
    return row.id == "self" or bool(row.body.get("_own"))


def outlived(kind: str, row: StoredRow, now: int) -> bool:
    """Whether an object can no longer be read at that moment because its time is over."""
    if kind == "tax.calculation":
        return (row.body.get("expires_at") or now + 1) <= now
    return kind == "event" and row.created < now - EVENT_AGE


def deletable(path: str, operation: Any, rows: Rows) -> Iterator[str]:
    """The addresses that a deletion can be asked of, whether it is allowed or not."""
    return (spot.address for spot in targets(path, operation, rows))


def targets(path: str, operation: Any, rows: Rows) -> Iterator[Spot]:
    """What a deletion can be asked of, whether it is allowed or not."""
    if isinstance(operation, DiscountRemoval):
        for row in rows[operation.on]:
            held = [row.body.get("discount"), *row.body.get("discounts", ())]
            if any(held):
                ids = [row.id] if path.count("{") == 1 else [row.body["customer"], row.id]
                yield Spot(filled(path, ids), "discount", next(id_ for id_ in held if id_))
        return
    for kind in operation.kinds:
        for row in rows[kind]:
            owner = row.body.get(operation.by) if operation.by else ""
            if owner is not None:
                yield Spot(filled(path, [owner, row.id] if owner else [row.id]), kind, row.id)


def filled(path: str, ids: Sequence[str]) -> str:
    """A path with ids in place of its placeholders."""
    values = iter(ids)
    return "/".join(next(values) if part.startswith("{") else part for part in path.split("/"))
