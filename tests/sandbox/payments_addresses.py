"""The addresses that a payments world has: of its objects and of its deletions, by the rows that it was written with."""

from collections.abc import Iterator, Sequence

from registry.sandbox.payments.operations import EVENT_AGE, Operation
from registry.sandbox.store import StoredRow
from tests.sandbox.written_worlds import NOW

Rows = dict[str, list[StoredRow]]


def addresses(path: str, operation: Operation, rows: Rows, now: int = NOW) -> Iterator[str]:
    """The addresses of the objects that a path can lead to at that moment."""
    if operation.does == "alone":
        yield path
    elif operation.kinds == ["discount"]:
        yield from _of_discounts(path, operation, rows)
    for kind in operation.kinds:
        for row in rows.get(kind, ()):
            owner = row.body.get(operation.by) if operation.by else None
            ids = [row.id] if owner is None else [owner, row.id]
            match operation.does:
                case "capability":
                    yield filled(path, row.id.split("/"))
                case "of_owner":
                    yield filled(path, ids[:1])
                case "one" if not (row.body.get("_live_only") or outlived(kind, row, now)) and (owner or not operation.by):
                    yield filled(path, ids)
                case "delete" if owner or not operation.by:
                    yield filled(path, ids)


def _of_discounts(path: str, operation: Operation, rows: Rows) -> Iterator[str]:
    for row in rows[operation.owner]:
        if row.body.get("discount") or row.body.get("discounts"):
            yield filled(path, [row.id] if path.count("{") == 1 else [row.body["customer"], row.id])


def outlived(kind: str, row: StoredRow, now: int) -> bool:
    """Whether an object can no longer be read at that moment because its time is over."""
    if kind == "tax.calculation":
        return (row.body.get("expires_at") or now + 1) <= now
    return kind == "event" and row.created < now - EVENT_AGE


def filled(path: str, ids: Sequence[str]) -> str:
    """A path with ids in place of its placeholders."""
    values = iter(ids)
    return "/".join(next(values) if part.startswith("{") else part for part in path.split("/"))
