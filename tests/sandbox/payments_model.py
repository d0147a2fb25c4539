"""What the payments account holds, told in plain Python: the lists' members, and what a deletion takes along.

It is written from what the platform's documents say about deletions and lists, and it shares no code with the service that it
is compared with, but for the tables that say which list holds which kind by which field.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from registry.sandbox.payments.listing import Listing
from registry.sandbox.payments.retrieving import Rule
from registry.sandbox.payments.routes.lists import LISTS
from registry.sandbox.payments.shapes import kinds_of, shapes
from registry.sandbox.store import Body, StoredRow
from tests.sandbox.payments_addresses import Rows, filled, outlived

Key = tuple[str, str]

CASCADES: dict[str, tuple[tuple[str, str], ...]] = {
    "account": (("person", "account"), ("capability", "account"), ("bank_account", "account"), ("card", "account")),
    "customer": (
        ("card", "customer"),
        ("bank_account", "customer"),
        ("tax_id", "customer"),
        ("entitlements.active_entitlement", "_customer"),
    ),
    "invoice": (("line_item", "invoice"), ("invoice_payment", "invoice")),
    "product": (("product_feature", "_product"),),
    "radar.value_list": (("radar.value_list_item", "value_list"),),
}
"""What goes along with an object: kind, and the field with the object's id."""

STAY_READABLE = ("customer", "terminal.configuration", "terminal.location", "terminal.reader")


class Whole(NamedTuple):
    """A list without filters: where it is, and what it needs in its query."""

    path: str
    owner: Key | None
    query: Mapping[str, str]


class Account:
    """The live objects, by kind and id, in the order in which they were made."""

    def __init__(self, rows: Rows, now: int) -> None:
        self.now = now
        self.rows = {kind: {row.id: row for row in found} for kind, found in rows.items()}
        self.gone: set[Key] = set()
        self.clocks = {row.id: row.body.get("test_clock") for row in rows["customer"]}

    def live(self, kind: str) -> list[StoredRow]:
        """The objects of a kind that are there, oldest first."""
        return list(self.rows.get(kind, {}).values())

    def is_live(self, key: Key) -> bool:
        return key[1] in self.rows.get(key[0], {})

    def delete(self, kind: str, id_: str) -> set[Key]:
        """Take an object away with all that goes along; what was taken away."""
        taken: set[Key] = set()
        self._take(kind, id_, taken)
        self.gone |= taken
        return taken

    def take_discount(self, id_: str) -> set[Key]:
        """Take a discount from whoever has it."""
        taken = self.delete("discount", id_)
        for row in self.live("customer"):
            if row.body.get("discount") == id_:
                row.body["discount"] = None
        for row in self.live("subscription"):
            if id_ in row.body.get("discounts", ()):
                row.body["discounts"].remove(id_)
        return taken

    def _take(self, kind: str, id_: str, taken: set[Key]) -> None:
        row = self.rows.get(kind, {}).pop(id_, None)
        if row is None:
            return
        taken.add((kind, id_))
        for part, field in CASCADES.get(kind, ()):
            self._take_all(part, field, id_, taken)
        match kind:
            case "customer":
                self._end(id_)
                if row.body.get("discount"):
                    self._take("discount", row.body["discount"], taken)
            case "invoice":
                for item in self.live("invoiceitem"):
                    if item.body.get("invoice") == id_:
                        item.body["invoice"] = None
            case "invoiceitem":
                for line in self.live("line_item"):
                    if _item_of(line.body) == id_:
                        self._take("line_item", line.id, taken)
            case "plan":
                self._take("price", id_, taken)
            case "test_helpers.test_clock":
                self._take_clock(id_, taken)

    def _take_all(self, kind: str, field: str, id_: str, taken: set[Key]) -> None:
        for row in self.live(kind):
            if row.body.get(field) == id_:
                self._take(kind, row.id, taken)

    def _end(self, customer: str) -> None:
        for row in self.live("subscription"):
            if row.body["customer"] == customer:
                row.body["status"] = "canceled"
        for kind in ("payment_method", "source"):
            for row in self.live(kind):
                if row.body.get("customer") == customer:
                    row.body["customer"] = None

    def _take_clock(self, clock: str, taken: set[Key]) -> None:
        customers = {id_ for id_, on in self.clocks.items() if on == clock}
        for kind, shape in shapes().items():
            for row in self.live(kind):
                owner = row.body.get("_customer" if kind == "entitlements.active_entitlement" else "customer")
                if row.body.get("test_clock") == clock or (isinstance(owner, str) and owner in customers):
                    self._take_with_parts(kind, row, shape.fields, taken)

    def _take_with_parts(self, kind: str, row: StoredRow, fields: Mapping[str, Any], taken: set[Key]) -> None:
        self.rows[kind].pop(row.id, None)
        taken.add((kind, row.id))
        for field in fields.values():
            if field["type"] == "list":
                for part in kinds_of(field["of"]):
                    for one in self.live(part):
                        if one.body.get(field["by"]) == row.id:
                            self._take_with_parts(part, one, shapes()[part].fields, taken)

    def lists(self, rows: Rows) -> Iterator[Whole]:
        """All lists of a world's rows."""
        for path, operation in LISTS.items():
            if not isinstance(operation, Listing):
                continue
            for owner in rows[operation.owner] if operation.owner else [None]:
                if owner is not None and _barred(operation.rule, operation.owner, owner, self.now):
                    continue
                required = next((one for one in operation.filters if one.parameter.required), None)
                key = (operation.owner, owner.id) if owner is not None else None
                if required is None:
                    yield Whole(path, key, {})
                else:
                    for row in rows[required.refers]:
                        yield Whole(path, (required.refers, row.id), {required.parameter.name: row.id})

    def address(self, whole: Whole) -> str:
        """Where a list is."""
        return filled(whole.path, [whole.owner[1]] if whole.owner and not whole.query else [])

    def members(self, whole: Whole) -> list[Key] | None:
        """What a list holds, in its order; None when its owner is gone."""
        operation = LISTS[whole.path]
        assert isinstance(operation, Listing)
        if whole.owner is not None and not self.is_live(whole.owner):
            return None
        by = operation.by
        if whole.query:
            (required,) = [one for one in operation.filters if one.parameter.required]
            by = required.path
        found: list[tuple[str, StoredRow]] = []
        for kind in operation.kinds:
            of_kind = [(kind, row) for row in self.live(kind) if self._belongs(operation, whole, by, row)]
            found += of_kind if operation.oldest_first else of_kind[::-1]
        found.sort(key=lambda one: one[1].created, reverse=not operation.oldest_first)
        return [(kind, row.id) for kind, row in found]

    def _belongs(self, operation: Listing, whole: Whole, by: str, row: StoredRow) -> bool:
        body = row.body
        if whole.owner is not None:
            held = body.get(by)
            if by == "credit_grant":
                grant = self.rows["billing.credit_grant"].get(str(held))
                held = grant and grant.body["customer"]
            if held != whole.owner[1]:
                return False
        if operation.kinds == ("subscription",) and body["status"] == "canceled":
            return False
        if operation.clock and body.get(operation.clock):
            return False
        return all(body.get(name) == value for name, value in operation.only)


def _item_of(line: Body) -> str | None:
    details = (line.get("parent") or {}).get("invoice_item_details") or {}
    item = details.get("invoice_item")
    return item if isinstance(item, str) else None


def _barred(rule: Rule | None, kind: str, row: StoredRow, now: int) -> bool:
    return rule is not None and outlived(kind, row, now)
