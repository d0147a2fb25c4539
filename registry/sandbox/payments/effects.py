"""The effects of a deletion: objects that are deleted too, and changes of those that stay."""

from __future__ import annotations

from registry.sandbox.payments.removing import Remover
from registry.sandbox.store import Body, Other, StoredRow


def account(remover: Remover, row: StoredRow) -> None:
    """Its people, capabilities and external accounts go with a connected account."""
    remover.remove_all(("person", "capability", "bank_account", "card"), {"account": row.id})


ACCOUNT_NEEDS = ("person", "capability", "bank_account", "card", "balance")


def coupon(remover: Remover, row: StoredRow) -> None:
    """Nobody can redeem the coupon any more; discounts that came from it stay."""
    for code in remover.reader.every(("promotion_code",), {"promotion.coupon": row.id}):
        remover.update(code.kind, code.row, active=False)


def customer(remover: Remover, row: StoredRow) -> None:
    """End what runs, delete what belongs only to the customer, and detach payment methods."""
    reader, now, theirs = remover.reader, remover.reader.world.present, {"customer": row.id}
    for one in reader.every(("subscription",), theirs | {"status": Other("canceled")}):
        remover.update(one.kind, one.row, status="canceled", canceled_at=now, ended_at=now)
    for one in reader.every(("subscription_schedule",), theirs):
        if one.row.body["status"] in ("active", "not_started"):
            remover.update(one.kind, one.row, status="canceled", canceled_at=now)
    for one in reader.every(("payment_method",), theirs):
        remover.update(one.kind, one.row, customer=None)
    for one in reader.every(("source",), theirs):
        body = {name: value for name, value in one.row.body.items() if name != "customer"}
        remover.rewrite(one.kind, one.row, body)
    remover.remove_all(("card", "bank_account", "tax_id"), theirs)
    remover.remove_all(("entitlements.active_entitlement",), {"_customer": row.id})
    discount = reader.get("discount", row.body["discount"]) if row.body.get("discount") else None
    if discount:
        remover.remove("discount", discount)


CUSTOMER_NEEDS = (
    "subscription",
    "subscription_schedule",
    "payment_method",
    "source",
    "card",
    "bank_account",
    "tax_id",
    "entitlements.active_entitlement",
    "discount",
)


def invoice(remover: Remover, row: StoredRow) -> None:
    """Its lines go with a draft; items that were on it wait for another invoice."""
    remover.remove_all(("line_item", "invoice_payment"), {"invoice": row.id})
    for item in remover.reader.every(("invoiceitem",), {"invoice": row.id}):
        remover.update(item.kind, item.row, invoice=None)


def invoice_item(remover: Remover, row: StoredRow) -> None:
    """Remove the item's line from its draft invoice, and correct the invoice's amounts."""
    invoice_id = row.body.get("invoice")
    draft = remover.reader.get("invoice", invoice_id) if invoice_id else None
    if draft is None:
        return
    body = draft.body
    for line in remover.reader.every(("line_item",), {"invoice": draft.id}):
        details = (line.row.body.get("parent") or {}).values()
        if any(isinstance(one, dict) and one.get("invoice_item") == row.id for one in details):
            body = _without(body, line.row.body)
            remover.remove(line.kind, line.row)
    remover.update("invoice", draft, **body)


def plan(remover: Remover, row: StoredRow) -> None:
    """A plan and the price of the same id are one thing."""
    price = remover.reader.get("price", row.id)
    if price:
        remover.remove("price", price)


def product(remover: Remover, row: StoredRow) -> None:
    """Its features are taken off."""
    remover.remove_all(("product_feature",), {"_product": row.id})


def value_list(remover: Remover, row: StoredRow) -> None:
    """A list goes with its items."""
    remover.remove_all(("radar.value_list_item",), {"value_list": row.id})


def test_clock(remover: Remover, row: StoredRow) -> None:
    """A clock goes with its customers and all that is theirs."""
    remover.remove_clock(row.id)


def _without(invoice_body: Body, line: Body) -> Body:
    """An invoice's amounts when a line has left it."""
    taxes = line.get("taxes") or []
    discount = sum(part["amount"] for part in line.get("discount_amounts") or [])
    exclusive = sum(part["amount"] for part in taxes if part.get("tax_behavior") == "exclusive")
    inclusive = sum(part["amount"] for part in taxes if part.get("tax_behavior") == "inclusive")
    net = line["amount"] - discount - inclusive
    less = {
        "subtotal": line["amount"],
        "subtotal_excluding_tax": line["amount"] - inclusive,
        "total": net + inclusive + exclusive,
        "total_excluding_tax": net,
        "amount_due": net + inclusive + exclusive,
        "amount_remaining": net + inclusive + exclusive,
    }
    changed: Body = {name: invoice_body[name] - part for name, part in less.items() if invoice_body.get(name) is not None}
    for total, part, key in (
        ("total_discount_amounts", "discount_amounts", "discount"),
        ("total_taxes", "taxes", "tax_rate_details"),
    ):
        if invoice_body.get(total):
            changed[total] = _lessened(invoice_body[total], line.get(part) or [], key)
    return invoice_body | changed


def _lessened(total: list[Body], shares: list[Body], key: str) -> list[Body]:
    """The parts of a total by what they are for, without a line's shares; parts that come to nothing are left out."""
    kept = []
    for one in total:
        amount = one["amount"] - sum(share["amount"] for share in shares if share.get(key) == one.get(key))
        if amount:
            kept.append(one | {"amount": amount})
    return kept
